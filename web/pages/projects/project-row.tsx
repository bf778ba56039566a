// biome-ignore-all lint/a11y/useSemanticElements: on phones the rows of this table are cards
// biome-ignore-all lint/a11y/useFocusableInteractive: rows are not focused, their links are

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { CheckHeadJson, LaneJson, ToldJson } from '../../../src/views/board-json.ts';
import { shownName } from '../../app/channel-names.ts';
import { now } from '../../app/clock.ts';
import { query } from '../../app/read.ts';
import type { OwnProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Chip } from '../../ui/chip.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Menu, MenuItem, MenuLink } from '../../ui/menu.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { type ShownStatus, StatusPill } from '../../ui/status-pill.tsx';
import { ClockTime, Until } from '../../ui/time.tsx';
import { sinceParts } from '../checks/answer-words.ts';
import { causesQuery } from './heads.ts';

const t = m.projects;

/** Causes that a project in trouble tells at once. */
const MAX_CAUSES = 2;
/** Spans of ten minutes that one bar stands for. */
const SPANS_IN_BAR = 2;

/** A project on the line of time. One in trouble opens up and tells why. */
export function ProjectRow({
  project,
  hasPulse,
  isLast,
  onLeave,
}: {
  readonly project: OwnProject;
  /** Whether its pulse is asked for. */
  readonly hasPulse: boolean;
  /** Whether the person was here last, of all projects. */
  readonly isLast: boolean;
  readonly onLeave: () => void;
}) {
  const { data: head } = useQuery({ ...query.checkHead({ project: project.uuid }), enabled: hasPulse });
  const { uuid, name, role, checks, owner } = project;
  const trouble = project.status === 'up' ? null : project.status;
  return (
    <div
      role="row"
      data-project={uuid}
      className={`project-row ${trouble === null ? '' : `is-troubled is-${trouble}`}`}
    >
      <div className="[grid-area:status] max-md:self-start" role="cell">
        <StatusPill status={statusOf(project)} />
      </div>
      <div className="project-row__name min-w-0 [grid-area:name]" role="cell">
        <p className="flex min-w-0 items-center gap-1.5 leading-4.5">
          <Link
            to="/projects/$project/checks/"
            params={{ project: uuid }}
            className="truncate text-14 font-semibold hover:underline"
          >
            {name}
          </Link>
          {role === 'read_only' && <Chip>{m.roles.read_only}</Chip>}
          {isLast && (
            <span className="max-md:hidden">
              <Chip>{m.shell.lastVisited}</Chip>
            </span>
          )}
        </p>
        <Counts project={project} slow={head?.counts.slow} neverCame={head?.counts.never_came} />
      </div>
      <div className="min-w-0 [grid-area:owner] max-md:text-[12px] md:max-xl:hidden" role="cell">
        <p className="leading-4.5">{t.checks(checks.total)}</p>
        <p className="truncate text-12 text-ink-3 max-md:hidden">
          {role === 'owner' ? t.own : t.roleOf(owner.split('@')[0] ?? owner, t.roles[role])}
        </p>
      </div>
      <div
        role="cell"
        className={`mr-[1px] [grid-area:runs] max-md:relative max-md:m-0 max-md:pr-[5px] max-md:after:absolute max-md:after:-inset-y-[3px] max-md:after:-right-[1px] max-md:after:border-l-[1.5px] max-md:after:border-ink ${trouble === null ? 'self-center' : 'self-end'}`}
      >
        <Pulse name={name} head={head} />
      </div>
      <Ahead head={head} isTroubled={trouble !== null} />
      {trouble !== null && (
        <div className="self-start [grid-area:why]" role="cell">
          {head !== undefined && <Story project={uuid} head={head} />}
        </div>
      )}
      <div className="[grid-area:menu] max-md:-my-2.5 max-md:-mr-2.5 max-md:self-start" role="cell">
        <Menu
          label={t.actionsOf(name)}
          className="grid size-7 place-items-center rounded-control text-ink-3 hover:bg-hover max-md:size-10"
          button={<Ellipsis className="size-4" />}
        >
          <MenuLink to="/projects/$project/settings/" params={{ project: uuid }}>
            {t.settings}
          </MenuLink>
          {role !== 'owner' && (
            <MenuItem isDangerous onSelect={onLeave}>
              {t.leave}
            </MenuItem>
          )}
        </Menu>
      </div>
    </div>
  );
}

function statusOf({ status, checks }: OwnProject): ShownStatus {
  if (status !== 'up') return status;
  if (checks.total > 0 && checks.silent === checks.total) return 'paused';
  return checks.total > 0 && checks.up === 0 ? 'new' : 'up';
}

