import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../../domain/check/check.ts';
import { flipsStoredFrom } from '../../domain/check/flip.ts';
import {
  COVERED_AHEAD,
  Coverage,
  coveringAt,
  MAX_QUIET_AHEAD,
  MAX_QUIET_SECONDS,
  MAX_QUIET_TIMES,
  MIN_QUIET_SECONDS,
  type NewQuietTime,
  nextSpan,
  type QuietTime,
  type QuietTimeInput,
  quietTimeName,
  spanAfter,
} from '../../domain/check/quiet-time.ts';
import type { Span } from '../../domain/check/status.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { AppError } from '../../domain/errors.ts';
import { differences, shownName } from '../../domain/people/audit.ts';
import { nextOccurrence, ScheduleError, validateSchedule } from '../../domain/schedule/schedule.ts';
import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import { type Instant, type Micros, seconds, toIsoSeconds } from '../../lib/instant.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam } from '../project/team.ts';
import { coverAll } from './quiet-coverage.ts';

/** A quiet time, the checks that it names, and its span that runs or comes next. */
export interface ListedQuietTime extends QuietTime {
  readonly checkUuids: readonly string[];
  readonly next: Span | null;
}

type QuietTimeDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/** Those that run or will come first, then those that are over. */
export async function listQuietTimes(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
): Promise<ListedQuietTime[]> {
  requirePermission(actor, 'policies.view');
  const all = await listed(deps, deps.store, await deps.store.quietTimes.ofProject(actor.projectId));
  return [...all.filter(({ next }) => next !== null), ...all.filter(({ next }) => next === null)];
}

/** The quiet times in which a check is now, in order of creation. */
export async function runningQuietTimes(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  check: Pick<Check, 'id' | 'projectId' | 'tags'>,
): Promise<QuietTime[]> {
  const now = clock.now();
  const own = new Coverage(await store.quietTimes.inForce(check.projectId, now)).of(check);
  return own.filter((quietTime) => (spanAfter(quietTime, now)?.from ?? now + 1) <= now);
}

export async function getQuietTime(
  deps: QuietTimeDeps,
  actor: Actor,
  uuid: string,
): Promise<ListedQuietTime> {
  requirePermission(actor, 'policies.view');
  return oneListed(deps, await ownQuietTime(deps.store, actor, uuid));
}

async function ownQuietTime(
  store: Pick<Reads, 'quietTimes'>,
  actor: Actor,
  uuid: string,
): Promise<QuietTime> {
  const found = await store.quietTimes.byUuid(actor.projectId, uuid);
  if (found === null) throw new AppError('quiet_time_not_found');
  return found;
}

/**
 * Announces a quiet time, and forgets those that ended before the flips that are kept. It replaces another one of its name that runs
 * or will come: a deployment that is tried again leaves one. Without a name of its own, it does so if it is for the same checks.
 */
export async function announceQuietTime(
  deps: QuietTimeDeps,
  actor: Actor,
  input: QuietTimeInput,
): Promise<ListedQuietTime & { readonly isNew: boolean }> {
  requirePermission(actor, 'policies.edit');
  const { quietTime, before } = await deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    await tx.projects.usePolicies(actor.projectId);
    const now = deps.clock.now();
    await tx.quietTimes.deleteOver(actor.projectId, flipsStoredFrom(now));
    const wanted = { ...(await newQuietTime(deps, tx, actor, input, now)), madeBy: shownName(actor.by) };
    const inForce = await tx.quietTimes.inForce(actor.projectId, now);
    const before = inForce.find(
      (one) =>
        one.name === wanted.name &&
        one.schedule === wanted.schedule &&
        (input.name !== '' || coversSame(one, wanted)),
    );
    if (before !== undefined) {
      // A retry moves the end of one that runs, and not its beginning.
      const fromAt = wanted.fromAt === now ? Math.min(before.fromAt, now) : wanted.fromAt;
      return { quietTime: await save(deps, tx, actor, before, { ...wanted, fromAt }), before };
    }
    if (inForce.length >= MAX_QUIET_TIMES) throw new AppError('quiet_time_limit_reached');
    const quietTime = await tx.quietTimes.insert(wanted);
    await record(deps, tx, actor, 'quiet_time.created', quietTime, { after: factsOf(quietTime) });
    return { quietTime, before: null };
  });
  const begun = await apply(deps, before, quietTime);
  return { ...(await oneListed(deps, begun)), isNew: before === null };
}

