import type { Check } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { AppError } from '../../domain/errors.ts';
import { type ActedBy, shownName } from '../../domain/people/audit.ts';
import {
  type Acknowledgement,
  acknowledge,
  acknowledgementOf,
  isAcknowledged,
  MAX_SNOOZE,
  outageOf,
  unacknowledge,
} from '../../domain/policy/outage.ts';
import { type Instant, type Micros, toIsoSeconds } from '../../lib/instant.ts';
import type { Reads, StoredOutage, Writes } from '../../storage/store.ts';
import { recordOnCheck, recordOnChecks } from '../check/check-acts.ts';
import type { CheckWithChannels } from '../check/check-list.ts';
import { type CheckDeps, lockOwnCheck } from '../check/checks.ts';
import { type Actor, requirePermission, systemActor } from '../core/actor.ts';
import { queueAnswered } from '../core/channel-messages.ts';
import { askPlan } from '../core/outages.ts';
import { policiesOf } from '../core/policies.ts';

// Whoever answers in a project that has used nothing of the kind makes it one where a plan says who is told. That comes before
// the check is locked.

/**
 * Somebody takes the outage: nothing more is told until the check is up. The first who does so stays: `earlier` says who that is, if
 * the outage was taken before.
 */
export async function acknowledgeCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
): Promise<CheckWithChannels & { readonly earlier: Acknowledgement | null }> {
  const found: { earlier: Acknowledgement | null } = { earlier: null };
  const answered = await answer(deps, actor, id, async (tx, check) => {
    const outage = await openOutage(tx, check);
    if (outage === null) throw new AppError('check_not_down');
    found.earlier = acknowledgementOf(outage, deps.clock.now()) ?? null;
    await take(deps, tx, actor, [{ check, outage }]);
    return check;
  });
  return { ...answered, ...found };
}

export async function unacknowledgeCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
): Promise<CheckWithChannels> {
  return answer(deps, actor, id, async (tx, check) => {
    const outage = await openOutage(tx, check);
    if (outage === null) throw new AppError('check_not_down');
    if (outage.acknowledgedAt === null) return check;
    await tx.outages.save([{ ...unacknowledge(outage), id: outage.id }]);
    await planAnew(deps, tx, [check]);
    await recordOnCheck(deps, tx, actor, check, { action: 'check.unacknowledged', details: {} });
    return check;
  });
}

/** Nothing that begins is told until then. A longer snooze replaces a shorter one. */
export async function snoozeCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  span: { readonly for: Micros } | { readonly until: Instant },
): Promise<CheckWithChannels> {
  return answer(deps, actor, id, async (tx, check) => {
    const now = deps.clock.now();
    const until = 'for' in span ? now + span.for : span.until;
    if (until <= now) throw new AppError('invalid_field', 'This time is over.', { field: 'until' });
    if (until > now + MAX_SNOOZE)
      throw new AppError('invalid_field', 'A snooze lasts 30 days at most.', { field: 'until' });
    const [after = check] = await silence(deps, tx, actor, [check], until);
    return after;
  });
}

export async function unsnoozeCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  return answer(deps, actor, id, async (tx, check) => {
    if (check.snoozedUntilAt === null) return check;
    await tx.checks.snooze(check, null);
    await planAnew(deps, tx, [check]);
    await recordOnCheck(deps, tx, actor, check, { action: 'check.unsnoozed', details: {} });
    return { ...check, snoozedUntilAt: null, snoozedBy: null };
  });
}

async function answer(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  work: (tx: Writes, check: Check) => Promise<Check>,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'outages.answer');
  return deps.store.transaction(async (tx) => {
    await tx.projects.usePolicies(actor.projectId);
    const check = await work(tx, await lockOwnCheck(tx, actor, id));
    return { check, channelUuids: await tx.checks.channelsOf(id) };
  });
}

/** What has become of an acknowledgement by a link. */
export type LinkAcknowledgement =
  | { readonly kind: 'done' }
  | ({ readonly kind: 'already' } & Acknowledgement)
  | { readonly kind: 'over'; readonly endedAt: Instant };

/**
 * Acknowledges the outage that the flip opened, for somebody who needs no account. The caller has called `usePolicies` and
 * locked the check, in this order.
 */
