import type { Check } from '../../domain/check/check.ts';
import {
  COVERED_AHEAD,
  coveringAt,
  covers,
  nameOfSpan,
  type QuietTime,
  quietSpanAt,
  spanAfter,
} from '../../domain/check/quiet-time.ts';
import { quietSpanOf, type Span } from '../../domain/check/status.ts';
import { withQuietTime } from '../../domain/ping/transition.ts';
import { ScheduleError } from '../../domain/schedule/schedule.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { TaggedCheck, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { askPlan } from '../core/outages.ts';

/** Checks covered in one transaction. It is kept short so that pings do not wait long for the locks. */
const MAX_AT_ONCE = 200;
/** A quiet time that cannot be evaluated is tried again after this time. */
const POISON_PAUSE = seconds(3600);

/** Which checks of a project are meant. Without ids and tags all of them. */
export type Scope = Pick<QuietTime, 'projectId' | 'checkIds' | 'tags'>;

export const wholeProject = (projectId: number): Scope => ({ projectId, checkIds: [], tags: '' });

type CoverageDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

export interface BeginDeps extends CoverageDeps {
  /** Called for a quiet time whose schedule cannot be evaluated. The others begin as usual. */
  readonly onPoison: (uuid: string, error: unknown) => void;
}

/** No quiet time has to cover its checks before this time. Null when none comes. */
export async function nextQuietTimeAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.quietTimes.nextAt();
}

/** Covers the checks of the quiet time that was due first by `now`. Returns whether any was. */
export async function beginQuietTime(deps: BeginDeps, now = deps.clock.now()): Promise<boolean> {
  const due = await deps.store.transaction((tx) => tx.quietTimes.firstDue(now));
  if (due === null) return false;
  try {
    await begin(deps, due, now);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    deps.onPoison(due.uuid, error);
    await deps.store.transaction((tx) => tx.quietTimes.moveOn(due, now + POISON_PAUSE));
  }
  return true;
}

async function begin(deps: CoverageDeps, due: QuietTime, now: Instant): Promise<void> {
  const span = spanAfter(due, Math.max((due.nextAt ?? now) + COVERED_AHEAD, now));
  // Otherwise somebody has changed it, and did not live to change the checks.
  const isAsPlanned = span !== null && due.nextAt === span.from - COVERED_AHEAD;
  if (isAsPlanned) await coverAll(deps, due, span);
  else await coverAll(deps, wholeProject(due.projectId), null);
  const following = isAsPlanned ? coveringAt(due, span.until) : coveringAt(due, now);
  await deps.store.transaction((tx) => tx.quietTimes.moveOn(due, following));
}

/**
 * Covers the checks of the scope by the quiet times in force. With a span that was to come, those that it covers already are
 * left out.
 */
export async function coverAll(deps: CoverageDeps, scope: Scope, span: Span | null): Promise<void> {
  for (let afterId: number | null = 0; afterId !== null; ) {
    const last: number = afterId;
    afterId = await deps.store.transaction(async (tx) => {
      const checks = await tx.checks.lockCovered(scope, span, last, MAX_AT_ONCE);
      await coverChecks(deps, tx, scope.projectId, checks, span?.from);
      return checks.length < MAX_AT_ONCE ? null : (checks.at(-1)?.id ?? null);
    });
  }
}

/**
 * Looks which quiet times cover these checks of a project now, and saves those that change. They are locked. Returns all of
 * them as they are then. No span begins before `earliest`: what has happened until now is not judged anew.
 */
export async function coverChecks<C extends TaggedCheck>(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  projectId: number,
  checks: readonly C[],
  earliest = deps.clock.now(),
): Promise<C[]> {
  if (checks.length === 0) return [];
  const now = deps.clock.now();
  const inForce = await tx.quietTimes.inForce(projectId, now);
  const all = checks.map((check) => ({ before: check, after: covered(check, inForce, now, earliest) }));
  const changed = all.filter(({ before, after }) => before !== after).map(({ after }) => after);
  if (changed.length > 0) await saveCovered(deps, tx, changed, inForce, now);
  return all.map(({ after }) => after);
}

/** Looks anew which quiet times cover a check that is saved, if it has other tags than before. */
export async function recoverTagged(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  before: Pick<TaggedCheck, 'tags'>,
  check: Check,
): Promise<Check> {
  return before.tags === check.tags ? check : cover(deps, tx, check);
}

/** Looks which quiet times cover a check that is saved, and saves it if that changes. */
export async function cover(deps: Pick<Deps, 'clock' | 'random'>, tx: Writes, check: Check): Promise<Check> {
  const [after = check] = await coverChecks(deps, tx, check.projectId, [check]);
  return after;
}

function covered<C extends TaggedCheck>(
  check: C,
  inForce: readonly QuietTime[],
  now: Instant,
  earliest: Instant,
): C {
  const span = quietSpanAt(quietTimesOf(check, inForce), now);
  const begun = span && { ...span, from: Math.max(span.from, Math.min(earliest, now)) };
  const after = withQuietTime(check, begun, now);
  const isSame = after.quietFromAt === check.quietFromAt && after.quietUntilAt === check.quietUntilAt;
  return isSame ? check : after;
}

const quietTimesOf = (check: TaggedCheck, inForce: readonly QuietTime[]) =>
  inForce.filter((quietTime) => covers(quietTime, check));

/** Saves checks whose quiet time is another than before, and tells of outages that it held and does not hold any more. */
async function saveCovered(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  checks: readonly TaggedCheck[],
  inForce: readonly QuietTime[],
  now: Instant,
): Promise<void> {
  const ids = checks.map(({ id }) => id);
  await tx.checks.saveStates(checks);
  // What has not begun, and what these checks are covered by now, replaces it.
  await tx.quietTimes.deleteSpansFrom(ids, now);
  await tx.quietTimes.saveSpans(
    checks.flatMap((check) => {
      const span = quietSpanOf(check);
      if (span === null) return [];
      return [{ checkId: check.id, ...span, name: nameOfSpan(span, quietTimesOf(check, inForce)) }];
    }),
  );
  await askPlan(deps, tx, ids, 'quiet_time', now);
}