function Counts({
  project: { checks },
  slow = 0,
  neverCame = 0,
}: {
  readonly project: OwnProject;
  readonly slow: number | undefined;
  readonly neverCame: number | undefined;
}) {
  const fine = Math.max(0, checks.up - slow);
  const waiting = checks.new - neverCame;
  const parts: readonly (readonly [Shape | null, string])[] = [
    ...(checks.down > 0 ? [['down', t.answer.down(checks.down)] as const] : []),
    ...(checks.held > 0
      ? [['held', t.answer.held(checks.held, checks.down || checks.acknowledged)] as const]
      : []),
    ...(checks.acknowledged > 0
      ? [['acknowledged', t.answer.acknowledged(checks.acknowledged)] as const]
      : []),
    ...(checks.late > 0 ? [['late', t.answer.late(checks.late)] as const] : []),
    ...(neverCame > 0 ? [['never_came', t.answer.never_came(neverCame)] as const] : []),
    ...(slow > 0 ? [['running', t.answer.slow(slow)] as const] : []),
    ...(fine > 0 ? [[null, fine === checks.total ? t.allFine(fine) : t.answer.fine(fine)] as const] : []),
    ...(checks.silent > 0 ? [[null, t.answer.silent(checks.silent)] as const] : []),
    ...(waiting > 0 ? [[null, t.answer.ready(waiting)] as const] : []),
    ...(checks.total === 0 ? [[null, t.none] as const] : []),
  ];
  return (
    <p className="flex flex-wrap gap-x-3 text-12 leading-4.5 text-ink-3">
      {parts.map(([shape, words]) => (
        <span key={words} className="inline-flex items-center gap-1">
          {shape !== null && <Glyph shape={shape} className="size-3" />}
          {words}
        </span>
      ))}
    </p>
  );
}

interface Bar {
  readonly ran: number;
  readonly bad: 'failed' | 'missed' | null;
}

function barsOf({ pulse }: CheckHeadJson): Bar[] {
  const count = Math.floor(pulse.ran.length / SPANS_IN_BAR);
  return Array.from({ length: count }, (_, bar) => {
    const spans = [bar * SPANS_IN_BAR, (bar + 1) * SPANS_IN_BAR] as const;
    const sum = (counts: readonly number[]) => counts.slice(...spans).reduce((total, one) => total + one, 0);
    const [failed, missed] = [sum(pulse.failed), sum(pulse.missed)];
    return { ran: sum(pulse.ran), bad: failed > 0 ? 'failed' : missed > 0 ? 'missed' : null };
  });
}

/** The number of checks that ran. Failed and missed ones stand above the bars. */
function Pulse({ name, head }: { readonly name: string; readonly head: CheckHeadJson | undefined }) {
  if (head === undefined) return <div className="project-pulse" />;
  const bars = barsOf(head);
  const highest = Math.max(1, ...bars.map(({ ran }) => ran));
  const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
  const isQuiet = bars.every(({ ran, bad }) => ran === 0 && bad === null);
  return (
    <div
      role="img"
      aria-label={isQuiet ? t.quiet(name) : t.pulse(name, sum(head.pulse.failed), sum(head.pulse.missed))}
      className="project-pulse"
    >
      {bars.map(({ ran, bad }, place) => (
        <i
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
          key={place}
          data-bad={bad ?? undefined}
          className={ran === 0 ? 'is-empty' : ''}
          style={ran === 0 ? undefined : { height: `${12 + (ran / highest) * 55}%` }}
        />
      ))}
    </div>
  );
}

interface Event {
  readonly at: string;
  readonly words: string;
  readonly isSoonBad: boolean;
}

const nameOf = ({ name, count }: LaneJson) =>
  count > 1 ? t.together(count) : name === '' ? t.unnamed : name;

