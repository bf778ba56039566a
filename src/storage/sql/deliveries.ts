import type { Attempt, Delivery, NewDelivery, Progress } from '../../domain/alert/delivery.ts';
import { NEVER_DUE } from '../../domain/alert/together.ts';
import type { ChangeCollector, OwnedRow } from '../../domain/change.ts';
import type { Check } from '../../domain/check/check.ts';
import type { FlipReason } from '../../domain/check/flip.ts';
import type { EarlierMessage } from '../../domain/history/alert-story.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Value, Writer } from '../driver.ts';
import { type AccountSpan, DUE, Outbox, type Turn, type WaitingAccount } from './outbox.ts';
import { Statements } from './statements.ts';
import { oneRow, sendForAll, Table, unnest } from './table.ts';

export interface DeliveryLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly turns: readonly Turn[];
  readonly busyChannels: readonly number[];
}

/** Due deliveries that a node does not lease now. */
export interface HeldBack {
  /** Channels whose destination is busy. */
  readonly channels: readonly number[];
  /** Accounts that have their share of the messages under way. */
  readonly accounts: readonly number[];
}

/** A delivery as its owner sees it. */
export interface DeliveryRecord extends Delivery {
  readonly channelUuid: string;
  readonly channelKind: string;
  readonly channelName: string;
  readonly attempts: readonly Attempt[];
}

/** A delivery with its check and its attempts, as a channel shows it. */
export interface ChannelDelivery extends Delivery {
  /** Null if the check waits in the bin. */
  readonly checkUuid: string | null;
  readonly checkName: string;
  readonly reason: FlipReason;
  readonly attempts: readonly Attempt[];
}

export interface RecentDelivery
  extends Pick<
    Delivery,
    'channelId' | 'state' | 'status' | 'attemptCount' | 'error' | 'createdAt' | 'finishedAt' | 'nextAttemptAt'
  > {
  readonly checkName: string;
}

/** Names a delivery by its id, or by the UUID in its messages. */
export type DeliveryRef = { readonly id: number } | { readonly uuid: string };

const table = new Table<keyof NewDelivery>('deliveries', {
  uuid: 'uuid uuid',
  checkId: 'check_id bigint',
  channelId: 'channel_id bigint',
  flipId: 'flip_id bigint',
  accountId: 'account_id bigint',
  status: 'status text',
  state: 'state text',
  attemptCount: 'attempt_count integer',
  nextAttemptAt: 'next_attempt_at bigint',
  leasedUntilAt: 'leased_until_at bigint',
  error: 'error text',
  createdAt: 'created_at bigint',
  finishedAt: 'finished_at bigint',
  ordinal: 'ordinal integer',
  why: 'why text',
  messageId: 'message_id bigint',
});

// Which index makes a message unique depends on whether the contract step with the ordinal was made.
const INSERT = table.insertForAll('on conflict do nothing');

/** A delivery's check and channel belong to the same project. */
const PROJECT_ID = '(select project_id from checks where checks.id = deliveries.check_id) as "projectId"';

const TOUCHED_COLUMNS = `deliveries.id, check_id as "checkId", channel_id as "channelId", ${PROJECT_ID}`;

interface TouchedRow extends OwnedRow, Pick<Delivery, 'checkId' | 'channelId'> {}

const outbox = new Outbox('deliveries', (alias) => `${alias}.account_id`, TOUCHED_COLUMNS);

/**
 * The largest number of waiting messages that one statement holds back. The time of a statement is limited, while the
 * number of waiting messages is not.
 */
const MAX_HELD_BACK = 5_000;

const RELEASE_NEXT = {
  one: `update deliveries set next_attempt_at = $4
         where id = (select min(id) from deliveries
                      where check_id = $2 and channel_id = $3 and id > $1 and next_attempt_at is not null)
           and next_attempt_at > $4 and message_id is null`,
  many: `update deliveries set next_attempt_at = given.now
           from ${unnest(['bigint', 'bigint', 'bigint', 'bigint'])} as given (id, check_id, channel_id, now)
          where deliveries.id = (
                  select min(next.id) from deliveries as next
                   where next.check_id = given.check_id and next.channel_id = given.channel_id
                     and next.id > given.id and next.next_attempt_at is not null)
            and deliveries.next_attempt_at > given.now and deliveries.message_id is null`,
};

