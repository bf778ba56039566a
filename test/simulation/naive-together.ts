import type { Channel } from '../../src/domain/alert/channel.ts';
import { listed } from '../../src/domain/check/check-links.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import type { CheckVersions } from './check-versions.ts';
import type { SeenFlip } from './naive-parents.ts';
import type { DeliveryRow, ManyRow } from './observed.ts';
import type { AlertingVersion } from './policy-owner.ts';
import { Violation } from './violation.ts';

/** A message as it was queued, and when that was seen. */
export interface QueuedRow {
  readonly row: DeliveryRow;
  /** Of its check. */
  readonly uuid: string;
  readonly seenAt: Instant;
}

/** Why a message tells of several changes. */
type Reason = { readonly group: 'storm' | 'parent' } | { readonly group: 'tag'; readonly tag: string };

/** All that says which messages should have been told together. */
export interface TogetherHistory {
  /** In the order in which they were queued, also those of checks that are gone. */
  readonly queued: readonly QueuedRow[];
  readonly many: readonly ManyRow[];
  /** Those of checks that are there, as they are at the end. */
  readonly deliveries: readonly DeliveryRow[];
  readonly channels: readonly Channel[];
  readonly checks: CheckVersions;
  alertingIn(from: Instant, until: Instant): readonly AlertingVersion[];
  flipsOf(uuid: string): readonly SeenFlip[];
  /** The most by which a row may be older or younger than what it tells of. */
  readonly slack: Micros;
}

/** So many messages to a channel are looked at for those of one storm. */
const MOST_OF_STORM = 200;

/** No channel gets more single messages than its bound, and what is told together is so for a reason. */
export function judgeStorms(history: TogetherHistory): void {
  const together = new NaiveTogether(history);
  const byChannel = Map.groupBy(history.queued, ({ row }) => row.channelId);
  for (const channel of history.channels)
    for (const [index, one] of (byChannel.get(channel.id) ?? []).entries()) {
      const own = byChannel.get(channel.id) ?? [];
      const earlier = own.slice(Math.max(0, index - MOST_OF_STORM), index);
      if (one.row.messageId === null) together.judgeSingle(channel, one, earlier);
      else together.judgeCollected(channel, one, own, earlier);
    }
}

class NaiveTogether {
  readonly #history: TogetherHistory;
  readonly #reasons: ReadonlyMap<number, Reason>;
  readonly #ends: ReadonlyMap<number, DeliveryRow>;
  /** Integrations that are in a group at some time. */
  readonly #members: ReadonlySet<number>;

  constructor(history: TogetherHistory) {
    this.#history = history;
    this.#reasons = new Map(history.many.map(({ id, parameters }) => [id, JSON.parse(parameters)]));
    this.#ends = new Map(history.deliveries.map((row) => [row.id, row]));
    const ever = history.alertingIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    this.#members = new Set(ever.flatMap(({ groups }) => groups.flatMap(({ members }) => members)));
  }

  /** Not too many of them, and none of a check whose tag is told as one. */
  judgeSingle(channel: Channel, one: QueuedRow, earlier: readonly QueuedRow[]): void {
    const { row, uuid } = one;
    if (row.why === '' || !isSingle(one)) return;
    const { above, within } = boundOf(channel);
    const before = above === 0 ? 0 : this.#singlesBefore(one, earlier, within);
    if (above > 0 && before >= above)
      this.#fail(one, `goes out by itself, and so do ${before} before it, where ${above} may`);
    // A group passes messages on one by one.
    const isAsOne = channel.kind === 'email' && !this.#members.has(channel.id) && this.#isSurelyAsOne(one);
    if (isAsOne) this.#fail(one, `goes out by itself, and a tag of ${uuid} is told as one`);
  }

