import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { type ReactNode, use, useEffect, useRef, useState } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { ageText } from '../../../src/lib/text/ages.ts';
import { now } from '../../app/clock.ts';
import { query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Section } from '../../ui/section.tsx';
import { ClockTime, PersonsTimes, useNow } from '../../ui/time.tsx';
import { scheduleBeside } from '../../ui/times.ts';
import { NEW_QUIET_TIME, quietTimeAnchor } from '../alerting/quiet-time-anchors.ts';
import QuietTimeDialog from '../alerting/quiet-time-dialog.tsx';
import { inOrder, pauseUntilEdge, type QuietTime, stateAt } from '../alerting/quiet-times.ts';
import { type QuietTimeActs, useQuietTimeActs } from '../alerting/use-quiet-times.ts';

const t = m.quietTimes;

/** The quiet times of the project that run or will come. The address may name one, or ask for a new one. */
export function QuietTimesSection() {
  const project = useProject();
  const { hash } = useLocation();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery({
    ...query.quietTimes({ project: project.uuid }),
    refetchInterval: ({ state }) => pauseUntilEdge(state.data?.quietTimes ?? [], now()),
  });
  const acts = useQuietTimeActs(project.uuid);
  return (
    <QuietTimeRows
      key={hash}
      project={project.uuid}
      quietTimes={data.quietTimes}
      acts={mayWrite(project) ? acts : null}
      hash={hash}
      onAsked={() => {
        const params = { project: project.uuid };
        if (hash !== '')
          void navigate({ to: '/projects/$project/settings/alerts/', params, hash: '', replace: true });
      }}
    />
  );
}

type Asked = { readonly for: 'new' } | { readonly for: 'edit'; readonly quietTime: QuietTime };

export function QuietTimeRows({
  project,
  quietTimes,
  acts,
  hash = '',
  onAsked = () => undefined,
}: {
  /** The UUID of the project. */
  readonly project: string;
  readonly quietTimes: readonly QuietTime[];
  /** Null: nothing may be changed. */
  readonly acts: QuietTimeActs | null;
  /** The part of the address that names one, or asks for a new one. */
  readonly hash?: string;
  /** Called when the dialog is closed. */
  readonly onAsked?: () => void;
}) {
  const [asked, setAsked] = useState<Asked | null>(hash === NEW_QUIET_TIME ? { for: 'new' } : null);
  const current = useNow(1_000);
  const shown = inOrder(quietTimes, current);
  const close = () => {
    setAsked(null);
    onAsked();
  };
  return (
    <Section title={t.title} lead={t.lead}>
      {shown.length === 0 ? (
        <p className="text-13 text-ink-3">{t.none}</p>
      ) : (
        <ul aria-label={t.title} className="divide-y divide-line rounded-card border border-line">
          {shown.map((quietTime) => (
            <QuietTimeRow
              key={quietTime.uuid}
              quietTime={quietTime}
              isRunning={stateAt(quietTime, current) === 'running'}
              acts={acts}
              isNamed={hash === quietTimeAnchor(quietTime.uuid)}
              onEdit={() => setAsked({ for: 'edit', quietTime })}
            />
          ))}
        </ul>
      )}
      {acts !== null && <AddButton label={t.new} onAdd={() => setAsked({ for: 'new' })} />}
      {asked?.for === 'new' && acts !== null && (
        <QuietTimeDialog project={project} save={acts.announce} onClose={close} />
      )}
      {asked?.for === 'edit' && acts !== null && (
        <QuietTimeDialog
          project={project}
          before={asked.quietTime}
          save={(input) => acts.change(asked.quietTime, input)}
          onClose={close}
        />
      )}
    </Section>
  );
}