export async function editQuietTime(
  deps: QuietTimeDeps,
  actor: Actor,
  uuid: string,
  input: QuietTimeInput,
): Promise<ListedQuietTime> {
  requirePermission(actor, 'policies.edit');
  const { before, after } = await deps.store.transaction(async (tx) => {
    const before = await lockOwn(tx, actor, uuid);
    const wanted = await newQuietTime(deps, tx, actor, input, deps.clock.now());
    return { before, after: await save(deps, tx, actor, before, wanted) };
  });
  return oneListed(deps, await apply(deps, before, after));
}

/** Ends the span that runs, now. A recurring one comes again. One that has not begun never does. */
export async function stopQuietTime(
  deps: QuietTimeDeps,
  actor: Actor,
  uuid: string,
): Promise<ListedQuietTime> {
  requirePermission(actor, 'policies.edit');
  const { before, after } = await deps.store.transaction(async (tx) => {
    const before = await lockOwn(tx, actor, uuid);
    const after = stopped(before, deps.clock.now());
    await tx.quietTimes.update(after);
    await record(deps, tx, actor, 'quiet_time.stopped', after, differences(factsOf(before), factsOf(after)));
    return { before, after };
  });
  return oneListed(deps, await apply(deps, before, after));
}

export async function deleteQuietTime(
  deps: QuietTimeDeps,
  actor: Actor,
  uuid: string,
): Promise<ListedQuietTime> {
  requirePermission(actor, 'policies.edit');
  const { quietTime, over } = await deps.store.transaction(async (tx) => {
    const quietTime = await lockOwn(tx, actor, uuid);
    // It is over before it is gone, so that a crash in between does not leave checks quiet.
    const over: QuietTime = { ...stopped({ ...quietTime, ...ONCE_OVER }, deps.clock.now()) };
    await tx.quietTimes.update(over);
    await record(deps, tx, actor, 'quiet_time.deleted', quietTime, { before: factsOf(quietTime) });
    return { quietTime, over };
  });
  await apply(deps, quietTime, over);
  await deps.store.transaction((tx) => tx.quietTimes.delete(quietTime.projectId, quietTime.id));
  return oneListed(deps, quietTime);
}

const ONCE_OVER = { schedule: '', untilAt: 0 } as const;

async function lockOwn(tx: Writes, actor: Actor, uuid: string): Promise<QuietTime> {
  await lockTeam(tx, actor, 'policies.edit');
  return ownQuietTime(tx, actor, uuid);
}

function stopped(quietTime: QuietTime, now: Instant): QuietTime {
  const { fromAt, untilAt } = quietTime;
  // A span that begins at this very instant is over, too.
  if (untilAt === null) return { ...quietTime, fromAt: now + 1, nextAt: now };
  return { ...quietTime, fromAt: Math.min(fromAt, now), untilAt: Math.min(untilAt, now), nextAt: now };
}