export async function acknowledgeByLink(
  deps: CheckDeps,
  tx: Writes,
  check: Check,
  flipId: number,
  by: ActedBy,
): Promise<LinkAcknowledgement> {
  const endedAt = await endOfOutage(tx, check, flipId);
  if (endedAt !== null) return { kind: 'over', endedAt };
  const outage = await openOutage(tx, check);
  if (outage === null) return { kind: 'over', endedAt: deps.clock.now() };
  const earlier = acknowledgementOf(outage, deps.clock.now());
  if (earlier !== undefined) return { kind: 'already', ...earlier };
  await take(deps, tx, systemActor(check.projectId, by), [{ check, outage }]);
  return { kind: 'done' };
}

/** Snoozes the check whose outage the flip opened, in the same way. */
export async function snoozeByLink(
  deps: CheckDeps,
  tx: Writes,
  check: Check,
  flipId: number,
  span: Micros,
  by: ActedBy,
): Promise<
  { readonly kind: 'snoozed'; readonly until: Instant } | { readonly kind: 'over'; readonly endedAt: Instant }
> {
  const endedAt = await endOfOutage(tx, check, flipId);
  if (endedAt !== null) return { kind: 'over', endedAt };
  const until = deps.clock.now() + span;
  const [after] = await silence(deps, tx, systemActor(check.projectId, by), [check], until);
  return { kind: 'snoozed', until: after?.snoozedUntilAt ?? until };
}

/** What has become of an answer about several checks. Each number leaves out the checks that are not down any more. */
export interface LinkAnswerOfMany {
  readonly taken: number;
  /** Acknowledged before. */
  readonly already: number;
}

/**
 * Acknowledges those of the outages that these flips opened which are not over. The caller has called `usePolicies` and locked
 * the checks, in this order. All are checks of one project.
 */
export async function acknowledgeManyByLink(
  deps: CheckDeps,
  tx: Writes,
  checks: readonly Check[],
  flipIds: ReadonlySet<number>,
  by: ActedBy,
): Promise<LinkAnswerOfMany> {
  const open = await openAmong(tx, checks, flipIds);
  const now = deps.clock.now();
  const fresh = open.filter(({ outage }) => !isAcknowledged(outage, now));
  const [first] = fresh;
  if (first !== undefined) await take(deps, tx, systemActor(first.check.projectId, by), fresh);
  return { taken: fresh.length, already: open.length - fresh.length };
}

/** Snoozes those of the checks whose outages these flips opened and are not over. Returns when each of these snoozes ends. */
export async function snoozeManyByLink(
  deps: CheckDeps,
  tx: Writes,
  checks: readonly Check[],
  flipIds: ReadonlySet<number>,
  span: Micros,
  by: ActedBy,
): Promise<Instant[]> {
  const open = await openAmong(tx, checks, flipIds);
  const [first] = open;
  if (first === undefined) return [];
  const until = deps.clock.now() + span;
  const after = await silence(
    deps,
    tx,
    systemActor(first.check.projectId, by),
    open.map(({ check }) => check),
    until,
  );
  return after.map(({ snoozedUntilAt }) => snoozedUntilAt ?? until);
}

async function openAmong(
  tx: Writes,
  checks: readonly Check[],
  flipIds: ReadonlySet<number>,
): Promise<Taken[]> {
  const open = await tx.outages.lockOpen(checks.map(({ id }) => id));
  const byCheck = new Map(open.map((outage) => [outage.checkId, outage]));
  return checks.flatMap((check) => {
    const outage = byCheck.get(check.id);
    const isMeant = outage !== undefined && outage.state !== 'recovering' && flipIds.has(outage.flipId);
    return isMeant ? [{ check, outage }] : [];
  });
}

/**
 * When the outage ended that the flip opened, or the check came up that is to prove it by more good runs. Null while it lasts. Of a
 * flip that is forgotten, when that was.
 */