function QuietTimeRow({
  quietTime,
  isRunning,
  acts,
  isNamed,
  onEdit,
}: {
  readonly quietTime: QuietTime;
  readonly isRunning: boolean;
  readonly acts: QuietTimeActs | null;
  /** Whether a link has led to it. */
  readonly isNamed: boolean;
  readonly onEdit: () => void;
}) {
  const { uuid, name, reason, made_by: by, schedule } = quietTime;
  const row = useRef<HTMLLIElement>(null);
  // The browser has looked for it before it was there.
  useEffect(() => {
    if (isNamed) row.current?.scrollIntoView({ block: 'center' });
  }, [isNamed]);
  return (
    <li
      ref={row}
      id={quietTimeAnchor(uuid)}
      className={`flex items-center gap-x-4 px-4 py-2.5 max-md:items-start ${isNamed ? 'bg-sunken' : ''}`}
    >
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <p>
          <span className="font-medium">{name}</span>
          {reason !== '' && reason !== name && <span className="text-13 text-ink-3"> · {reason}</span>}
        </p>
        <p className="text-13 text-ink-2">
          <When quietTime={quietTime} isRunning={isRunning} />
        </p>
        <p className="text-12 text-ink-3">
          {scopeWords(quietTime)} · {by}
        </p>
      </div>
      {acts !== null && (
        <span className="flex items-center gap-1">
          {isRunning && (
            <Button
              size="small"
              aria-label={t.stopOf(name)}
              title={t.stopHint}
              disabled={acts.isBusy}
              onClick={() => acts.stop(quietTime)}
            >
              {t.stop}
            </Button>
          )}
          <Menu
            label={t.moreOf(name)}
            button={<Ellipsis className="size-4" />}
            className="grid size-8 place-items-center rounded-control hover:bg-hover max-md:size-11"
          >
            <MenuItem onSelect={onEdit}>{t.edit}</MenuItem>
            {(schedule !== null || !isRunning) && (
              <MenuItem isDangerous isDisabled={acts.isBusy} onSelect={() => acts.remove(quietTime)}>
                {t.remove}
              </MenuItem>
            )}
          </Menu>
        </span>
      )}
    </li>
  );
}

/** Now, until 02:00. Sat 03:06 – Sat 05:06. Every Sunday at 01:00, Riga, for 4 h · next Sun 01:00. */
function When({
  quietTime: { from, until, words, tz, duration },
  isRunning,
}: {
  readonly quietTime: QuietTime;
  readonly isRunning: boolean;
}) {
  const style = use(PersonsTimes);
  const parts: ReactNode[] = [];
  if (isRunning && until !== null)
    parts.push(
      <>
        {t.now}
        <ClockTime at={until} />
      </>,
    );
  if (words !== null) parts.push(t.lasts(scheduleBeside(words, tz, style), ageText(micros(duration))));
  if (!isRunning) parts.push(<Coming from={from} until={until} isAgain={words !== null} />);
  return parts.map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other names, and stay where they are
    <span key={place}>
      {place > 0 && ' · '}
      {part}
    </span>
  ));
}

function Coming({
  from,
  until,
  isAgain,
}: {
  readonly from: string | null;
  readonly until: string | null;
  readonly isAgain: boolean;
}) {
  if (from === null || until === null) return t.never;
  return (
    <>
      {isAgain && t.next}
      <ClockTime at={from} />
      {!isAgain && (
        <>
          {' – '}
          <ClockTime at={until} />
        </>
      )}
    </>
  );
}

/** Names that a row tells. It counts the others. */
const MAX_NAMED = 3;

function scopeWords({ isWhole, tags, checks, covered }: QuietTime): string {
  if (isWhole) return t.project;
  const tagList = tags.split(' ').filter((tag) => tag !== '');
  if (tagList.length === 0 && checks.length === 0) return t.gone;
  const named = checks.slice(0, MAX_NAMED).map(({ name }) => name || t.form.unnamed);
  const more = checks.length - named.length;
  const parts = [
    ...(tagList.length > 0 ? [t.tags(tagList)] : []),
    ...named,
    ...(more > 0 ? [t.more(more)] : []),
  ];
  return tagList.length > 0 || more > 0 ? `${parts.join(', ')} · ${t.checks(covered)}` : parts.join(', ');
}
