import { Link } from '@tanstack/react-router';
import { Fragment, use } from 'react';
import { type Totals, TROUBLES, type Trouble } from '../../../src/domain/history/standing.ts';
import type { BoardChannelJson, BoardHeadJson, SomeChecksJson } from '../../../src/views/board-json.ts';
import { useLiveState } from '../../app/live/live.ts';
import { m } from '../../messages/index.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { PersonsTimes, useNow } from '../../ui/time.tsx';
import { shortTime } from '../../ui/times.ts';
import { ZoneNote } from '../../ui/zone-note.tsx';
import {
  calmWords,
  fineWords,
  headlineParts,
  missingParts,
  namesOf,
  recoveredParts,
  sinceParts,
  type ToldSummary,
  togetherWords,
  toldWords,
  waitingParts,
} from './answer-words.ts';
import { channelName } from './channels.tsx';
import { type ListSearch, NO_CHANNEL } from './view.ts';

interface Parts {
  readonly totals: Totals;
  readonly head: BoardHeadJson;
  /** Whether the person may assign integrations to the check of this key. */
  readonly mayAssign: (key: string) => boolean;
}

/** Whether anything is wrong, since when, and who was told. */
export function Answer({
  totals,
  head,
  mayAssign,
  lead = '',
}: Pick<Parts, 'totals' | 'mayAssign'> & {
  readonly head: BoardHeadJson | undefined;
  /** The first words of the second line. */
  readonly lead?: string;
}) {
  const state = useLiveState();
  if (state.kind === 'away') return <AwayAnswer totals={totals} asOf={state.asOf} />;
  return (
    <>
      <Headline totals={totals} untold={head?.counts.untold ?? 0} />
      <p className="answer-line">
        {lead} {head === undefined ? ' ' : <SecondLine {...{ totals, head, mayAssign }} />} <ZoneNote />
      </p>
    </>
  );
}

/** Without the server nobody knows whether all is fine. What was wrong is still told, as of then. */
function AwayAnswer({ totals, asOf }: { readonly totals: Totals; readonly asOf: number }) {
  const style = use(PersonsTimes);
  return (
    <h1>
      <span className="late">{m.live.awayAsOf(shortTime(asOf, style, useNow(60_000)))}</span>
      <span className="calm">
        {headlineParts(totals, 0)
          .map(({ words }) => words)
          .join(' ')}
      </span>
    </h1>
  );
}

function Headline({ totals, untold }: { readonly totals: Totals; readonly untold: number }) {
  const troubles = headlineParts(totals, untold);
  const rest = calmWords({ ...totals, fine: 0 });
  if (troubles.length > 0) {
    return (
      <h1>
        {troubles.map(({ kind, words }) => (
          <span key={kind} className={TONES[kind]}>
            {words}
          </span>
        ))}
        <span className="calm">{calmWords(totals)}</span>
      </h1>
    );
  }
  if (totals.fine === 0) return <h1>{rest}</h1>;
  return (
    <h1>
      <Glyph shape="up" className="size-6 self-center" />
      <span>{fineWords(totals)}</span>
      <span className="calm">{rest}</span>
    </h1>
  );
}

const TONES: Readonly<Record<Trouble, string>> = {
  down: 'down',
  held: 'down',
  acknowledged: 'down',
  late: 'late',
  never_came: 'late',
  slow: 'slow',
};

function SecondLine({ totals, head, mayAssign }: Parts) {
  const { answer } = m.checks;
  const missed = head.pulse.missed.reduce((sum, count) => sum + count, 0);
  if (head.since.length === 0 || TROUBLES.every((kind) => totals[kind] === 0))
    return (
      <>
        {head.recovered.count > 0 ? (
          <Sentence parts={recoveredParts(head.recovered)} />
        ) : missed === 0 ? (
          answer.calm
        ) : (
          answer.missedSome(missed)
        )}{' '}
        <Nobody
          checks={head.untold}
          words={answer.untold}
          of={head.counts.total - head.counts.silent}
          mayAssign={mayAssign}
        />
      </>
    );
  return (
    <>
      <Sentence parts={sinceParts(head.since)} />{' '}
      <Sentence
        parts={head.lanes.filter(({ count }) => count > 1).map((lane) => `${togetherWords(lane)} `)}
      />
      <Sentence parts={waitingParts(head.waiting, troubledOf(totals))} />{' '}
      {head.told !== null && (
        <Told told={head.told} totals={totals} channels={head.channels} mayAssign={mayAssign} />
      )}
    </>
  );
}

const troubledOf = (totals: Totals) => TROUBLES.reduce((sum, kind) => sum + totals[kind], 0);

function Told({
  told,
  totals,
  channels,
  mayAssign,
}: Omit<Parts, 'head'> & {
  readonly told: ToldSummary;
  readonly channels: readonly BoardChannelJson[];
}) {
  const { answer } = m.checks;
  const troubled = troubledOf(totals);
  const failed = told.missing.filter(({ state }) => state !== 'waiting');
  const waiting = told.missing.filter(({ state }) => state === 'waiting');
  const nameOf = (uuid: string) => channelName(channels, uuid);
  return (
    <>
      <span className="down">
        <Nobody
          checks={told.unassigned}
          words={answer.unassigned}
          filter={{ status: 'down' }}
          mayAssign={mayAssign}
        />
        {told.unsent.count > 0 && (
          <Sentence parts={[`${answer.unsent(namesOf(told.unsent), told.unsent.count)} `]} />
        )}
        {failed.map((one) => (
          <Fragment key={`${one.channel} ${one.state}`}>
            <Sentence parts={missingParts(one, nameOf(one.channel), troubled)} />{' '}
          </Fragment>
        ))}
      </span>
      {waiting.length > 0 && (
        <Sentence parts={[answer.onItsWay(waiting.map(({ channel }) => nameOf(channel)))]} />
      )}{' '}
      <Sentence parts={[toldWords(told, { down: totals.down, troubled }, nameOf)]} />
    </>
  );
}

/** Checks that nobody is told of, and the way to change that, or who can. */
function Nobody({
  checks,
  words,
  of = 0,
  filter = {},
  mayAssign,
}: Pick<Parts, 'mayAssign'> & {
  readonly checks: SomeChecksJson;
  readonly words: (names: readonly string[], count: number, of: number) => string;
  /** The number of all checks among which these are. */
  readonly of?: number;
  readonly filter?: ListSearch;
}) {
  const [first] = checks.some;
  if (first === undefined) return null;
  const sentence = words(namesOf(checks), checks.count, of);
  if (!checks.some.some(({ key }) => mayAssign(key)))
    return <Sentence parts={[`${sentence} ${m.checks.answer.othersAssign} `]} />;
  return (
    <>
      <Sentence parts={[sentence]} />{' '}
      {checks.count === 1 ? (
        <Link to="/checks/$check/details/" params={{ check: first.key }} className="underline">
          {m.checks.answer.assign}
        </Link>
      ) : (
        <Link to="./" search={{ ...filter, integration: NO_CHANNEL }} className="underline">
          {m.checks.answer.assign}
        </Link>
      )}
      .{' '}
    </>
  );
}
