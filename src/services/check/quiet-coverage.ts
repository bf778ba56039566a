import type { Check } from '../../domain/check/check.ts';
import {
  COVERED_AHEAD,
  coveringAt,
  covers,
  type QuietTime,
  quietSpanAt,
  spanAfter,
} from '../../domain/check/quiet-time.ts';
import { quietSpanOf, type Span } from '../../domain/check/status.ts';
import { withQuietTime } from '../../domain/ping/transition.ts';
import type { Instant } from '../../lib/instant.ts';
import type { TaggedCheck, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** Checks covered in one transaction. It is kept short so that pings do not wait long for the locks. */
const MAX_AT_ONCE = 200;
/** The longest rest of the loop: an edit may bring a quiet time closer. */
const MAX_REST_MS = 1_000;

/** Which checks of a project are meant. Without ids and tags all of them. */
export type Scope = Pick<QuietTime, 'projectId' | 'checkIds' | 'tags'>;

export const wholeProject = (projectId: number): Scope => ({ projectId, checkIds: [], tags: '' });

type CoverageDeps = Pick<Deps, 'store' | 'clock'>;

/** Covers the checks of the quiet time that begins next, if it begins soon. Returns how many milliseconds to rest when none does. */
export async function beginQuietTimes(deps: CoverageDeps): Promise<true | number> {
  const now = deps.clock.now();
  const next = await deps.store.quietTimes.nextAt();
  if (next === null || next > now)
    return Math.min(MAX_REST_MS, next === null ? MAX_REST_MS : Math.ceil((next - now) / 1000));
  const due = await deps.store.transaction((tx) => tx.quietTimes.firstDue(now));
  if (due !== null) await begin(deps, due, now);
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

/** Covers the checks of the scope by the quiet times in force. With a span, those that it covers already are left out. */
export async function coverAll(deps: CoverageDeps, scope: Scope, span: Span | null): Promise<void> {
  for (let afterId: number | null = 0; afterId !== null; ) {
    const last: number = afterId;
    afterId = await deps.store.transaction(async (tx) => {
      const checks = await tx.checks.lockCovered(scope, span, last, MAX_AT_ONCE);
      await coverChecks(tx, scope.projectId, checks, deps.clock.now());
      return checks.length < MAX_AT_ONCE ? null : (checks.at(-1)?.id ?? null);
    });
  }
}

/**
 * Looks which quiet times cover these checks of a project now, and saves those that change. They are locked. Returns all of
 * them as they are then.
 */
export async function coverChecks<C extends TaggedCheck>(
  tx: Writes,
  projectId: number,
  checks: readonly C[],
  now: Instant,
): Promise<C[]> {
  if (checks.length === 0) return [];
  const inForce = await tx.quietTimes.inForce(projectId, now);
  const all = checks.map((check) => ({ before: check, after: covered(check, inForce, now) }));
  const changed = all.filter(({ before, after }) => before !== after).map(({ after }) => after);
  if (changed.length > 0) await saveCovered(tx, changed, now);
  return all.map(({ after }) => after);
}

/** Looks anew which quiet times cover a check that is saved, if it has other tags than before. */
export async function recoverTagged(
  tx: Writes,
  before: Pick<TaggedCheck, 'tags'>,
  check: Check,
  now: Instant,
): Promise<Check> {
  return before.tags === check.tags ? check : cover(tx, check, now);
}

/** Looks which quiet times cover a check that is saved, and saves it if that changes. */
export async function cover(tx: Writes, check: Check, now: Instant): Promise<Check> {
  const [after = check] = await coverChecks(tx, check.projectId, [check], now);
  return after;
}

function covered<C extends TaggedCheck>(check: C, inForce: readonly QuietTime[], now: Instant): C {
  const span = quietSpanAt(
    inForce.filter((quietTime) => covers(quietTime, check)),
    now,
  );
  const after = withQuietTime(check, span, now);
  const isSame = after.quietFromAt === check.quietFromAt && after.quietUntilAt === check.quietUntilAt;
  return isSame ? check : after;
}

async function saveCovered(tx: Writes, checks: readonly TaggedCheck[], now: Instant): Promise<void> {
  await tx.checks.saveStates(checks);
  // What has not begun, and what these checks are covered by now, replaces it.
  await tx.quietTimes.deleteSpansFrom(
    checks.map(({ id }) => id),
    now,
  );
  await tx.quietTimes.saveSpans(
    checks.flatMap((check) => {
      const span = quietSpanOf(check);
      return span === null ? [] : [{ checkId: check.id, ...span }];
    }),
  );
}
