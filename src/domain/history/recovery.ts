import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { ageText } from '../../lib/text/ages.ts';
import type { Flip } from '../check/flip.ts';
import { missedRunsText } from './missed-runs.ts';
import { missedAmong, type Run } from './run.ts';
import type { SentencePart } from './status-sentence.ts';

/** A recovery is told for so long. */
const TOLD_FOR: Micros = seconds(6 * 3_600);

/** An outage that is over. */
export interface Recovery {
  readonly sentence: readonly SentencePart[];
  /** The changes of status that began and ended it. The first may no longer be stored. */
  readonly flipIds: readonly number[];
}

/**
 * `flips` are the last changes of status, newest first, and `runs` the last runs. Null unless the check recovered within the
 * last hours.
 */
export function recoveryOf(
  [last, before]: readonly Flip[],
  runs: readonly Run[],
  now: Instant,
): Recovery | null {
  if (last?.newStatus !== 'up' || last.oldStatus !== 'down' || now - last.createdAt > TOLD_FOR) return null;
  const end: SentencePart = { at: last.createdAt, as: 'clock' };
  if (before?.newStatus !== 'down') return { sentence: ['Recovered ', end, '.'], flipIds: [last.id] };
  const reason = reasonOf(before, runs);
  const lasted = ` (${ageText(last.createdAt - before.createdAt)})${reason === '' ? '' : `: ${reason}`}.`;
  return {
    sentence: ['Was down from ', { at: before.createdAt, as: 'clock' }, ' to ', end, lasted],
    flipIds: [before.id, last.id],
  };
}

/** Why the check went down. Empty if that is not known: somebody has changed its schedule. */
function reasonOf({ reason, createdAt }: Flip, runs: readonly Run[]): string {
  const run = runs.find(({ result, at }) => result === 'failed' && at === createdAt);
  if (reason === 'fail') return run?.exitStatus ? `exit status ${run.exitStatus}` : 'a run failed';
  if (reason === '') return '';
  if (run !== undefined) return 'a run did not finish in time';
  const missed = missedRunsText(missedAmong(runs.filter(({ at }) => at >= createdAt)));
  return missed === '' ? 'no ping came' : `${missed} never came`;
}
