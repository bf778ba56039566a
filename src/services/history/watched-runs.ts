import { ALWAYS_WATCHED, type Unwatched } from '../../domain/check/occurrences.ts';
import { type Run, type RunFlip, type RunHistory, type RunPing, runsOf } from '../../domain/history/run.ts';
import type { Deps } from '../core/deps.ts';
import { pastQuietTimes } from '../core/quiet-spans.ts';

type Watched = Pick<RunHistory, 'pings' | 'now'> & {
  readonly check: RunHistory['check'] & { readonly id: number };
};

/**
 * Tells a history again if some of what was missed in it may only be unknown or skipped, because nobody watched, or in a quiet
 * time. Most histories miss nothing, and cost no statement.
 */
export async function inSight<T>(
  { store }: Pick<Deps, 'store'>,
  { pings, check, now }: Watched,
  tell: (unwatched: Unwatched) => T,
  hasMissed: (told: T) => boolean,
): Promise<T> {
  const told = tell(ALWAYS_WATCHED);
  if (!hasMissed(told)) return told;
  const since = pings[0]?.createdAt ?? check.lastPingAt ?? now;
  const blind = await store.liveness.blindSpansSince(since);
  const quiet = (await pastQuietTimes(store, [check], since))(check);
  return blind.length + quiet.length === 0 ? told : tell({ quiet, blind });
}

/** The runs of a check, with what is unknown. */
export async function readRunsOf(
  deps: Pick<Deps, 'store'>,
  history: Omit<RunHistory, 'unwatched' | 'check'> & Watched,
): Promise<Run[]> {
  return inSight(
    deps,
    history,
    (unwatched) => runsOf({ ...history, unwatched }),
    (runs) => runs.some(({ result }) => result === 'missed'),
  );
}

/** The flips of these pings. One from before them, if there were others, would be a missed run out of its place. */
export function flipsOf<Flip extends RunFlip>(
  [oldest]: readonly RunPing[],
  flips: readonly Flip[],
): readonly Flip[] {
  return oldest === undefined || oldest.n === 1
    ? flips
    : flips.filter(({ createdAt }) => createdAt >= oldest.createdAt);
}
