import type { Instant } from '../../lib/instant.ts';
import type { CheckSummary } from '../check/check.ts';
import type { Outage } from '../policy/outage.ts';
import { answerOf } from './answer.ts';
import { answerParts, type SentencePart } from './status-sentence.ts';

type Sentence = readonly SentencePart[];

/** What people have said to an outage, and why nobody was told of it. */
export function outageNotes(
  outage: Outage,
  check: Pick<CheckSummary, 'snoozedUntilAt' | 'snoozedBy' | 'quietFromAt' | 'quietUntilAt'>,
  now: Instant,
): Sentence[] {
  const { acknowledgedAt: at, acknowledgedBy: by, acknowledgedUntilAt: until, toldAt } = outage;
  const taken = at === null ? [] : [answerParts({ kind: 'acknowledged', by, at, until, gate: null })];
  const present = outage.endedAt === null ? answerOf({ check, isDown: true, outage }, now) : null;
  const held = present === null || present.kind === 'acknowledged' ? [] : [answerParts(present)];
  const unheard: Sentence[] =
    outage.endedAt !== null && toldAt === null ? [['Nobody was told: it ended before.']] : [];
  return [...taken, ...held, ...unheard].map(capitalised);
}

function capitalised([first = '', ...rest]: Sentence): Sentence {
  return typeof first === 'string'
    ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest]
    : [first, ...rest];
}
