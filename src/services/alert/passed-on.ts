import type { AssignedChannel, Channel } from '../../domain/alert/channel.ts';
import { type Delivery, deliveriesTo, type Outcome } from '../../domain/alert/delivery.ts';
import type { OutageWait } from '../../domain/policy/outage.ts';
import { heldUntil, type Recipient } from '../../domain/policy/recipients.ts';
import { isStateful, stormRuleOf } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import type { StoredOutage, Writes } from '../../storage/store.ts';
import { channelHours } from '../core/calendars.ts';
import type { Deps } from '../core/deps.ts';
import { queueTogether } from '../core/together.ts';

/** How an attempt has ended. */
interface Tried {
  readonly row: Delivery;
  readonly outcome: Outcome;
}

/** A member of a group, with what is asked of it when the group passes a message on. */
interface Member extends AssignedChannel, Pick<Recipient, 'hours' | 'outsideHours'> {
  readonly uuid: string;
  readonly kind: string;
  readonly settings: Channel['settings'];
}

/** To whom a group passes a message on. */
export interface PassedOn {
  readonly projectId: number;
  readonly members: readonly Member[];
  /** The outage that the message is about, held. Null: none is known, or it is not asked about. */
  readonly outage: StoredOutage | null;
}

/**
 * To whom groups pass these messages on, by the ids of their rows. Outages are held before channels, so this comes before
 * anything is noted on channels.
 */
export async function passedOn(tx: Writes, tries: readonly Tried[]): Promise<ReadonlyMap<number, PassedOn>> {
  const found = new Map<number, PassedOn>();
  // Every node holds outages in this order. It prevents deadlocks.
  for (const { row, outcome } of tries.toSorted((one, other) => one.row.checkId - other.row.checkId)) {
    const group = outcome.kind === 'passed_on' ? await tx.channels.byId(row.channelId) : null;
    if (group === null || outcome.kind !== 'passed_on') continue;
    const { projectId } = group;
    const channels = membersOf(await tx.channels.ofProject(projectId), outcome.channels);
    const hoursOf = await channelHours(
      tx,
      channels.map((channel) => ({ projectId, channel })),
    );
    const members = channels.map(({ id, uuid, kind, settings, off }): Member => {
      const hours = hoursOf({ projectId, channel: { kind, settings } });
      return { id, uuid, kind, settings, accountId: row.accountId, offReason: off?.reason ?? null, ...hours };
    });
    const hasHours = members.some(({ hours }) => hours !== null);
    const outage = hasHours || (isFollowing(row) && isPlanned(row)) ? await tx.outages.lockOfFlip(row) : null;
    found.set(row.id, { projectId, members, outage });
  }
  return found;
}

/** The members to which a group passes its messages. Groups are not members. */
export function membersOf(channels: readonly Channel[], uuids: readonly string[]): Channel[] {
  const wanted = new Set(uuids);
  return channels.filter(({ uuid, kind }) => wanted.has(uuid) && kind !== 'group');
}

/**
 * Queues the message for the members. Outside of its hours a member waits with the outage, which is asked about again when they
 * begin. A repeat is not told later, and only to members that have heard of the beginning. A member from which the beginning is
 * withheld hears nothing that follows, whatever its hours are by now. What a member has of this message already it does not get
 * again.
 */
export async function passOn(
  { random }: Pick<Deps, 'random'>,
  tx: Writes,
  delivery: Delivery,
  { projectId, members, outage }: PassedOn,
  now: Instant,
): Promise<void> {
  const beginning = await beginningOf(tx, delivery, outage);
  const places = members.map((member) => ({
    member,
    place: placeOf(delivery, member, outage, beginning, now),
  }));
  const told = places.filter(({ place }) => place === 'told').map(({ member }) => member);
  const rows = told.flatMap((channel) =>
    deliveriesTo(delivery, [channel], random.uuid, now).map((row) => ({ delivery: row, channel })),
  );
  if (told.some((member) => stormRuleOf(member).above > 0)) {
    const [check = { id: delivery.checkId, projectId, tags: '' }] = await tx.outages.checksToTell([
      delivery.checkId,
    ]);
    const queued = rows.map((row) => ({ ...row, check, isReleased: false }));
    await queueTogether({ random }, tx, queued, now);
  } else await tx.deliveries.insertMany(rows.map((row) => row.delivery));
  if (outage === null) return;
  const waits = places.flatMap(({ member, place }) => (typeof place === 'string' ? [] : [{ member, place }]));
  if (waits.length === 0) return;
  const coming = waits.flatMap(({ place: { at } }) => (at === null ? [] : [at]));
  await tx.outages.addWaits(
    outage,
    waits.map(
      ({ member }): OutageWait => ({
        channelId: member.id,
        status: delivery.status,
        reason: 'channel_hours',
      }),
    ),
    coming.length === 0 ? null : Math.min(...coming),
  );
}

/** To whom the beginning of an outage was told, and from whom it is withheld, by the ids of channels. */
interface Beginning {
  readonly heardBy: ReadonlySet<number>;
  readonly withheldFrom: ReadonlySet<number>;
}

/** Only a message that follows depends on it. */
async function beginningOf(tx: Writes, delivery: Delivery, outage: StoredOutage | null): Promise<Beginning> {
  if (outage === null || !isFollowing(delivery)) return { heardBy: new Set(), withheldFrom: new Set() };
  const told = await tx.outages.toldOf([outage.flipId]);
  const waits = await tx.outages.waitsOf([outage.id]);
  const heardBy = new Set(told.map(({ channelId }) => channelId));
  const waiting = waits.filter(({ channelId, status }) => status === 'down' && !heardBy.has(channelId));
  return { heardBy, withheldFrom: new Set(waiting.map(({ channelId }) => channelId)) };
}

/** Whether the message tells of the end, or is a repeat or a further failure. */
function isFollowing({ status, ordinal }: Delivery): boolean {
  return status === 'up' || ordinal > 0;
}

/** Otherwise its change has no outage. */
function isPlanned({ why }: Delivery): boolean {
  return why !== '';
}

/** What becomes of the message for one member. `at`: when its hours begin. Null: it is never told of this beginning. */
type Place = 'told' | 'not_told' | { readonly at: Instant | null };

function placeOf(
  delivery: Delivery,
  member: Member,
  outage: StoredOutage | null,
  { heardBy, withheldFrom }: Beginning,
  now: Instant,
): Place {
  const { status, ordinal } = delivery;
  const { hours, outsideHours } = member;
  if (withheldFrom.has(member.id)) return 'not_told';
  // The hours of an outage that nobody knows cannot be asked about again.
  if (hours === null || outage === null) return 'told';
  if (isFollowing(delivery) && !heardBy.has(member.id)) return 'not_told';
  const { isHeld, at } = heldUntil(member, now);
  if (!isHeld || (status === 'up' && isStateful(member))) return 'told';
  if (ordinal > 0 || (status === 'down' && outage.endedAt !== null)) return 'not_told';
  return { at: status === 'down' && outsideHours === 'drop' ? null : at };
}
