import type { Check } from '../../domain/check/check.ts';
import {
  COVERED_AHEAD,
  coveringAt,
  covers,
  nameOfSpan,
  nextSpan,
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
  const beginsAt = (due.nextAt ?? now) + COVERED_AHEAD;
  const span = nextSpan(due, beginsAt - 1);
  const isAsPlanned = span !== null && span.from === beginsAt && span.until > now;
  const isInTime = isAsPlanned && beginsAt > now;
  if (isAsPlanned) await coverAll(deps, due, isInTime ? span : null, beginsAt);
  // It is over already, or somebody has changed it, and did not live to change the checks.
  else await coverAll(deps, wholeProject(due.projectId), null);
  // In time, only this span was looked at. Otherwise all were that run by now, or begin so soon.
  const following = nextSpan(due, isInTime ? beginsAt : now + COVERED_AHEAD);
  await deps.store.transaction((tx) => tx.quietTimes.moveOn(due, coveringAt(following)));
}

/**
 * Covers the checks of the scope by the quiet times in force. With a span that was to come, those that it covers already are
 * left out. No span begins before `earliest`. Without it: before now.
 */
export async function coverAll(
  deps: CoverageDeps,
  scope: Scope,
  span: Span | null,
  earliest?: Instant,
): Promise<void> {
  for (let afterId: number | null = 0; afterId !== null; ) {
    const last: number = afterId;
    afterId = await deps.store.transaction(async (tx) => {
      const checks = await tx.checks.lockCovered(scope, span, last, MAX_AT_ONCE);
      await coverChecks(deps, tx, scope.projectId, checks, earliest);
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
  const inForce = new InForce(await tx.quietTimes.inForce(projectId, now), now);
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

function covered<C extends TaggedCheck>(check: C, inForce: InForce, now: Instant, earliest: Instant): C {
  const span = inForce.spanOf(check);
  const begun = span && { ...span, from: Math.max(span.from, Math.min(earliest, now)) };
  const after = orAsItIs(check, (one) => withQuietTime(one, begun, now));
  const isSame = after.quietFromAt === check.quietFromAt && after.quietUntilAt === check.quietUntilAt;
  return isSame ? check : after;
}

/** A check whose schedule cannot be evaluated stays as it is: it must not keep quiet times from others. */
function orAsItIs<C>(check: C, change: (check: C) => C): C {
  try {
    return change(check);
  } catch (error) {
    if (error instanceof ScheduleError) return check;
    throw error;
  }
}

/** Quiet times of a project that run or will come. Most of its checks are covered by the same ones: their span is found once. */
class InForce {
  readonly #quietTimes: readonly QuietTime[];
  readonly #now: Instant;
  readonly #spans = new Map<string, Span | null>();
  readonly #names = new Map<string, string>();

  constructor(quietTimes: readonly QuietTime[], now: Instant) {
    this.#quietTimes = quietTimes.filter((one) => isReadable(one, now));
    this.#now = now;
  }

  /** The span that covers the check now, or soon. */
  spanOf(check: TaggedCheck): Span | null {
    const own = this.#of(check);
    return this.#spans.getOrInsertComputed(keyOf(own), () => quietSpanAt(own, this.#now));
  }

  nameOf(check: TaggedCheck, span: Span): string {
    const own = this.#of(check);
    const key = `${keyOf(own)} ${span.from} ${span.until}`;
    return this.#names.getOrInsertComputed(key, () => nameOfSpan(span, own));
  }

  #of(check: TaggedCheck): readonly QuietTime[] {
    return this.#quietTimes.filter((quietTime) => covers(quietTime, check));
  }
}

function keyOf(quietTimes: readonly QuietTime[]): string {
  return quietTimes.map(({ id }) => id).join();
}

/** One that cannot be evaluated covers nothing. */
function isReadable(quietTime: QuietTime, now: Instant): boolean {
  try {
    spanAfter(quietTime, now);
    return true;
  } catch (error) {
    if (error instanceof ScheduleError) return false;
    throw error;
  }
}

/** Saves checks whose quiet time is another than before, and tells of outages that it held and does not hold any more. */
async function saveCovered(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  checks: readonly TaggedCheck[],
  inForce: InForce,
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
      return [{ checkId: check.id, ...span, name: inForce.nameOf(check, span) }];
    }),
  );
  await askPlan(deps, tx, ids, 'quiet_time', now);
}