const HOLD_BACK = {
  one: 'update deliveries set next_attempt_at = $2 where id = $1',
  many: `update deliveries set next_attempt_at = given.turn_at
           from ${unnest(['bigint', 'bigint'])} as given (id, turn_at) where deliveries.id = given.id`,
};

const INSERT_ATTEMPT = {
  one: `insert into attempts (delivery_id, n, started_at, duration_micros, error, request, answer)
        values ($1, $2, $3, $4, $5, $6, $7) on conflict (delivery_id, n) do nothing`,
  many: `insert into attempts (delivery_id, n, started_at, duration_micros, error, request, answer)
         select * from ${unnest(['bigint', 'integer', 'bigint', 'bigint', 'text', 'text', 'text'])}
         on conflict (delivery_id, n) do nothing`,
};

const ATTEMPT_COLUMNS = `delivery_id as "deliveryId", n, started_at as "startedAt",
  duration_micros as "duration", error, request, answer`;

/** A skipped delivery without a reason does not concern its channel. */
const CONCERNS_CHANNEL = `(state <> 'skipped' or error <> '')`;

/** Deliveries that nothing keeps waiting, except those to the channels $2. */
function isFree(dialect: Dialect): string {
  return `and not (channel_id ${dialect.inList('$2')})
    and not exists (
      select 1 from deliveries as earlier
       where earlier.check_id = deliveries.check_id and earlier.channel_id = deliveries.channel_id
         and earlier.id < deliveries.id and earlier.next_attempt_at is not null)`;
}

/** An outage of which a message about several checks has told. */
export interface ToldOutage extends Pick<Delivery, 'checkId' | 'flipId'> {
  /** The name of the check. */
  readonly name: string;
}

/** A row of a message that tells of several. */
export interface CollectedRow {
  readonly id: number;
  readonly checkId: number;
  readonly status: 'up' | 'down';
  /** Why the check changed. */
  readonly reason: FlipReason;
  /** Why the channel is told, as the delivery keeps it. */
  readonly why: string;
  readonly name: string;
  readonly tags: string;
}

