import { Link, useNavigate } from '@tanstack/react-router';
import { Pause, Pencil, Play } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import type { SentenceJson } from '../../../src/views/board-json.ts';
import {
  AcknowledgeIcon,
  type Answers,
  type SnoozeChoice,
  SnoozeDialog,
  SnoozeMenu,
  useAnswers,
} from '../../acts/answers.tsx';
import { CheckMenu } from '../../acts/check-menu.tsx';
import { pauseCheck, resumeCheck } from '../../acts/pause.ts';
import { PingDialog } from '../../acts/ping-dialog.tsx';
import { PingNow } from '../../acts/ping-now.tsx';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { Sentence, useSentenceText } from '../../ui/sentence.tsx';
import { StatusPill, shownStatus } from '../../ui/status-pill.tsx';
import { ZoneNote } from '../../ui/zone-note.tsx';
import { quietTimeAnchor } from '../alerting/quiet-time-anchors.ts';
import { StaysDown } from '../checks/stays-down.tsx';
import type { ShownCheck } from './queries.ts';

/** Between the parts of a sentence. */
const DOT = ' · ';
/** Quiet times that are named. */
const MAX_NAMED = 3;
const TROUBLE = ['down', 'late', 'unknown'];

export const nameOf = ({ name, slug }: Pick<ShownCheck, 'name' | 'slug'>) => name || slug || m.check.unnamed;

/** For the tab of the browser: trouble comes first. */
export function titleOf(check: ShownCheck): string {
  return m.check.title(nameOf(check), TROUBLE.includes(check.status) ? m.statuses[check.status] : null);
}

/** Status, name and tags, the acts, and the sentence that says it all. */
export function Hero({
  check,
  name,
  answering,
}: {
  readonly check: ShownCheck;
  readonly name: string;
  readonly answering: Answering;
}) {
  const sentence = useSentenceText(check.sentence);
  return (
    <section className="grid items-start gap-x-4 px-6 pt-5 pb-4.5 max-md:px-4 md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="flex min-w-0 flex-wrap items-center gap-2.5">
        <StatusPill
          status={shownStatus(check.cause?.kind === 'never_came' ? 'never_came' : check.status, check.answer)}
          size="large"
          {...(sentence !== undefined && { sentence })}
        />
        <h1 className="min-w-0 text-26 leading-8 tracking-[-.022em] [overflow-wrap:anywhere] max-md:text-20">
          {nameOf(check)}
        </h1>
        {check.tags.map((tag) => (
          <Chip key={tag}>{tag}</Chip>
        ))}
      </div>
      <div className="mt-2 min-w-0 md:col-span-2">
        <p className="max-w-[82ch] text-16 tracking-[-.006em] text-ink-2 [overflow-wrap:anywhere]">
          <Told check={check} />{' '}
          <span className="text-12">
            <ZoneNote />
          </span>
        </p>
        {check.cause !== null && (hidesCause(check) || check.cause.rest.length > 0) && (
          <p className="max-w-[82ch] text-14 text-ink-2">
            {hidesCause(check) && (
              <>
                <Sentence parts={check.cause.head} />{' '}
              </>
            )}
            <Sentence parts={check.cause.rest} />
          </p>
        )}
        {check.recovery !== null && (
          <p className="max-w-[82ch] text-14 text-ink-2">
            <Sentence parts={check.recovery.sentence} />{' '}
            {m.checks.row.toldOf(
              check.recovery.told.flatMap(({ channel, of }) => {
                const known = check.channels.find(({ id }) => id === channel);
                return known === undefined ? [] : [{ name: shownName(known), of }];
              }),
            )}
          </p>
        )}
        {check.cause?.kind === 'never_came' && (
          <p className="max-w-[82ch] text-14 text-ink-2">{m.checks.row.firstPing}</p>
        )}
        {check.staysDown !== null && (
          <p className="max-w-[82ch] text-14 text-ink-2">
            <StaysDown {...check.staysDown} reminder={check.reminder} />
          </p>
        )}
      </div>
      {check.may.edit && check.uuid !== null && (
        <Actions check={check} uuid={check.uuid} name={name} answering={answering} />
      )}
      {answering.dialog}
    </section>
  );
}

/** Whether the sentence says why nobody is told, in place of the cause. */
const hidesCause = ({ status, answer }: ShownCheck) =>
  status === 'down' && answer !== null && answer.kind !== 'acknowledged';

const TONES: Partial<Record<ShownCheck['status'], string>> = { down: 'text-down', late: 'text-late' };

/** The sentence. The part before its first dot matters most. */
function Told({ check }: { readonly check: ShownCheck }) {
  const { sentence, status, cause } = check;
  const at = sentence.findIndex((part) => typeof part === 'string' && part.includes(DOT));
  const part = sentence[at];
  if (typeof part !== 'string') return <Sentence parts={sentence} />;
  const cut = part.indexOf(DOT);
  return (
    <>
      <b
        className={`font-semibold ${cause?.kind === 'never_came' ? 'text-late' : (TONES[status] ?? 'text-ink')}`}
      >
        <LinkedSentence check={check} parts={[...sentence.slice(0, at), part.slice(0, cut)]} />
      </b>
      <Sentence parts={[part.slice(cut), ...sentence.slice(at + 1)]} />
    </>
  );
}