export async function endOfOutage(
  reads: Pick<Reads, 'outages' | 'flips'>,
  check: Pick<Check, 'id' | 'status'>,
  flipId: number,
): Promise<Instant | null> {
  const outage = await reads.outages.ofFlip(flipId);
  if (outage !== null) return outage.endedAt ?? outage.recoveringAt;
  const flip = await reads.flips.byId(flipId);
  if (flip === null) return 0;
  const [next] = await reads.flips.after(check.id, flip, Number.MAX_SAFE_INTEGER, 1);
  return next?.createdAt ?? (check.status === 'down' ? null : flip.createdAt);
}

/** The open outage of a check, if that is down. One that began before anybody used outages is made from its flip. */
async function openOutage(tx: Writes, check: Check): Promise<StoredOutage | null> {
  const [open] = await tx.outages.lockOpen([check.id]);
  if (open !== undefined) return open.state === 'recovering' ? null : open;
  const flip = check.status === 'down' ? await lastFlip(tx, check) : null;
  if (flip?.newStatus !== 'down') return null;
  const [made] = await tx.outages.insertMany([{ ...outageOf(flip), state: 'told', toldAt: flip.createdAt }]);
  return made ?? null;
}

async function lastFlip(tx: Writes, { id }: Check): Promise<Flip | null> {
  const [last] = await tx.flips.ofCheck(id, { from: null, before: null }, { after: null, limit: 1 });
  return last ?? null;
}

/** A check with its open outage. */
interface Taken {
  readonly check: Check;
  readonly outage: StoredOutage;
}

/** Acknowledges outages of checks of one project. Those that somebody has are left to them. */
async function take(deps: CheckDeps, tx: Writes, actor: Actor, wanted: readonly Taken[]): Promise<void> {
  const now = deps.clock.now();
  const taken = wanted.filter(({ outage }) => !isAcknowledged(outage, now));
  if (taken.length === 0) return;
  const checks = taken.map(({ check }) => check);
  const policyOf = await policiesOf(tx, checks);
  const by = shownName(actor.by);
  await tx.outages.save(
    taken.map(({ check, outage }) => ({
      ...acknowledge(outage, by, policyOf(check).policy, now),
      id: outage.id,
    })),
  );
  await planAnew(deps, tx, checks);
  await queueAnswered(deps, tx, await toldOf(tx, taken), { at: now, by }, now);
  await recordOnChecks(
    deps,
    tx,
    actor,
    checks.map((check) => [check, { action: 'check.acknowledged', details: {} }]),
  );
}

/** The checks of whose outages each channel was told, by the id of the channel. */
async function toldOf(tx: Writes, taken: readonly Taken[]): Promise<Map<number, Set<number>>> {
  const told = await tx.outages.toldOf(taken.map(({ outage }) => outage.flipId));
  const checkOf = new Map(taken.map(({ check, outage }) => [outage.flipId, check.id]));
  const byChannel = new Map<number, Set<number>>();
  for (const { channelId, flipId } of told) {
    const checkId = checkOf.get(flipId);
    if (checkId !== undefined) byChannel.getOrInsertComputed(channelId, () => new Set()).add(checkId);
  }
  return byChannel;
}

async function silence(
  deps: CheckDeps,
  tx: Writes,
  actor: Actor,
  checks: readonly Check[],
  wanted: Instant,
): Promise<Check[]> {
  const snoozed = checks.map((check) => {
    const isLonger = wanted > (check.snoozedUntilAt ?? 0);
    const until = isLonger ? wanted : (check.snoozedUntilAt ?? wanted);
    return { ...check, snoozedUntilAt: until, snoozedBy: isLonger ? shownName(actor.by) : check.snoozedBy };
  });
  for (const check of snoozed)
    await tx.checks.snooze(check, { until: check.snoozedUntilAt, by: check.snoozedBy });
  await planAnew(deps, tx, checks);
  await recordOnChecks(
    deps,
    tx,
    actor,
    snoozed.map((check) => [
      check,
      { action: 'check.snoozed', details: { until: toIsoSeconds(check.snoozedUntilAt) } },
    ]),
  );
  return snoozed;
}

/** Decides anew who is told, and tells readers of the checks. */
async function planAnew(deps: CheckDeps, tx: Writes, checks: readonly Check[]): Promise<void> {
  await askPlan(
    deps,
    tx,
    checks.map(({ id }) => id),
    'answer',
    deps.clock.now(),
  );
  await tx.checks.noteChanges(checks);
}
