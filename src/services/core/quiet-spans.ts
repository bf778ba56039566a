import type { Span } from '../../domain/check/status.ts';
import type { CheckToTell, Reads } from '../../storage/store.ts';

/** The quiet times of a check, as far as a plan asks for them. */
export interface QuietSpans {
  /** The one that lasts now. */
  readonly current: Span | null;
  /** Those since its last end: runs in them were not expected. */
  readonly sinceLastEnd: readonly Span[];
}

const NONE: QuietSpans = { current: null, sinceLastEnd: [] };

/** The quiet times of each of the checks. */
export async function quietSpansOf(
  _reads: Pick<Reads, 'outages'>,
  _checks: readonly CheckToTell[],
): Promise<(check: CheckToTell) => QuietSpans> {
  return () => NONE;
}