export class SqlDeliveryReads<Db extends Reader = Reader> extends Statements<Db> {
  /**
   * The check's deliveries with their channels and attempts, newest first, at most `limit`. Skipped ones are included
   * only if they have a reason: the others do not concern their channel.
   */
  async ofCheck(checkId: number, limit: number): Promise<DeliveryRecord[]> {
    return this.#records(
      `select ${table.columns} from deliveries where check_id = $1 and ${CONCERNS_CHANNEL}
        order by id desc limit $2`,
      [checkId, limit],
      'desc',
    );
  }

  async byUuid(uuid: string): Promise<Delivery | null> {
    return this.first(`select ${table.columns} from deliveries where uuid = $1`, [uuid]);
  }

  /** When a message about the check last reached each channel of its project. Channels that had none are left out. */
  async lastReached({ id, projectId }: Pick<Check, 'id' | 'projectId'>): Promise<Map<string, Instant>> {
    const rows = await this.db.all<{ uuid: string; at: Instant | null }>(
      `select uuid, (select finished_at from deliveries
                      where check_id = $1 and channel_id = channels.id and state = 'delivered'
                      order by deliveries.id desc limit 1) as at
         from channels where project_id = $2`,
      [id, projectId],
    );
    return new Map(rows.flatMap(({ uuid, at }) => (at === null ? [] : [[uuid, at]])));
  }

  /** The deliveries of these flips, as above, oldest first. */
  async ofFlips(flipIds: readonly number[]): Promise<DeliveryRecord[]> {
    return this.#records(
      `select ${table.columns} from deliveries
        where flip_id ${this.dialect.inList('$1')} and ${CONCERNS_CHANNEL}`,
      [this.dialect.list(flipIds)],
      'asc',
    );
  }

  /** The deliveries that `selected` finds, with their channels and attempts. */
  async #records(
    selected: string,
    params: readonly Value[],
    order: 'asc' | 'desc',
  ): Promise<DeliveryRecord[]> {
    const rows = await this.db.all<Omit<DeliveryRecord, 'attempts'>>(
      `select told.*, channels.uuid as "channelUuid", channels.kind as "channelKind",
              channels.name as "channelName"
         from (${selected}) as told join channels on channels.id = told."channelId"
        order by told.id ${order}`,
      params,
    );
    return this.#withAttempts(rows);
  }

  async #withAttempts<Row extends { readonly id: number }>(
    rows: readonly Row[],
  ): Promise<(Row & { attempts: Attempt[] })[]> {
    const attempts = await this.db.all<Attempt>(
      `select ${ATTEMPT_COLUMNS} from attempts
        where delivery_id ${this.dialect.inList('$1')} order by delivery_id, n`,
      [this.dialect.list(rows.map(({ id }) => id))],
    );
    const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    return rows.map((row) => ({ ...row, attempts: byDelivery.get(row.id) ?? [] }));
  }

  /** The story that the first attempt of a delivery told, if another one follows. */
  async keptStory(id: number): Promise<string | null> {
    const [row] = await this.db.all<{ story: string }>(
      'select story from delivery_stories where delivery_id = $1',
      [id],
    );
    return row?.story ?? null;
  }

  /** The first message that told the channel of the flip. Null if it was not delivered. */
  async delivered(flipId: number, channelId: number): Promise<EarlierMessage | null> {
    return this.first(
      `select uuid as "deliveryId", provider_id as "providerId"
         from deliveries left join delivery_provider_ids on delivery_id = deliveries.id
        where flip_id = $1 and channel_id = $2 and ordinal = 0 and state = 'delivered'`,
      [flipId, channelId],
    );
  }

  /** The channel's deliveries in the same way, newest first, at most `limit`. */
  async ofChannel(channelId: number, limit: number): Promise<ChannelDelivery[]> {
    const rows = await this.db.all<Omit<ChannelDelivery, 'attempts'>>(
      // A check that waits in the bin has a UUID that nobody may know.
      `select told.*, checks.name as "checkName", flips.reason,
              case when checks.project_id = channels.project_id then checks.uuid end as "checkUuid"
         from (select ${table.columns} from deliveries where channel_id = $1 and ${CONCERNS_CHANNEL}
                order by id desc limit $2) as told
         join channels on channels.id = told."channelId"
         join checks on checks.id = told."checkId"
         join flips on flips.id = told."flipId"
        order by told.id desc`,
      [channelId, limit],
    );
    return this.#withAttempts(rows);
  }

  /** The latest deliveries of each channel of the project, at most `limit` each, oldest first. */
  async recentOfProject(projectId: number, limit: number): Promise<RecentDelivery[]> {
    // The place of the oldest one that is wanted is looked up for each channel, so that a long history is not read.
    return this.db.all<RecentDelivery>(
      `select channel_id as "channelId", state, deliveries.status, attempt_count as "attemptCount", error,
              deliveries.created_at as "createdAt", finished_at as "finishedAt",
              next_attempt_at as "nextAttemptAt", checks.name as "checkName"
         from channels
         join deliveries on deliveries.channel_id = channels.id
          and deliveries.id >= coalesce(
                (select oldest.id from deliveries as oldest where oldest.channel_id = channels.id
                  order by oldest.id desc limit 1 offset $2), 0)
         join checks on checks.id = deliveries.check_id
        where channels.project_id = $1 and ${CONCERNS_CHANNEL}
        order by deliveries.id`,
      [projectId, limit - 1],
    );
  }

  /** The open rows that the message tells, of checks of the channel's project, in order. */
  async collectedIn(messageId: number): Promise<CollectedRow[]> {
    return this.db.all(
      `select deliveries.id, deliveries.check_id as "checkId", deliveries.status, flips.reason, deliveries.why,
              checks.name, checks.tags
         from deliveries join checks on checks.id = deliveries.check_id
         join flips on flips.id = deliveries.flip_id
         join channels on channels.id = deliveries.channel_id and channels.project_id = checks.project_id
        where message_id = $1 and next_attempt_at is not null
        order by deliveries.id`,
      [messageId],
    );
  }

  /** The outages that the message has told of and that last, of checks of the channel's project, by check. */
  async openOutagesIn(messageId: number): Promise<ToldOutage[]> {
    return this.db.all(
      `select distinct deliveries.check_id as "checkId", deliveries.flip_id as "flipId", checks.name
         from deliveries join outages on outages.flip_id = deliveries.flip_id
         join checks on checks.id = deliveries.check_id
         join channels on channels.id = deliveries.channel_id and channels.project_id = checks.project_id
        where message_id = $1 and deliveries.status = 'down' and outages.ended_at is null and outages.recovering_at is null
        order by deliveries.check_id`,
      [messageId],
    );
  }

  /** When the next open delivery may be attempted, or its lease ends. Null if none is open. */
  async nextAttemptAt(): Promise<Instant | null> {
    return outbox.nextAttemptAt(this.db);
  }

  /** The oldest due time of the deliveries that could be leased then; held-back ones do not count. */
  async oldestDueAt(now: Instant, { channels, accounts }: HeldBack): Promise<Instant | null> {
    const [row] = await this.db.all<{ at: Instant }>(
      `select next_attempt_at as at from deliveries
        where ${DUE} and not (account_id ${this.dialect.inList('$3')}) ${isFree(this.dialect)}
        order by next_attempt_at, id limit 1`,
      [now, this.dialect.list(channels), this.dialect.list(accounts)],
    );
    return row?.at ?? null;
  }

  /** The number of open deliveries, due or not. */
  async openCount(): Promise<number> {
    return outbox.openCount(this.db);
  }

  /** The progress of the outbox, for operators. */
  async progress(): Promise<{ lastId: number | null; openFlips: number }> {
    const rows = await this.db.all<{ lastId: number | null; openFlips: number }>(
      `select (select max(id) from deliveries) as "lastId",
              (select count(distinct flip_id) from deliveries where next_attempt_at is not null) as "openFlips"`,
    );
    return oneRow(rows);
  }
}