/** The sentence, in which the names of quiet times lead to them. */
function LinkedSentence({ check, parts }: { readonly check: ShownCheck; readonly parts: SentenceJson }) {
  const { answer, quietTimes, project } = check;
  const at = quietTimes.length === 0 ? -1 : parts.indexOf(` (${answer?.by})`);
  if (at === -1) return <Sentence parts={parts} />;
  return (
    <>
      <Sentence parts={parts.slice(0, at)} /> (
      {quietTimes.slice(0, MAX_NAMED).map(({ uuid, name }, place) => (
        <Fragment key={uuid}>
          {place > 0 && ', '}
          <Link
            to="/projects/$project/settings/alerts/"
            params={{ project: project.id }}
            hash={quietTimeAnchor(uuid)}
            className="underline decoration-line-2 underline-offset-2 hover:text-link"
          >
            {name}
          </Link>
        </Fragment>
      ))}
      )<Sentence parts={parts.slice(at + 1)} />
    </>
  );
}

function Actions({
  check,
  uuid,
  name,
  answering,
}: {
  readonly check: ShownCheck;
  readonly uuid: string;
  readonly name: string;
  readonly answering: Answering;
}) {
  const { actions } = m.check;
  const [isPinging, setIsPinging] = useState(false);
  const navigate = useNavigate();
  const acted = { uuid, name: nameOf(check), project: check.project.id };
  const paused = { ref: uuid, name: acted.name };
  const isPaused = check.status === 'paused';
  const isDown = check.status === 'down';
  const open = (ref: string) => void navigate({ to: '/checks/$check/details/', params: { check: ref } });
  return (
    <div className="flex flex-wrap gap-2 max-md:mt-3 max-md:[&>*]:flex-1 md:col-start-2 md:row-start-1">
      {isPaused && (
        <Button kind="primary" onClick={() => void resumeCheck(paused)}>
          <Play className="size-4" />
          {m.checkActs.menu.resume}
        </Button>
      )}
      <AnswerButtons check={check} answering={answering} />
      {check.may.ping && !isDown && <PingNow check={name} />}
      {check.may.ping && isDown && <PingNow check={name} downName={acted.name} />}
      {!isPaused && !isDown && (
        <Button onClick={() => void pauseCheck(paused)}>
          <Pause className="size-4" />
          {m.checkActs.menu.pause}
        </Button>
      )}
      <ButtonLink to="/checks/$check/edit/" params={{ check: name }}>
        <Pencil className="size-4" />
        {actions.edit}
      </ButtonLink>
      <CheckMenu
        key={uuid}
        check={acted}
        isPaused={isPaused}
        className="inline-flex size-8 flex-none items-center justify-center rounded-control border border-line-2 bg-surface shadow-1 hover:bg-sunken max-md:size-10 max-md:flex-none!"
        onGone={() => void navigate({ to: '/projects/$project/checks/', params: { project: acted.project } })}
        onBack={() => open(name)}
        onReplaced={open}
      >
        {check.may.ping && <MenuItem onSelect={() => setIsPinging(true)}>{actions.sendPing}</MenuItem>}
      </CheckMenu>
      {isPinging && <PingDialog check={uuid} name={acted.name} onClose={() => setIsPinging(false)} />}
    </div>
  );
}

/** What people say to the outage of a check, from its page. */
interface Answering {
  readonly acknowledge: () => void;
  readonly takeBack: () => void;
  readonly snooze: (choice: SnoozeChoice) => void;
  readonly endSnooze: () => void;
  readonly askSnooze: (first: 'hour' | 'until') => void;
  readonly dialog: ReactNode;
}

export const isUnanswered = ({ status, answer }: ShownCheck): boolean =>
  status === 'down' && (answer === null || answer.kind === 'waiting' || answer.kind === 'held');

export function useAnswering(ref: string, check: ShownCheck): Answering {
  const answers: Answers = useAnswers();
  const [asked, setAsked] = useState<'hour' | 'until' | null>(null);
  const of = { ref, name: nameOf(check), isSnoozed: check.answer?.kind === 'snoozed' };
  const snooze = (choice: SnoozeChoice) => void answers.snooze(of, choice);
  return {
    acknowledge: () => void answers.acknowledge(of),
    takeBack: () => void answers.takeBack(of),
    endSnooze: () => void answers.endSnooze(of),
    snooze,
    askSnooze: setAsked,
    dialog: asked !== null && (
      <SnoozeDialog
        title={m.checkActs.snoozing.title(of.name)}
        first={asked}
        onSnooze={snooze}
        onClose={() => setAsked(null)}
      />
    ),
  };
}

const PLAIN_BUTTON =
  'touch inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-control border border-line-2 bg-surface px-3 text-13 font-medium whitespace-nowrap shadow-1 hover:bg-sunken max-md:h-11';

/** The first that somebody who was called sees. */
function AnswerButtons({ check, answering }: { readonly check: ShownCheck; readonly answering: Answering }) {
  const { menu } = m.checkActs;
  if (!check.may.answer || check.status === 'paused') return null;
  const kind = check.answer?.kind;
  return (
    <>
      {isUnanswered(check) && (
        <Button kind="primary" className="max-md:h-11!" onClick={answering.acknowledge}>
          <AcknowledgeIcon />
          {menu.acknowledge}
        </Button>
      )}
      {kind === 'acknowledged' && <Button onClick={answering.takeBack}>{m.check.actions.takeBack}</Button>}
      {kind === 'snoozed' && <Button onClick={answering.endSnooze}>{menu.endSnooze}</Button>}
      <SnoozeMenu
        className={PLAIN_BUTTON}
        onSnooze={answering.snooze}
        onDate={() => answering.askSnooze('until')}
      />
    </>
  );
}
