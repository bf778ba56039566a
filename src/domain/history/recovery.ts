import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { ageText } from '../../lib/text/ages.ts';
import type { Flip } from '../check/flip.ts';
import type { SentencePart } from './status-sentence.ts';

/** A recovery is told for so long. */
const TOLD_FOR: Micros = seconds(6 * 3_600);

/** An outage that is over. */
export interface Recovery {
  readonly sentence: readonly SentencePart[];
  /** The change of status that began it. Null if it is no longer stored. */
  readonly fallId: number | null;
}

/** `flips` are the last changes of status, newest first. Null unless the check recovered within the last hours. */
export function recoveryOf([last, before]: readonly Flip[], now: Instant): Recovery | null {
  if (last?.newStatus !== 'up' || last.oldStatus !== 'down' || now - last.createdAt > TOLD_FOR) return null;
  const end: SentencePart = { at: last.createdAt, as: 'clock' };
  if (before?.newStatus !== 'down') return { sentence: ['Recovered ', end, '.'], fallId: null };
  const lasted = ` (${ageText(last.createdAt - before.createdAt)}).`;
  return {
    sentence: ['Was down from ', { at: before.createdAt, as: 'clock' }, ' to ', end, lasted],
    fallId: before.id,
  };
}
