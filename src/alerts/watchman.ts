import type { Logger } from 'pino';
import { flipOverdue, nextDeadlineAt } from '../services/deadlines.ts';
import type { Deps } from '../services/deps.ts';

const LONGEST_REST_MS = 1_000;

/**
 * Watches deadlines: takes down what is overdue, else says how long there is nothing to do. The rest is bounded,
 * since an edit may bring a deadline closer than the one known; a ping cannot, its grace is a minute at least.
 */
export async function watchDeadlines(deps: Deps, log: Logger): Promise<true | number> {
  const onPoison = (checkId: number, err: unknown) =>
    log.error({ event: 'check.not_evaluated', checkId, err });
  if (await flipOverdue({ ...deps, onPoison })) return true;
  const next = await nextDeadlineAt(deps);
  if (next === null) return LONGEST_REST_MS;
  const micros = next - deps.clock.now();
  return Math.min(LONGEST_REST_MS, Math.max(1, Math.ceil(micros / 1000)));
}