export class SqlDeliveries extends SqlDeliveryReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  /** Inserts deliveries. One that the flip, the channel and the ordinal already have is skipped. */
  async insertMany(deliveries: readonly NewDelivery[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      INSERT,
      deliveries.map((delivery) => table.values(delivery)),
    );
  }

  /** Ends leases that have run out, so that their rows are due again. */
  async endLapsed(now: Instant): Promise<void> {
    await outbox.endLapsed(this.db, this.dialect, now);
  }

  /** The accounts of the span that have rows which nobody has in hand, due or not. */
  async waitingAccounts(span: AccountSpan): Promise<WaitingAccount[]> {
    return outbox.waitingAccounts(this.db, span);
  }

  /**
   * Leases due deliveries until `until`, of each account as many as its turn allows. Each lease counts as an attempt. A
   * delivery is not leased while an earlier one of the same check and channel is open, or if its channel is in
   * `busyChannels`.
   */
  async lease({ now, until, turns, busyChannels }: DeliveryLease): Promise<Delivery[]> {
    const due = await outbox.dueInTurn<Delivery>(this.db, this.dialect, {
      columns: table.columns,
      condition: isFree(this.dialect),
      params: [now, this.dialect.list(busyChannels)],
      turns,
    });
    return outbox.lease(this.db, this.dialect, due, until);
  }

  /** Afterwards no open delivery waits beyond `at`. */
  async bringForward(at: Instant): Promise<void> {
    await outbox.bringForward(this.db, at);
    await this.db.send(
      'update deliveries set next_attempt_at = $1 where message_id is not null and next_attempt_at is not null',
      [[NEVER_DUE]],
    );
  }

  /** The times at which the last messages to the channel were queued, newest first, at most `most`. */
  async queuedAt(channelId: number, most: number): Promise<Instant[]> {
    const rows = await this.db.all<{ at: Instant }>(
      'select created_at as at from deliveries where channel_id = $1 order by id desc limit $2',
      [channelId, most],
    );
    return rows.map(({ at }) => at);
  }

  /** Which of these messages tells an open row of the channel about which of these checks. A message may have very many others. */
  async messagesOf(
    channelId: number,
    messageIds: readonly number[],
    checkIds: readonly number[],
  ): Promise<{ readonly checkId: number; readonly messageId: number }[]> {
    // Without `coalesce` an index would lead to all rows of the messages. This way the few open ones of each check are read.
    return this.db.all(
      `select check_id as "checkId", message_id as "messageId" from deliveries
        where check_id ${this.dialect.inList('$3')} and channel_id = $1 and next_attempt_at is not null
          and coalesce(message_id, 0) ${this.dialect.inList('$2')}`,
      [channelId, this.dialect.list(messageIds), this.dialect.list(checkIds)],
    );
  }

  /** The number of open rows that the message tells. */
  async openCountIn(messageId: number): Promise<number> {
    const rows = await this.db.all<{ count: number }>(
      'select count(*) as count from deliveries where message_id = $1 and next_attempt_at is not null',
      [messageId],
    );
    return Number(oneRow(rows).count);
  }

  /** The rows of the message behind open ones that it does not tell. */
  async blockedIn(messageId: number): Promise<number[]> {
    const rows = await this.db.all<{ id: number }>(
      `select id from deliveries
        where message_id = $1 and next_attempt_at is not null and exists (
          select 1 from deliveries as earlier
           where earlier.check_id = deliveries.check_id and earlier.channel_id = deliveries.channel_id
             and earlier.id < deliveries.id and earlier.next_attempt_at is not null
             and (earlier.message_id is null or earlier.message_id <> $1))`,
      [messageId],
    );
    return rows.map(({ id }) => id);
  }

  /** Lets another message tell these rows. */
  async moveTo(messageId: number, ids: readonly number[]): Promise<void> {
    await this.db.send(`update deliveries set message_id = $2 where id ${this.dialect.inList('$1')}`, [
      [this.dialect.list(ids), messageId],
    ]);
  }

  /** The open rows of the message end, or go on, as it does. Returns those that have ended. */
  async settleTogether(
    messageId: number,
    { state, error, finishedAt, attemptCount }: Progress,
  ): Promise<Pick<Delivery, 'id' | 'checkId' | 'channelId'>[]> {
    const settled = await this.db.all<TouchedRow>(
      `update deliveries set state = $2, error = $3, finished_at = $4, attempt_count = $5,
              next_attempt_at = case when $2 = 'open' then next_attempt_at end
        where message_id = $1 and next_attempt_at is not null returning ${TOUCHED_COLUMNS}`,
      [messageId, state, error, finishedAt, attemptCount],
    );
    for (const row of settled) this.#touch(row);
    return state === 'open' ? [] : settled;
  }

  /** The open rows of the message are due by themselves. */
  async tellSingly(messageId: number, now: Instant): Promise<void> {
    await this.db.run(
      'update deliveries set message_id = null, next_attempt_at = $2 where message_id = $1 and next_attempt_at is not null',
      [messageId, now],
    );
  }

  /** These open rows of the message end without being told. Returns them. */
  async leaveOut(
    messageId: number,
    ids: readonly number[],
    now: Instant,
  ): Promise<Pick<Delivery, 'id' | 'checkId' | 'channelId'>[]> {
    const leftOut = await this.db.all<TouchedRow>(
      `update deliveries set state = 'skipped', error = '', finished_at = $2, next_attempt_at = null
        where message_id = $1 and next_attempt_at is not null and id ${this.dialect.inList('$3')}
        returning ${TOUCHED_COLUMNS}`,
      [messageId, now, this.dialect.list(ids)],
    );
    for (const row of leftOut) this.#touch(row);
    return leftOut;
  }

  /** Extends leases that are still held. */
  async extend(deliveries: readonly Delivery[], until: Instant): Promise<void> {
    await outbox.extend(this.db, deliveries, until);
  }

  /** Gives leases back without an attempt. The deliveries are due again at `at`. */
  async release(deliveries: readonly Delivery[], at: Instant): Promise<void> {
    await outbox.release(this.db, deliveries, at);
  }

  /** Gives all leases back without an attempt, whichever node holds them. Returns their number. */
  async releaseAll(): Promise<number> {
    return outbox.releaseAll(this.db);
  }

  /** Saves how attempts ended. Returns the deliveries whose lease was still held, with their projects. */
  async settle(deliveries: readonly Delivery[]): Promise<OwnedRow[]> {
    const settled = await outbox.settle<TouchedRow>(this.db, this.dialect, deliveries);
    for (const row of settled) this.#touch(row);
    return settled;
  }

  /** A check shows its deliveries, and a channel shows how its last attempt went. So both have changed. */
  #touch({ projectId, checkId, channelId }: TouchedRow): void {
    this.#touched.addCheck({ id: checkId, projectId }, false);
    this.#touched.addChannel({ id: channelId, projectId });
  }

  /** Postpones the waiting deliveries to the channel, so that none is due before `until`. */
  async postponeTo(channelId: number, until: Instant): Promise<void> {
    await this.db.send(
      `update deliveries set next_attempt_at = $2
        where channel_id = $1 and next_attempt_at is not null and leased_until_at is null and next_attempt_at < $2`,
      [[channelId, until]],
    );
  }

  /**
   * Postpones due deliveries of these accounts that have to wait for an earlier one, until that one is due. So nobody
   * looks at them in vain.
   */
  async holdBack(now: Instant, accountIds: readonly number[]): Promise<void> {
    // Each message is compared only with the first one of its queue; otherwise the cost would be the square of the
    // queue's length. The first one is locked too. If it is just ending, it is skipped, so that its followers do not
    // wait for the end of its lease.
    const waiting = await this.db.all<{ id: number; turnAt: Instant }>(
      `select behind.id, coalesce(ahead.leased_until_at, ahead.next_attempt_at) as "turnAt"
         from deliveries as behind join deliveries as ahead on ahead.id = (
                select min(open.id) from deliveries as open
                 where open.check_id = behind.check_id and open.channel_id = behind.channel_id
                   and open.next_attempt_at is not null)
        where behind.next_attempt_at is not null and behind.leased_until_at is null
          and behind.account_id ${this.dialect.inList('$3')} and behind.next_attempt_at <= $1
          and (ahead.leased_until_at > $1 or (ahead.leased_until_at is null and ahead.next_attempt_at > $1))
        order by behind.next_attempt_at limit $2
        ${this.dialect.forUpdate === '' ? '' : 'for update of behind, ahead skip locked'}`,
      [now, MAX_HELD_BACK, this.dialect.list(accountIds)],
    );
    await sendForAll(
      this.db,
      this.dialect,
      HOLD_BACK,
      waiting.map(({ id, turnAt }) => [id, turnAt]),
    );
  }

  /** Called when these have ended: the deliveries that waited for them are due now. */
  async releaseNext(
    deliveries: readonly Pick<Delivery, 'id' | 'checkId' | 'channelId'>[],
    now: Instant,
  ): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      RELEASE_NEXT,
      deliveries.map(({ id, checkId, channelId }) => [id, checkId, channelId, now]),
    );
  }

  /** Keeps the stories of these deliveries, unless one is kept already. */
  async keepStories(stories: readonly { readonly id: number; readonly story: string }[]): Promise<void> {
    await this.db.send(
      'insert into delivery_stories (delivery_id, story) values ($1, $2) on conflict (delivery_id) do nothing',
      stories.map(({ id, story }) => [id, story]),
    );
  }

  async forgetStories(ids: readonly number[]): Promise<void> {
    await this.db.send(`delete from delivery_stories where delivery_id ${this.dialect.inList('$1')}`, [
      [this.dialect.list(ids)],
    ]);
  }

  /** Keeps how providers call the messages of these deliveries, as long as the deliveries are kept. */
  async keepProviderIds(
    messages: readonly { readonly id: number; readonly providerId: string }[],
  ): Promise<void> {
    await this.db.send(
      `insert into delivery_provider_ids (delivery_id, provider_id) values ($1, $2)
         on conflict (delivery_id) do nothing`,
      messages.map(({ id, providerId }) => [id, providerId]),
    );
  }

  /**
   * Makes the channel's delivery due at `at`, also if it was given up. Returns false if it is neither given up nor open and
   * unattended.
   */
  async reopen(channelId: number, uuid: string, at: Instant): Promise<boolean> {
    const [reopened] = await this.db.all<TouchedRow>(
      `update deliveries set state = 'open', next_attempt_at = $3, finished_at = null, message_id = null
        where uuid = $2 and channel_id = $1
          and (state = 'given_up' or (state = 'open' and leased_until_at is null and message_id is null))
          and exists (select 1 from checks join channels on channels.project_id = checks.project_id
                       where checks.id = deliveries.check_id and channels.id = deliveries.channel_id)
        returning ${TOUCHED_COLUMNS}`,
      [channelId, uuid, at],
    );
    if (reopened !== undefined) this.#touch(reopened);
    return reopened !== undefined;
  }

  /** Adds attempts. Their deliveries must exist. */
  async addAttempts(attempts: readonly Attempt[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      INSERT_ATTEMPT,
      attempts.map(({ deliveryId, n, startedAt, duration, error, request, answer }) => [
        deliveryId,
        n,
        startedAt,
        duration,
        error,
        request,
        answer,
      ]),
    );
  }

  /**
   * Makes an open delivery of the check due now, unless a node has it in hand. Returns its channel; null if there is no
   * such delivery, or it is over.
   */
  async hurry(checkId: number, uuid: string, now: Instant): Promise<OwnedRow | null> {
    const [hurried] = await this.db.all<TouchedRow>(
      `update deliveries
          set next_attempt_at = case when leased_until_at is null and next_attempt_at > $3 then $3 else next_attempt_at end
        where uuid = $2 and check_id = $1 and next_attempt_at is not null and message_id is null returning ${TOUCHED_COLUMNS}`,
      [checkId, uuid, now],
    );
    if (hurried === undefined) return null;
    this.#touch(hurried);
    return { id: hurried.channelId, projectId: hurried.projectId };
  }

  /**
   * Makes deliveries to the channel due now that wait, at most `most`, unless a node has them in hand. Returns their
   * number.
   */
  async hurryAll(channelId: number, now: Instant, most: number): Promise<number> {
    const hurried = await this.db.all<TouchedRow>(
      `update deliveries set next_attempt_at = $2
        where id in (select id from deliveries
                      where channel_id = $1 and next_attempt_at > $2 and leased_until_at is null and message_id is null
                      limit $3)
          and leased_until_at is null returning ${TOUCHED_COLUMNS}`,
      [channelId, now, most],
    );
    for (const row of hurried) this.#touch(row);
    return hurried.length;
  }

  /**
   * Removes finished deliveries created before that time, at most `most`. Returns their number. The first messages about an outage
   * stay until everybody was told of its end: they say who was told of its beginning.
   */
  async prune(checkId: number, before: Instant, most: number): Promise<number> {
    return this.db.run(
      `delete from deliveries
        where id in (select id from deliveries
                      where check_id = $1 and created_at < $2 and finished_at is not null
                        and not (ordinal = 0 and exists (
                          select 1 from outages where outages.flip_id = deliveries.flip_id
                             and (ended_at is null or wake_at is not null))) limit $3)`,
      [checkId, before, most],
    );
  }

  /**
   * Records a late error of a delivery that ended or was created since `since`, and returns its channel. For other
   * deliveries it does nothing and returns null.
   */
  async amend(ref: DeliveryRef, since: Instant, error: string): Promise<OwnedRow | null> {
    const [column, value] = 'id' in ref ? ['id', ref.id] : ['uuid', ref.uuid];
    const [amended] = await this.db.all<TouchedRow>(
      `update deliveries set error = $3 where ${column} = $1 and coalesce(finished_at, created_at) >= $2
       returning ${TOUCHED_COLUMNS}`,
      [value, since, error],
    );
    if (amended === undefined) return null;
    this.#touch(amended);
    return { id: amended.channelId, projectId: amended.projectId };
  }

  /** Removes deliveries to the channel, at most `most`. Returns their number. */
  async deleteOfChannel(channelId: number, most: number): Promise<number> {
    return this.#delete('channel_id', channelId, most);
  }

  /** Ends the open deliveries about the check without a further try, for this reason. */
  async withholdOfCheck(checkId: number, reason: string, now: Instant): Promise<void> {
    await this.db.send(
      `update deliveries set state = 'skipped', error = $2, next_attempt_at = null, leased_until_at = null, finished_at = $3
        where check_id = $1 and next_attempt_at is not null`,
      [[checkId, reason, now]],
    );
  }

  /** Removes deliveries about a check that is to be deleted, at most `most`. Returns their number. */
  async deleteOfCheck(checkId: number, most: number): Promise<number> {
    return this.#delete('check_id', checkId, most);
  }

  async #delete(column: string, id: number, most: number): Promise<number> {
    return this.db.run(
      `delete from deliveries where id in (select id from deliveries where ${column} = $1 limit $2)`,
      [id, most],
    );
  }
}
