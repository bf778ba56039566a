import type { Check } from '../../domain/check/check.ts';
import { quietSpanOf, type Span } from '../../domain/check/status.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckToTell, QuietSpan, Reads } from '../../storage/store.ts';

/** The quiet times of a check, as far as a plan asks for them. */
export interface QuietSpans {
  /** The one that lasts now, that comes next, or that was the last. */
  readonly current: Span | null;
  /** Those since its last end: runs in them were not expected. */
  readonly sinceLastEnd: readonly Span[];
}

/** The quiet times of each of the checks. */
export async function quietSpansOf(
  reads: Pick<Reads, 'quietTimes'>,
  checks: readonly CheckToTell[],
): Promise<(check: CheckToTell) => QuietSpans> {
  const since = Math.min(...checks.map(({ lastPingAt }) => lastPingAt ?? 0));
  const pastOf = await pastQuietTimes(reads, checks, since);
  return (check) => ({
    current: quietSpanOf(check),
    sinceLastEnd: pastOf(check).filter(({ until }) => until > (check.lastPingAt ?? 0)),
  });
}

type Covered = Pick<Check, 'id' | 'quietFromAt'>;

/** The quiet times of checks that ended after `since`, in order of time. Nothing is read for checks that never had any. */
export async function pastQuietTimes(
  { quietTimes }: Pick<Reads, 'quietTimes'>,
  checks: readonly Covered[],
  since: Instant,
): Promise<(check: Pick<Covered, 'id'>) => readonly QuietSpan[]> {
  const ids = checks.filter(({ quietFromAt }) => quietFromAt !== null).map(({ id }) => id);
  const byCheck = Map.groupBy(await quietTimes.spansSince(ids, since), ({ checkId }) => checkId);
  return ({ id }) => byCheck.get(id) ?? [];
}