  /**
   * How many went out by themselves shortly before, with nothing older between them: one that was queued late tells of an
   * earlier time. Those of checks that are gone do not count.
   */
  #singlesBefore({ row, seenAt }: QueuedRow, earlier: readonly QueuedRow[], within: Micros): number {
    let count = 0;
    for (const other of earlier.toReversed()) {
      if (other.row.createdAt <= row.createdAt - within) break;
      const deleted = this.#history.checks.deletionOf(other.uuid);
      if (isSingle(other) && (deleted === null || deleted.since > seenAt)) count++;
    }
    return count;
  }

  #isSurelyAsOne(one: QueuedRow): boolean {
    const { checks, alertings } = this.#around(one);
    return (
      checks.length > 0 &&
      checks.every(({ check }) =>
        alertings.every(({ tagsAsOne }) => words(check.tags).some((tag) => tagsAsOne.includes(tag))),
      )
    );
  }

  /** What people may have made of its check and the project until it was queued. */
  #around({ row, uuid, seenAt }: QueuedRow) {
    const { checks, alertingIn, slack } = this.#history;
    const span = [row.createdAt - slack, seenAt + slack] as const;
    return { checks: checks.in(uuid, ...span), alertings: alertingIn(...span) };
  }

  /** There is a reason: too many at once, a tag, a parent that is up, or an earlier change of the check that is still to be told. */
  judgeCollected(
    channel: Channel,
    one: QueuedRow,
    own: readonly QueuedRow[],
    earlier: readonly QueuedRow[],
  ): void {
    const reason = this.#reasons.get(one.row.messageId ?? 0);
    if (reason === undefined) this.#fail(one, 'is told by a message that nobody knows');
    if (this.#joins(one, earlier)) return;
    const { above, within } = boundOf(channel);
    switch (reason.group) {
      case 'storm':
        if (above === 0 || !this.#isStorm(one, earlier, above, within))
          this.#fail(one, `is told with others, and there are not ${above} before it`);
        return;
      case 'tag':
        if (!this.#mayBeAsOne(one, reason.tag))
          this.#fail(one, `is told with others of ${reason.tag}, which is not told as one`);
        return;
      case 'parent':
        if (!this.#mayBeReleased(one, own))
          this.#fail(one, 'is told with others, and nothing that they wait for has come up');
    }
  }

  /** Whether an earlier change of its check is told with others, and was not told by then. */
  #joins({ row }: QueuedRow, earlier: readonly QueuedRow[]): boolean {
    const { slack } = this.#history;
    return earlier.some(({ row: other }) => {
      if (other.checkId !== row.checkId || other.messageId === null) return false;
      const finishedAt = this.#ends.get(other.id)?.finishedAt ?? null;
      return finishedAt === null || finishedAt >= row.createdAt - slack;
    });
  }

  #isStorm(one: QueuedRow, earlier: readonly QueuedRow[], above: number, within: Micros): boolean {
    const from = one.row.createdAt - within;
    return earlier.filter(({ row }) => row.createdAt > from).length >= above;
  }

  #mayBeAsOne(one: QueuedRow, tag: string): boolean {
    const { checks, alertings } = this.#around(one);
    if (checks.length === 0) return true;
    return (
      checks.some(({ check }) => words(check.tags).includes(tag)) &&
      alertings.some(({ tagsAsOne }) => tagsAsOne.includes(tag))
    );
  }

  /** Whether something that it waits for has come up since it went down, and another one is told with it. */
  #mayBeReleased(one: QueuedRow, own: readonly QueuedRow[]): boolean {
    const { row, uuid, seenAt } = one;
    const { flipsOf, checks } = this.#history;
    const flips = flipsOf(uuid).map(({ flip }) => flip);
    const told = flips.findIndex(({ id }) => id === row.flipId);
    // The end may be told with others, too.
    const down = flips.slice(0, told + 1).findLast(({ newStatus }) => newStatus === 'down');
    if (down === undefined) return true;
    const parents = this.#around(one).checks.flatMap(({ check }) => listed(check.parents));
    const isUp = parents.some((key) =>
      flipsOf(checks.uuidOf(key)).some(
        ({ flip, recordedAt }) =>
          flip.newStatus === 'up' && flip.createdAt >= down.createdAt && recordedAt <= seenAt,
      ),
    );
    return isUp && own.some((other) => other !== one && other.row.createdAt === row.createdAt);
  }

  #fail({ row, uuid }: QueuedRow, text: string): never {
    throw new Violation(`message ${row.uuid} of ${toIsoMicros(row.createdAt)} ${text}`, uuid, row.createdAt);
  }
}

/** Whether it was to go out by itself. One to a channel that is off does not. */
function isSingle({ row }: QueuedRow): boolean {
  return row.messageId === null && row.state !== 'skipped';
}

/** How many messages the channel may get one by one, within how long. Zero: all. */
function boundOf({ settings: { open } }: Channel): { readonly above: number; readonly within: Micros } {
  const { together_above: above = 0, together_seconds: span = 30 } = open as {
    readonly together_above?: number;
    readonly together_seconds?: number;
  };
  return { above, within: seconds(span) };
}

/** What a message about several changes says of a check, by its name. */
export function namedIn(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap((line) => {
      const [what = '', names = ''] = line.split(': ');
      return names
        .replace(/\.$/, '')
        .split(', ')
        .map((name) => [name, what] as const);
    }),
  );
}

/** What such a message has to say of a check with these changes of status, in their order. */
export function sayingOf(statuses: readonly string[]): string {
  if (statuses.at(-1) === 'down') return 'Down';
  return statuses.includes('down') ? 'Down, and up again' : 'Up again';
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
