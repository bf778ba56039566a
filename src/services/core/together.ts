import { newChannelMessage } from '../../domain/alert/channel-message.ts';
import type { NewDelivery } from '../../domain/alert/delivery.ts';
import {
  dueAt,
  keyOf,
  NEVER_DUE,
  type StormRule,
  singlesOf,
  type Together,
} from '../../domain/alert/together.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { hears, stormRuleOf, takesAnyWords } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckToTell, PlannedChannel, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';

/** A message that is about to be queued, with all that says whether others join it. */
export interface Queued {
  readonly delivery: NewDelivery;
  readonly channel: PlannedChannel;
  readonly check: Pick<CheckToTell, 'id' | 'projectId' | 'tags'>;
  /** Whether a parent has held it until now. */
  readonly isReleased: boolean;
}

/** Messages about many that are looked at: there are few kinds of them, and they come minutes apart. */
const MAX_LOOKED_AT = 20;

type Deciding = Pick<Deps, 'random'>;

/**
 * Queues messages of a plan. Those that come too many at once, that a tag puts together, or whose parent has just come up,
 * become rows of one message about many. In the transaction of what they tell.
 */
export async function queueTogether(
  deps: Deciding,
  tx: Writes,
  queued: readonly Queued[],
  now: Instant,
): Promise<void> {
  const open = queued.filter(({ delivery, channel }) => delivery.state === 'open' && takesAnyWords(channel));
  const tags =
    open.length === 0 ? new Map<number, string[]>() : await tx.policies.tagsAsOne(projectsOf(open));
  const collected = new Map<NewDelivery, NewDelivery>();
  const byChannel = Map.groupBy(open, ({ channel }) => channel.id);
  // Every node holds channels in this order. It prevents deadlocks.
  for (const [, own] of [...byChannel].sort(([one], [other]) => one - other)) {
    const [first] = own;
    if (first === undefined) continue;
    const rule = stormRuleOf(first.channel);
    const groups = own.map((one) => groupOf(one, own, tags.get(one.check.projectId) ?? []));
    if (rule.above === 0 && groups.every((group) => group === null)) continue;
    await collectFor(deps, tx, first.channel, rule, { own, groups, collected }, now);
  }
  await tx.deliveries.insertMany(queued.map(({ delivery }) => collected.get(delivery) ?? delivery));
}

function projectsOf(queued: readonly Queued[]): number[] {
  return [...new Set(queued.map(({ check }) => check.projectId))];
}

/** Null: only too many at once would put it together with others. */
function groupOf(
  { check, isReleased }: Queued,
  own: readonly Queued[],
  tagsAsOne: readonly string[],
): Together | null {
  const tags = splitTags(check.tags);
  const tag = tagsAsOne.find((one) => tags.includes(one));
  if (tag !== undefined) return { group: 'tag', tag };
  return isReleased && own.filter((one) => one.isReleased).length > 1 ? { group: 'parent' } : null;
}

interface Collecting {
  readonly own: readonly Queued[];
  readonly groups: readonly (Together | null)[];
  /** Filled with the rows that another message tells. */
  readonly collected: Map<NewDelivery, NewDelivery>;
}

async function collectFor(
  deps: Deciding,
  tx: Writes,
  channel: PlannedChannel,
  rule: StormRule,
  { own, groups, collected }: Collecting,
  now: Instant,
): Promise<void> {
  await tx.channels.lock(channel.id);
  const messages = await tx.channelMessages.together(channel.id, MAX_LOOKED_AT);
  // A message takes no more once it was tried.
  const open = messages.filter(({ attemptCount, state }) => attemptCount === 0 && state === 'open');
  const untried = open.length === 0 ? [] : await tx.channelMessages.lockUntried(open.map(({ id }) => id));
  const told =
    untried.length === 0
      ? []
      : await tx.deliveries.messagesOf(
          channel.id,
          untried.map(({ id }) => id),
          own.map(({ check }) => check.id),
        );
  const joined = new Map(told.map(({ checkId, messageId }) => [checkId, messageId]));
  const ids = new Map<string, number>();
  const idOf = async (of: Together): Promise<number> => {
    const isAlike = ({ subject }: (typeof messages)[number]) =>
      subject.kind === 'together' && keyOf(subject.parameters) === keyOf(of);
    const known = ids.get(keyOf(of)) ?? untried.find(isAlike)?.id;
    if (known !== undefined) return known;
    const last = messages.find(isAlike)?.subject;
    const at = dueAt(of, rule, last?.kind === 'together' ? last.parameters.dueAt : null, now);
    const subject = { kind: 'together', parameters: { ...of, dueAt: at } } as const;
    const message = newChannelMessage(channel, null, subject, deps.random.uuid(), now);
    const id = await tx.channelMessages.insert({ ...message, nextAttemptAt: at });
    ids.set(keyOf(of), id);
    return id;
  };
  const recent = rule.above === 0 ? [] : await tx.deliveries.queuedAt(channel.id, rule.above);
  let singles = singlesOf(rule, recent, now);
  for (const [index, { delivery, check }] of own.entries()) {
    const group = groups[index] ?? null;
    const before = joined.get(check.id);
    // Its beginning is still to be told: both are told at once.
    const joins = before !== undefined;
    if (!joins && group === null && (!hears(channel, delivery.status) || singles-- > 0)) continue;
    const messageId = before ?? (await idOf(group ?? { group: 'storm' }));
    joined.set(check.id, messageId);
    const why = [...delivery.why.split(' ').filter((word) => word !== ''), 'together'].join(' ');
    collected.set(delivery, { ...delivery, messageId, nextAttemptAt: NEVER_DUE, why });
  }
}