async function save(
  deps: QuietTimeDeps,
  tx: Writes,
  actor: Actor,
  before: QuietTime,
  wanted: Omit<NewQuietTime, 'madeBy'>,
): Promise<QuietTime> {
  const { uuid, createdAt, madeBy } = before;
  // A span that was stopped stays over.
  const fromAt = before.untilAt === null && wanted.untilAt === null ? before.fromAt : wanted.fromAt;
  const kept = { id: before.id, uuid, createdAt, madeBy };
  const after: QuietTime = { ...wanted, ...kept, fromAt, nextAt: deps.clock.now() };
  const changed = differences(factsOf(before), factsOf(after));
  if (changed === null && isDeepStrictEqual(before.checkIds, after.checkIds)) return before;
  await tx.quietTimes.update(after);
  await record(deps, tx, actor, 'quiet_time.edited', after, changed);
  return after;
}

/**
 * Covers the checks, if it runs or begins soon, and uncovers those that it covered before. A node that dies meanwhile leaves
 * `nextAt` in the past, and the loop does the rest.
 */
async function apply(deps: QuietTimeDeps, before: QuietTime | null, after: QuietTime): Promise<QuietTime> {
  const now = deps.clock.now();
  if (after.nextAt === null || after.nextAt > now) return after;
  if (before !== null) await coverAll(deps, before);
  await coverAll(deps, after);
  // What runs by now, or begins so soon, is covered.
  const nextAt = coveringAt(nextSpan(after, now + COVERED_AHEAD));
  await deps.store.transaction((tx) => tx.quietTimes.moveOn(after, nextAt));
  return { ...after, nextAt };
}

/** The quiet time that the input describes. Throws if it cannot be one. */
async function newQuietTime(
  deps: QuietTimeDeps,
  tx: Writes,
  actor: Actor,
  input: QuietTimeInput,
  now: Instant,
): Promise<Omit<NewQuietTime, 'madeBy'>> {
  const { reason, tags } = input;
  const timing = input.schedule === '' ? onceOf(input, now) : recurringOf(input, now);
  return {
    ...{ uuid: deps.random.uuid(), projectId: actor.projectId, name: quietTimeName(input), reason },
    checkIds: await checkIdsOf(tx, actor.projectId, input.checks),
    tags: [...new Set(splitTags(tags))].join(' '),
    ...timing,
    nextAt: coveringAt(spanAfter(timing, now)),
    createdAt: now,
  };
}

/** Whether both name the same checks and tags, in any order. */
function coversSame(one: Scope, other: Scope): boolean {
  const scopeOf = ({ checkIds, tags }: Scope) => new Set([...checkIds, ...splitTags(tags)]);
  return isDeepStrictEqual(scopeOf(one), scopeOf(other));
}

type Scope = Pick<QuietTime, 'checkIds' | 'tags'>;

type QuietTiming = Pick<QuietTime, 'fromAt' | 'untilAt' | 'schedule' | 'tz' | 'durationSeconds'>;

function onceOf({ fromAt, untilAt, durationSeconds, tz }: QuietTimeInput, now: Instant): QuietTiming {
  const from = fromAt ?? now;
  if (untilAt === null && durationSeconds === null) throw fault('until', 'until or duration is missing');
  const until = untilAt ?? from + seconds(durationSeconds ?? 0);
  if (until <= now) throw fault('until', 'until is in the past');
  if (from - now > MAX_QUIET_AHEAD) throw fault('from', 'from is more than a year ahead');
  requireLength(until - from, untilAt === null ? 'duration' : 'until');
  return {
    ...{ fromAt: from, untilAt: until, schedule: '', tz: zoneOf(tz) },
    durationSeconds: Math.round((until - from) / seconds(1)),
  };
}

function recurringOf({ schedule, durationSeconds, tz, ...once }: QuietTimeInput, now: Instant): QuietTiming {
  if (once.fromAt !== null || once.untilAt !== null)
    throw fault('schedule', 'schedule cannot be combined with from and until');
  if (durationSeconds === null) throw fault('duration', 'duration is missing');
  requireLength(seconds(durationSeconds), 'duration');
  const zone = zoneOf(tz);
  try {
    validateSchedule(schedule);
    const gap = shortestGap(schedule, zone, now);
    if (gap === null) throw fault('schedule', 'schedule never comes again');
    if (seconds(durationSeconds) > gap)
      throw fault('duration', 'duration is longer than the time between two of its beginnings');
  } catch (error) {
    if (error instanceof ScheduleError) throw fault('schedule', `schedule: ${error.message}`);
    throw error;
  }
  return { fromAt: 0, untilAt: null, schedule, tz: zone, durationSeconds };
}

