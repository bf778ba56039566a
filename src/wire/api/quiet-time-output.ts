import { uniqueKeyOf } from '../../domain/check/check.ts';
import { coversProject, type QuietTime } from '../../domain/check/quiet-time.ts';
import type { Span } from '../../domain/check/status.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';

export type QuietTimeJson = ReturnType<typeof quietTimeJson>;

/** A quiet time, and its span that runs or comes next. */
interface ListedQuietTime extends QuietTime {
  readonly checkUuids: readonly string[];
  readonly next: Span | null;
}

/** Who asks, and when. */
interface Viewer {
  readonly now: Instant;
  /** Whether they may know the UUIDs of checks. */
  readonly seesAddresses: boolean;
}

export function quietTimeJson(quietTime: ListedQuietTime, { now, seesAddresses }: Viewer) {
  const { uuid, name, reason, madeBy, checkUuids, tags, schedule, tz, durationSeconds, next } = quietTime;
  const isOnce = quietTime.untilAt !== null;
  return {
    ...{ uuid, name, reason, made_by: madeBy },
    checks: seesAddresses ? [...checkUuids] : checkUuids.map(uniqueKeyOf),
    tags,
    state: stateOf(next, now),
    /** Of the span that runs or comes next, or of the last one. */
    from: toIsoSeconds(next?.from ?? (isOnce ? quietTime.fromAt : null)),
    until: toIsoSeconds(next?.until ?? quietTime.untilAt),
    ...{ schedule: isOnce ? null : schedule, tz: isOnce ? null : tz, duration: durationSeconds },
    whole_project: coversProject(quietTime),
  };
}

function stateOf(next: Span | null, now: Instant): 'running' | 'coming' | 'over' {
  if (next === null) return 'over';
  return next.from <= now ? 'running' : 'coming';
}