/** Coming events, the soonest first. */
function eventsOf(head: CheckHeadJson): Event[] {
  const { lanes, told, pulse } = head;
  const tries = (told?.missing ?? []).flatMap(({ channel, next }) =>
    next === null ? [] : { at: next, words: t.retried(channelName(head, channel)), isSoonBad: false },
  );
  const turns = lanes.flatMap((lane) => {
    if (lane.next === null || lane.next.kind === 'overdue') return [];
    const isBad = lane.next.kind === 'goes_down';
    return {
      at: lane.next.at,
      words: isBad ? t.goesDown(nameOf(lane)) : t.due(nameOf(lane)),
      isSoonBad: isBad,
    };
  });
  const span = pulse.expected.findIndex((count) => count > 0);
  const start = Date.parse(pulse.from) + (pulse.ran.length - 1 + span) * pulse.step * 1_000;
  // The end of the span: somewhere in it the checks are expected.
  const expected =
    span === -1
      ? []
      : [
          {
            at: new Date(start + pulse.step * 1_000).toISOString(),
            words: t.expected(pulse.expected[span] ?? 0),
            isSoonBad: false,
          },
        ];
  return [...tries, ...turns, ...expected]
    .filter(({ at }) => Date.parse(at) > now())
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function channelName({ channels }: CheckHeadJson, uuid: string): string {
  const channel = channels.find((one) => one.uuid === uuid);
  return channel === undefined ? '' : shownName(channel);
}

const NEXT =
  'min-w-0 [grid-area:next] max-md:flex max-md:flex-wrap max-md:items-baseline max-md:justify-end max-md:gap-x-1.5 max-md:text-[12px] max-md:leading-4.5';

function Ahead({
  head,
  isTroubled,
}: {
  readonly head: CheckHeadJson | undefined;
  readonly isTroubled: boolean;
}) {
  if (head === undefined) return <div className={NEXT} role="cell" />;
  const [first, ...rest] = eventsOf(head);
  return (
    <>
      <div className={NEXT} role="cell">
        {first === undefined ? (
          <p className="text-ink-3">{t.nothingAhead}</p>
        ) : (
          <>
            <p className={first.isSoonBad ? 'font-medium text-late' : ''}>
              <Until at={first.at} />
            </p>
            <p className="truncate text-12 text-ink-3" title={first.words}>
              <ClockTime at={first.at} /> · {first.words}
            </p>
          </>
        )}
      </div>
      {isTroubled && rest.length > 0 && (
        <div
          className="self-start text-12 leading-4.5 text-ink-2 [grid-area:when] max-md:rounded-control max-md:bg-quiet-t max-md:px-2.5 max-md:py-2"
          role="cell"
        >
          {rest.slice(0, 2).map(({ at, words }) => (
            <p key={`${at} ${words}`} className="truncate">
              <ClockTime at={at} className="font-semibold text-ink" /> {words}
            </p>
          ))}
        </div>
      )}
    </>
  );
}

const STATES: Readonly<Record<ToldJson['state'], Shape>> = {
  delivered: 'up',
  waiting: 'waiting',
  retrying: 'retrying',
  given_up: 'down',
  off: 'off',
};

/** Since when, why, and who was told. */
function Story({ project, head }: { readonly project: string; readonly head: CheckHeadJson }) {
  const shown = head.lanes.slice(0, MAX_CAUSES);
  const { data } = useQuery(
    causesQuery(
      project,
      shown.flatMap(({ key }) => key ?? []),
    ),
  );
  const rest = head.lanes.slice(MAX_CAUSES).reduce((sum, { count }) => sum + count, 0) + head.more;
  const told = (data ?? []).flatMap((check) => check.told);
  const causeOf = (lane: LaneJson): ReactNode => {
    const cause = data?.find(({ key }) => key === lane.key)?.cause;
    if (cause === undefined || cause === null) return `${nameOf(lane)}.`;
    return (
      <>
        {nameOf(lane)}: <Sentence parts={cause.head} />
      </>
    );
  };
  return (
    <>
      <p className="text-ink-2">
        <b className="font-semibold text-ink">
          <Sentence parts={sinceParts(head.since, false)} />
        </b>{' '}
        {shown.map((lane) => (
          <Fragment key={`${lane.key} ${lane.since}`}>{causeOf(lane)} </Fragment>
        ))}
        {rest > 0 && `${t.more(rest)}.`}
      </p>
      <Told label={t.told} told={told.filter(({ state }) => state === 'delivered')} head={head} />
      <Told label={t.notTold} told={told.filter(({ state }) => state !== 'delivered')} head={head} />
    </>
  );
}

/** Integrations, each once. */
function Told({
  label,
  told,
  head,
}: {
  readonly label: string;
  readonly told: readonly ToldJson[];
  readonly head: CheckHeadJson;
}) {
  if (told.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-12 leading-4.5 text-ink-3">
      <span>{label}</span>
      {[...new Map(told.map(({ channel, state }) => [channel, state]))].map(([channel, state]) => (
        <span key={channel} className="inline-flex items-center gap-1 text-ink-2">
          <Glyph shape={STATES[state]} label={m.checks.row.states[state]} className="size-3" />
          {channelName(head, channel)}
        </span>
      ))}
    </p>
  );
}
