import type { Check } from '../../domain/check/check.ts';
import {
  COVERED_AHEAD,
  Coverage,
  coveringAt,
  coversProject,
  nameOfSpan,
  nextSpan,
  type QuietTime,
  quietSpanAt,
  rememberingSpans,
} from '../../domain/check/quiet-time.ts';
import { quietSpanOf, type Span } from '../../domain/check/status.ts';
import { splitTags } from '../../domain/check/tags.ts';
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

/** What has to be covered in a project: some of its quiet times begin, or are looked at anew. */
interface Beginning {
  readonly projectId: number;
  readonly due: readonly Due[];
  /** Those of them that begin as planned. */
  readonly planned: Coverage<Planned>;
  readonly scope: Scope;
  /** A span that was to come, if it is the only one. */
  readonly span: Span | null;
  /** The last check that was looked at. */
  afterId: number;
}

interface Planned extends Pick<QuietTime, 'checkIds' | 'tags'> {
  /** No span begins before that. */
  readonly earliest: Instant;
}

interface Due {
  readonly quietTime: QuietTime;
  /** Null: it does not begin as planned. Then no span begins before now. */
  readonly earliest: Instant | null;
  /** When it has to cover its checks again. */
  readonly next: Instant | null;
}

/**
 * Begins quiet times that are due. Accounts take turns, some hundred checks each, so that none of them keeps the others waiting. All
 * that are due in a project are begun together: each check is looked at once.
 */
export class QuietTimeTurns {
  readonly #deps: BeginDeps;
  /** By account. */
  readonly #begun = new Map<number, Beginning>();
  #lastAccount = 0;

  constructor(deps: BeginDeps) {
    this.#deps = deps;
  }