function requireLength(length: Micros, field: string): void {
  if (length < seconds(MIN_QUIET_SECONDS)) throw fault(field, `${field} is too small`);
  if (length > seconds(MAX_QUIET_SECONDS)) throw fault(field, `${field} is too large`);
}

function zoneOf(tz: string): string {
  const zone = canonicalTimezone(tz);
  if (zone === null) throw fault('tz', 'tz is not a valid timezone');
  return zone;
}

/** Beginnings that are compared to find the shortest time between two. */
const COMPARED = 100;

/** Infinite if it comes only once more. Null if it never comes. */
function shortestGap(schedule: string, tz: string, now: Instant): Micros | null {
  let last = nextOccurrence(schedule, tz, now);
  if (last === null) return null;
  let shortest: Micros = Number.POSITIVE_INFINITY;
  for (let count = 0; count < COMPARED; count++) {
    const next: Instant | null = nextOccurrence(schedule, tz, last);
    if (next === null) break;
    shortest = Math.min(shortest, next - last);
    last = next;
  }
  return shortest;
}

/** The ids of the project's checks with these UUIDs or slugs. */
async function checkIdsOf(tx: Writes, projectId: number, refs: readonly string[]): Promise<number[]> {
  if (refs.length === 0) return [];
  const known = await tx.checks.namesIn(projectId, { uuids: refs.filter(isUuid), slugs: refs });
  for (const ref of refs)
    if (!known.some(({ uuid, slug }) => uuid === ref || slug === ref))
      throw fault('checks', `invalid check: ${ref}`);
  return known.map(({ id }) => id);
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

function fault(field: string, reason: string): AppError {
  return new AppError('invalid_field', reason, { field });
}

async function oneListed(deps: QuietTimeDeps, quietTime: QuietTime): Promise<ListedQuietTime> {
  const [one] = await listed(deps, deps.store, [quietTime]);
  if (one === undefined) throw new Error('unreachable: it was given');
  return one;
}

async function listed(
  { clock }: Pick<Deps, 'clock'>,
  store: Pick<Reads, 'checks'>,
  /** Of one project. */
  quietTimes: readonly QuietTime[],
): Promise<ListedQuietTime[]> {
  const ids = [...new Set(quietTimes.flatMap(({ checkIds }) => checkIds))];
  const [{ projectId = 0 } = {}] = quietTimes;
  const uuids = await store.checks.uuidsOf(projectId, ids);
  return quietTimes.map((quietTime) => ({
    ...quietTime,
    checkUuids: quietTime.checkIds.flatMap((id) => uuids.get(id) ?? []),
    next: spanAfter(quietTime, clock.now()),
  }));
}

/** For the audit log. */
function factsOf({ name, reason, tags, checkIds, schedule, tz, ...timing }: QuietTime) {
  const { fromAt, untilAt, durationSeconds } = timing;
  const when =
    untilAt === null
      ? { schedule, tz, duration: durationSeconds }
      : { from: toIsoSeconds(fromAt), until: toIsoSeconds(untilAt) };
  return { name, reason, tags, checks: checkIds.length, ...when };
}

async function record(
  deps: QuietTimeDeps,
  tx: Writes,
  actor: Actor,
  action: `quiet_time.${string}`,
  { uuid, name }: QuietTime,
  details: Readonly<Record<string, unknown>> | null,
): Promise<void> {
  await recordInProject(deps, tx, actor, {
    action,
    subject: { kind: 'quiet_time', id: uuid, name },
    details: details ?? {},
  });
}
