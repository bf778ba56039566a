import type { Check } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { AppError } from '../../domain/errors.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import {
  acknowledge,
  isAcknowledged,
  MAX_SNOOZE,
  outageOf,
  unacknowledge,
} from '../../domain/policy/outage.ts';
import { type Instant, type Micros, toIsoSeconds } from '../../lib/instant.ts';
import type { Reads, StoredOutage, Writes } from '../../storage/store.ts';
import { recordOnCheck } from '../check/check-acts.ts';
import type { CheckWithChannels } from '../check/check-list.ts';
import { type CheckDeps, lockOwnCheck } from '../check/checks.ts';
import { type Actor, requirePermission, systemActor } from '../core/actor.ts';
import { queueAnswered } from '../core/channel-messages.ts';
import { askPlan } from '../core/outages.ts';
import { policiesOf } from '../core/policies.ts';

// Whoever answers in a project that has used nothing of the kind makes it one where a plan says who is told. That comes before
// the check is locked.

/** Somebody takes the outage: nothing more is told until the check is up. The first who does so stays. */
export async function acknowledgeCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
): Promise<CheckWithChannels> {
  return answer(deps, actor, id, async (tx, check) => {
    const outage = await openOutage(tx, check);
    if (outage === null) throw new AppError('check_not_down');
    await take(deps, tx, actor, check, outage);
    return check;
  });
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
    await planAnew(deps, tx, check);
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
    return silence(deps, tx, actor, check, until);
  });
}

export async function unsnoozeCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  return answer(deps, actor, id, async (tx, check) => {
    if (check.snoozedUntilAt === null) return check;
    await tx.checks.snooze(check, null);
    await planAnew(deps, tx, check);
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
  | { readonly kind: 'already'; readonly by: string; readonly at: Instant }
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
  const { acknowledgedAt, acknowledgedBy } = outage;
  if (acknowledgedAt !== null && isAcknowledged(outage, deps.clock.now()))
    return { kind: 'already', by: acknowledgedBy ?? '', at: acknowledgedAt };
  await take(deps, tx, systemActor(check.projectId, by), check, outage);
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
  const after = await silence(deps, tx, systemActor(check.projectId, by), check, until);
  return { kind: 'snoozed', until: after.snoozedUntilAt ?? until };
}

/** When the outage ended that the flip opened. Null while it lasts. Of a flip that is forgotten, when that was. */
export async function endOfOutage(
  reads: Pick<Reads, 'outages' | 'flips'>,
  check: Pick<Check, 'id' | 'status'>,
  flipId: number,
): Promise<Instant | null> {
  const outage = await reads.outages.ofFlip(flipId);
  if (outage !== null) return outage.endedAt;
  const flip = await reads.flips.byId(flipId);
  if (flip === null) return 0;
  const [next] = await reads.flips.after(check.id, flip, Number.MAX_SAFE_INTEGER, 1);
  return next?.createdAt ?? (check.status === 'down' ? null : flip.createdAt);
}

/** The open outage of a check that is down. One that began before anybody used outages is made from its flip. */
async function openOutage(tx: Writes, check: Check): Promise<StoredOutage | null> {
  const [open] = await tx.outages.lockOpen([check.id]);
  if (open !== undefined) return open;
  const flip = check.status === 'down' ? await lastFlip(tx, check) : null;
  if (flip?.newStatus !== 'down') return null;
  const [made] = await tx.outages.insertMany([{ ...outageOf(flip), state: 'told', toldAt: flip.createdAt }]);
  return made ?? null;
}

async function lastFlip(tx: Writes, { id }: Check): Promise<Flip | null> {
  const [last] = await tx.flips.ofCheck(id, { from: null, before: null }, { after: null, limit: 1 });
  return last ?? null;
}

async function take(
  deps: CheckDeps,
  tx: Writes,
  actor: Actor,
  check: Check,
  outage: StoredOutage,
): Promise<void> {
  const now = deps.clock.now();
  if (isAcknowledged(outage, now)) return;
  const { policy } = (await policiesOf(tx, [check]))(check);
  await tx.outages.save([{ ...acknowledge(outage, actor.by.name, policy, now), id: outage.id }]);
  await planAnew(deps, tx, check);
  const told = await tx.outages.toldOf([outage.flipId]);
  const channelIds = [...new Set(told.map(({ channelId }) => channelId))];
  await queueAnswered(deps, tx, { checkId: check.id, channelIds }, { at: now, by: actor.by.name }, now);
  await recordOnCheck(deps, tx, actor, check, { action: 'check.acknowledged', details: {} });
}

async function silence(
  deps: CheckDeps,
  tx: Writes,
  actor: Actor,
  check: Check,
  wanted: Instant,
): Promise<Check> {
  const before = { until: check.snoozedUntilAt ?? 0, by: check.snoozedBy };
  const snooze = wanted > before.until ? { until: wanted, by: actor.by.name } : before;
  const { until } = snooze;
  await tx.checks.snooze(check, snooze);
  await planAnew(deps, tx, check);
  const details = { until: toIsoSeconds(until) };
  await recordOnCheck(deps, tx, actor, check, { action: 'check.snoozed', details });
  return { ...check, snoozedUntilAt: until, snoozedBy: snooze.by };
}

/** Decides anew who is told, and tells readers of the check. */
async function planAnew(deps: CheckDeps, tx: Writes, check: Check): Promise<void> {
  await askPlan(deps, tx, [check.id], 'answer', deps.clock.now());
  await tx.checks.noteChanges([check]);
}