  /** Gives the next account a turn. Returns whether anything was due. */
  async next(now = this.#deps.clock.now()): Promise<boolean> {
    const { store } = this.#deps;
    const account = await store.quietTimes.nextAccount(now, this.#lastAccount);
    if (account === null) {
      this.#begun.clear();
      return false;
    }
    this.#lastAccount = account;
    const beginning = this.#begun.get(account) ?? (await this.#begin(account, now));
    if (beginning === null) return true;
    this.#begun.set(account, beginning);
    await store.transaction(async (tx) => {
      if (await coverSome(this.#deps, tx, beginning)) return;
      this.#begun.delete(account);
      for (const { quietTime, next } of beginning.due) await tx.quietTimes.moveOn(quietTime, next);
    });
    return true;
  }

  /** Null: none of them can be evaluated. */
  async #begin(account: number, now: Instant): Promise<Beginning | null> {
    const { store } = this.#deps;
    const quietTimes = await store.quietTimes.dueOf(account, now);
    const due: (Due & { readonly span: Span | null })[] = [];
    for (const quietTime of quietTimes)
      try {
        due.push({ quietTime, ...dueAt(quietTime, now) });
      } catch (error) {
        if (!(error instanceof ScheduleError)) throw error;
        this.#deps.onPoison(quietTime.uuid, error);
        await store.transaction((tx) => tx.quietTimes.moveOn(quietTime, now + POISON_PAUSE));
      }
    const [first] = due;
    if (first === undefined) return null;
    const { projectId } = first.quietTime;
    const scopes = due.map(({ quietTime, earliest }) =>
      earliest === null ? wholeProject(projectId) : quietTime,
    );
    return {
      projectId,
      due,
      planned: new Coverage(
        due.flatMap(({ quietTime: { checkIds, tags }, earliest }) =>
          earliest === null ? [] : [{ checkIds, tags, earliest }],
        ),
      ),
      scope: scopes.some(coversProject)
        ? wholeProject(projectId)
        : {
            projectId,
            checkIds: [...new Set(scopes.flatMap(({ checkIds }) => checkIds))],
            tags: [...new Set(scopes.flatMap(({ tags }) => splitTags(tags)))].join(' '),
          },
      span: due.length === 1 ? first.span : null,
      afterId: 0,
    };
  }
}

/** Begins all that are due. */
export async function beginQuietTimes(deps: BeginDeps, now = deps.clock.now()): Promise<void> {
  const turns = new QuietTimeTurns(deps);
  while (await turns.next(now));
}

/** Covers the next checks. Returns whether there may be more. */
async function coverSome(deps: CoverageDeps, tx: Writes, beginning: Beginning): Promise<boolean> {
  const { projectId, planned, scope, span } = beginning;
  const checks = await tx.checks.lockCovered(scope, span, beginning.afterId, MAX_AT_ONCE);
  const now = deps.clock.now();
  const earliestOf = (check: TaggedCheck) =>
    Math.min(now, ...planned.of(check).map(({ earliest }) => earliest));
  await coverChecks(deps, tx, projectId, checks, earliestOf);
  beginning.afterId = checks.at(-1)?.id ?? beginning.afterId;
  return checks.length === MAX_AT_ONCE;
}

function dueAt(quietTime: QuietTime, now: Instant): Omit<Due, 'quietTime'> & { readonly span: Span | null } {
  const beginsAt = (quietTime.nextAt ?? now) + COVERED_AHEAD;
  const span = nextSpan(quietTime, beginsAt - 1);
  const isAsPlanned = span !== null && span.from === beginsAt && span.until > now;
  const isInTime = isAsPlanned && beginsAt > now;
  // In time, only this span was looked at. Otherwise all were that run by now, or begin so soon.
  const following = nextSpan(quietTime, isInTime ? beginsAt : now + COVERED_AHEAD);
  return {
    // It is over already, or somebody has changed it, and did not live to change the checks: then all checks are looked at.
    earliest: isAsPlanned ? beginsAt : null,
    span: isInTime ? span : null,
    next: coveringAt(following),
  };
}

/** Covers the checks of the scope by the quiet times in force. */
export async function coverAll(deps: CoverageDeps, scope: Scope): Promise<void> {
  const beginning: Beginning = {
    projectId: scope.projectId,
    due: [],
    planned: new Coverage([]),
    scope,
    span: null,
    afterId: 0,
  };
  while (await deps.store.transaction((tx) => coverSome(deps, tx, beginning)));
}

/**
 * Looks which quiet times cover these checks of a project now, and saves those that change. They are locked. Returns all of
 * them as they are then. No span of a check begins before `earliestOf` it: what has happened until now is not judged anew.
 */
export async function coverChecks<C extends TaggedCheck>(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  projectId: number,
  checks: readonly C[],
  earliestOf: (check: C) => Instant = () => deps.clock.now(),
): Promise<C[]> {
  if (checks.length === 0) return [];
  const now = deps.clock.now();
  const inForce = new InForce(await tx.quietTimes.inForce(projectId, now), now);
  const followers = inForce.followers(checks);
  if (followers.size > 0) await tx.quietTimes.lookAgain(followers);
  const all = checks.map((check) => ({
    before: check,
    after: covered(check, inForce, now, earliestOf(check)),
  }));
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
  readonly #coverage: Coverage<QuietTime>;
  readonly #now: Instant;
  readonly #spanAfter = rememberingSpans();
  readonly #spans = new Map<string, Span | null>();
  readonly #names = new Map<string, string>();

  constructor(quietTimes: readonly QuietTime[], now: Instant) {
    this.#now = now;
    this.#coverage = new Coverage(quietTimes.filter((one) => this.#isReadable(one)));
  }

  /** The span that covers the check now, or soon. */
  spanOf(check: TaggedCheck): Span | null {
    const own = this.#coverage.of(check);
    return this.#spans.getOrInsertComputed(keyOf(own), () => quietSpanAt(own, this.#now, this.#spanAfter));
  }

  /**
   * Quiet times that begin soon after one that covers some of these checks until then. A check has one span at a time, so that they
   * have to cover their checks again at that end.
   */
  followers(checks: readonly TaggedCheck[]): Map<QuietTime, Instant> {
    const followers = new Map<QuietTime, Instant>();
    const seen = new Set<string>();
    for (const check of checks) {
      const own = this.#coverage.of(check);
      const span = own.length < 2 || seen.has(keyOf(own)) ? null : this.spanOf(check);
      seen.add(keyOf(own));
      if (span === null) continue;
      for (const quietTime of own) {
        const next = this.#spanAfter(quietTime, span.until);
        if (next === null || next.from <= span.until || next.from > this.#now + COVERED_AHEAD) continue;
        followers.set(quietTime, Math.min(span.until, followers.get(quietTime) ?? span.until));
      }
    }
    return followers;
  }

  nameOf(check: TaggedCheck, span: Span): string {
    const own = this.#coverage.of(check);
    const key = `${keyOf(own)} ${span.from} ${span.until}`;
    return this.#names.getOrInsertComputed(key, () => nameOfSpan(span, own, this.#spanAfter));
  }

  /** One that cannot be evaluated covers nothing. */
  #isReadable(quietTime: QuietTime): boolean {
    try {
      this.#spanAfter(quietTime, this.#now);
      return true;
    } catch (error) {
      if (error instanceof ScheduleError) return false;
      throw error;
    }
  }
}

function keyOf(quietTimes: readonly QuietTime[]): string {
  return quietTimes.map(({ id }) => id).join();
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
