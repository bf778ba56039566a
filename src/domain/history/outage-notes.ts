import type { Outage } from '../policy/outage.ts';
import type { Answer } from './answer.ts';
import { answerParts, type SentencePart } from './status-sentence.ts';

type Sentence = readonly SentencePart[];

/** What people have said to an outage, and why nobody was told of it. `present`: why nothing is told of the check now. */
export function outageNotes(outage: Outage, present: Answer | null): Sentence[] {
  const { acknowledgedAt: at, acknowledgedBy: by, acknowledgedUntilAt: until, toldAt } = outage;
  const taken = at === null ? [] : [answerParts({ kind: 'acknowledged', by, at, until, gate: null })];
  const isHeld = outage.endedAt === null && present !== null && present.kind !== 'acknowledged';
  const held = isHeld ? [answerParts(present)] : [];
  const unheard: Sentence[] =
    outage.endedAt !== null && toldAt === null ? [['Nobody was told: it ended before.']] : [];
  return [...taken, ...held, ...unheard].map(capitalised);
}

function capitalised([first = '', ...rest]: Sentence): Sentence {
  return typeof first === 'string'
    ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest]
    : [first, ...rest];
}
