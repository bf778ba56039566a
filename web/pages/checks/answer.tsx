import { Fragment } from 'react';
import type { BoardChannelJson, BoardHeadJson } from '../../../src/views/board-json.ts';
import { m } from '../../messages/index.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { ZoneNote } from '../../ui/zone-note.tsx';
import { sinceParts } from './answer-words.ts';
import { channelName } from './channels.tsx';
import type { Totals } from './view.ts';

/** Whether anything is wrong, since when, and who was told. */
export function Answer({
  totals,
  head,
  lead = '',
}: {
  readonly totals: Totals;
  readonly head: BoardHeadJson | undefined;
  /** The first words of the second line. */
  readonly lead?: string;
}) {
  return (
    <>
      <Headline totals={totals} />
      <p className="answer-line">
        {lead} {head === undefined ? ' ' : <SecondLine totals={totals} head={head} />} <ZoneNote />
      </p>
    </>
  );
}

function Headline({ totals }: { readonly totals: Totals }) {
  const { answer } = m.checks;
  const troubles = (['down', 'late', 'slow'] as const).filter((kind) => totals[kind] > 0);
  const calm = [
    ...(totals.fine > 0 ? [answer.fine(totals.fine)] : []),
    ...(totals.silent > 0 ? [answer.silent(totals.silent)] : []),
  ].join(', ');
  if (troubles.length > 0) {
    return (
      <h1>
        {troubles.map((kind, place) => (
          <span key={kind} className={kind}>
            {answer[kind](totals[kind])}
            {place === troubles.length - 1 ? '.' : ','}
          </span>
        ))}
        {calm !== '' && <span className="calm">{calm}.</span>}
      </h1>
    );
  }
  if (totals.fine === 0) return <h1>{answer.onlySilent(totals.silent)}</h1>;
  return (
    <h1>
      <Glyph shape="up" className="size-6 self-center" />
      <span>{answer.allFine(totals.fine)}</span>
      {totals.silent > 0 && <span className="calm">{answer.silent(totals.silent)}.</span>}
    </h1>
  );
}

function SecondLine({ totals, head }: { readonly totals: Totals; readonly head: BoardHeadJson }) {
  const { answer } = m.checks;
  const missed = head.pulse.missed.reduce((sum, count) => sum + count, 0);
  if (head.since.length === 0 || totals.down + totals.late + totals.slow === 0)
    return missed === 0 ? answer.calm : answer.missedSome(missed);
  return (
    <>
      <Sentence parts={sinceParts(head.since)} /> <Told told={head.told} channels={head.channels} />
    </>
  );
}

function Told({
  told,
  channels,
}: {
  readonly told: BoardHeadJson['told'];
  readonly channels: readonly BoardChannelJson[];
}) {
  const { answer } = m.checks;
  if (told === null) return null;
  if (told.missing.length === 0) return told.anybody ? answer.toldAll : answer.toldNoOne;
  return (
    <>
      {told.anybody ? answer.toldExcept : answer.toldNobody}{' '}
      {told.missing.map(({ channel, state, next }, place) => (
        <Fragment key={channel}>
          {place > 0 && '; '}
          <b>{channelName(channels, channel)}</b>: {state === 'delivered' ? '' : answer[state]}
          {state === 'retrying' && next !== null && (
            <>
              {' '}
              <ClockTime at={next} />
            </>
          )}
        </Fragment>
      ))}
      .
    </>
  );
}
