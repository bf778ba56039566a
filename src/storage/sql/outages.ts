import type { Delivery } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Outage, OutageWait } from '../../domain/policy/outage.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { table as checkTable, rowsOf } from './check-rows.ts';
import { noteHeard } from './heard.ts';
import type { KnownChecks } from './known-checks.ts';
import { Statements } from './statements.ts';
import { insertForAll, type Stored, sendForAll, Table, unnest } from './table.ts';

export interface StoredOutage extends Outage {
  readonly id: number;
}

/** What is known of a check when it is decided who is told of its outage: what is expected of it, and what has come. */
const TO_TELL = [
  'projectId',
  'policy',
  'tags',
  'snoozedUntilAt',
  'kind',
  'timeoutSeconds',
  'graceSeconds',
  'runRules',
  'schedule',
  'tz',
  'status',
  'lastPingAt',
  'lastStartAt',
  'lastAliveAt',
  'runReported',
  'badCount',
  'lastFlipAt',
  'excusedUntilAt',
  'quietFromAt',
  'quietUntilAt',
  'timedAt',
  'parents',
] as const satisfies readonly (keyof Check)[];

export interface CheckToTell extends Pick<Check, 'id' | (typeof TO_TELL)[number]> {}

/** A channel for which there are messages about the beginning of an outage. */
export interface ToldChannel {
  readonly flipId: number;
  readonly channelId: number;
  /** Why the first of them was queued. Empty where no plan did it. */
  readonly why: string;
  /** Whether any of them is still to be delivered. */
  readonly isOpen: boolean;
}

export interface StoredWait extends OutageWait {
  readonly outageId: number;
}

const TYPES: Readonly<Record<keyof Outage, string>> = {
  checkId: 'check_id bigint',
  flipId: 'flip_id bigint',
  reason: 'reason text',
  state: 'state text',
  beganAt: 'began_at bigint',
  toldAt: 'told_at bigint',
  acknowledgedAt: 'acknowledged_at bigint',
  acknowledgedBy: 'acknowledged_by text',
  acknowledgedUntilAt: 'acknowledged_until_at bigint',
  recoveringAt: 'recovering_at bigint',
  goodCount: 'good_count integer',
  endedAt: 'ended_at bigint',
  endFlipId: 'ended_by bigint',
  heldBy: 'held_by text',
  stepCount: 'step_count integer',
  tellCount: 'tell_count integer',
  againCount: 'again_count integer',
  againAt: 'again_at bigint',
  wakeAt: 'wake_at bigint',
};

const table = new Table<keyof Outage>('outages', TYPES);

const INSERT = table.insertForAll(`returning ${table.columns}`);

// The names of the fields are the keys of their types.
const SAVED = (Object.keys(TYPES) as (keyof Outage)[]).filter(
  (field) => field !== 'checkId' && field !== 'flipId',
);

const savedColumns = SAVED.map((field) => table.column(field));

const SAVE = {
  one: `update outages set ${table.assignments(SAVED, 2)} where id = $1`,
  many: `update outages set ${savedColumns.map((column) => `${column} = new.${column}`).join(', ')}
           from ${unnest(['bigint', ...SAVED.map((field) => TYPES[field].split(' ')[1] ?? '')])} as new (id, ${savedColumns.join(', ')})
          where outages.id = new.id`,
};

const INSERT_WAIT = {
  one: 'insert into outage_waits (outage_id, channel_id, status, reason) values ($1, $2, $3, $4)',
  many: `insert into outage_waits (outage_id, channel_id, status, reason)
         select * from ${unnest(['bigint', 'bigint', 'text', 'text'])}`,
};

const OPEN = 'ended_at is null';
/** It is open, or somebody waits to hear of its end. */
const UNSETTLED = `(${OPEN} or wake_at is not null)`;

/** It is over, and a channel is still to hear of that. */
const ENDING = 'ended_at is not null and wake_at is not null';

export class SqlOutageReads<Db extends Reader = Reader> extends Statements<Db> {
  /** When the next outage has to be decided about. Null if none has to. */
  async nextWakeAt(): Promise<Instant | null> {
    const row = await this.first<{ at: Instant }>(
      'select wake_at as at from outages where wake_at is not null order by wake_at limit 1',
    );
    return row?.at ?? null;
  }

  /** The open outages of these checks. Each has one at most. */
  async openOf(checkIds: readonly number[]): Promise<StoredOutage[]> {
    return this.db.all(
      `select ${table.columns} from outages where check_id ${this.dialect.inList('$1')} and ${OPEN}`,
      [this.dialect.list(checkIds)],
    );
  }

  /** The outages of the check that are open, or whose end somebody waits for, newest first. */
  async unsettledOf(checkId: number): Promise<StoredOutage[]> {
    return this.db.all(
      `select ${table.columns} from outages where check_id = $1 and ${UNSETTLED} order by id desc`,
      [checkId],
    );
  }

  async checksToTell(checkIds: readonly number[]): Promise<CheckToTell[]> {
    return rowsOf(
      this.db,
      `select ${checkTable.columnsOf(TO_TELL)} from checks`,
      `where id ${this.dialect.inList('$1')} order by id`,
      [this.dialect.list(checkIds)],
    );
  }

  /**
   * The channels that these flips were told to, or will be. It steps from channel to channel through the index: each may have very
   * many repeats and further failures.
   */
  async toldOf(flipIds: readonly number[]): Promise<ToldChannel[]> {
    const next = (flip: string, after: string) =>
      `(select min(channel_id) from deliveries where flip_id = ${flip} and channel_id > ${after})`;
    const rows = await this.db.all<Stored<ToldChannel>>(
      `with recursive told (flip, channel, check_id) as (
         select id, ${next('flips.id', '0')}, check_id from flips where id ${this.dialect.inList('$1')}
         union all
         select flip, ${next('told.flip', 'told.channel')}, check_id from told where channel is not null
       )
       select flip as "flipId", channel as "channelId",
              coalesce((select why from deliveries where flip_id = flip and channel_id = channel and ordinal = 0), '') as why,
              (select 1 from deliveries
                where deliveries.check_id = told.check_id and channel_id = channel and next_attempt_at is not null
                  and +flip_id = flip limit 1) is not null as "isOpen"
         from told where channel is not null order by flip, channel`,
      [this.dialect.list(flipIds)],
    );
    return rows.map((row) => ({ ...row, isOpen: Boolean(row.isOpen) }));
  }

  async waitsOf(outageIds: readonly number[]): Promise<StoredWait[]> {
    return this.db.all(
      `select outage_id as "outageId", channel_id as "channelId", status, reason from outage_waits
        where outage_id ${this.dialect.inList('$1')} order by outage_id, channel_id`,
      [this.dialect.list(outageIds)],
    );
  }

  /** The outages that these flips opened. */
  async ofFlips(flipIds: readonly number[]): Promise<StoredOutage[]> {
    return this.db.all(`select ${table.columns} from outages where flip_id ${this.dialect.inList('$1')}`, [
      this.dialect.list(flipIds),
    ]);
  }

  /** The outage that the flip opened. */
  async ofFlip(flipId: number): Promise<StoredOutage | null> {
    return this.first(`select ${table.columns} from outages where flip_id = $1`, [flipId]);
  }
}

/** Whoever calls these holds the checks, unless they say otherwise. */
export class SqlOutages extends SqlOutageReads<Writer> {
  readonly #known: KnownChecks;

  constructor(db: Writer, dialect: Dialect, known: KnownChecks) {
    super(db, dialect);
    this.#known = known;
  }

  async lockOpen(checkIds: readonly number[]): Promise<StoredOutage[]> {
    return this.db.all(
      `select ${table.columns} from outages where check_id ${this.dialect.inList('$1')} and ${OPEN}
        order by id ${this.dialect.forUpdate}`,
      [this.dialect.list(checkIds)],
    );
  }

  /** The open outages of these checks, and earlier ones whose end a channel is still to hear, the oldest first. */
  async lockUnsettled(checkIds: readonly number[]): Promise<StoredOutage[]> {
    return this.db.all(
      `select ${table.columns} from outages
        where id in (${this.#unsettledIds})
        order by id ${this.dialect.forUpdate}`,
      [this.dialect.list(checkIds)],
    );
  }

  /**
   * The same, while it holds the open ones of checks that wait for these, too. There may be very many of them, so they are not read.
   * Every node holds both in one order. It prevents deadlocks.
   */
  async lockAround(checkIds: readonly number[]): Promise<StoredOutage[]> {
    const { forUpdate } = this.dialect;
    if (forUpdate === '') return this.lockUnsettled(checkIds);
    const ofChildren = `select id from outages where ${OPEN} and check_id in (
      select check_id from check_parents where parent_id ${this.dialect.inList('$1')})`;
    return this.db.all(
      `with held as materialized (
         select * from outages where id in (${this.#unsettledIds} union all ${ofChildren}) order by id ${forUpdate}
       )
       select ${table.columns} from held where check_id ${this.dialect.inList('$1')} order by id`,
      [this.dialect.list(checkIds)],
    );
  }

  get #unsettledIds(): string {
    const isOfThese = `check_id ${this.dialect.inList('$1')}`;
    return `select id from outages where ${isOfThese} and ${OPEN}
                     union all
                     select id from outages where ${isOfThese} and ${ENDING}`;
  }

  /**
   * Outages about which it is to be decided by now, at most `most`, the longest due first, with earlier ones of the same checks
   * whose end a channel is still to hear. Holds their checks first, and leaves out those that others hold: they decide, or
   * somebody does at the next look.
   */
  async lockDue(now: Instant, most: number): Promise<StoredOutage[]> {
    const due = await this.db.all<{ id: number; checkId: number }>(
      `select id, check_id as "checkId" from outages where wake_at is not null and wake_at <= $1
        order by wake_at, id limit $2`,
      [now, most],
    );
    if (due.length === 0) return [];
    const held = await this.#holdChecks(due.map(({ checkId }) => checkId));
    return this.db.all(
      `select ${table.columns} from outages
        where id in (select id from outages where id ${this.dialect.inList('$1')} and wake_at is not null and wake_at <= $2
                     union all
                     select id from outages where check_id ${this.dialect.inList('$3')} and ${ENDING})
        order by id ${this.dialect.forUpdate}`,
      [
        this.dialect.list(due.filter(({ checkId }) => held.has(checkId)).map(({ id }) => id)),
        now,
        this.dialect.list([...held]),
      ],
    );
  }

  async #holdChecks(checkIds: readonly number[]): Promise<Set<number>> {
    if (this.dialect.forUpdate === '') return new Set(checkIds);
    const held = await this.db.all<{ id: number }>(
      `select id from checks where id ${this.dialect.inList('$1')} order by id ${this.dialect.forUpdate} skip locked`,
      [this.dialect.list(checkIds)],
    );
    return new Set(held.map(({ id }) => id));
  }

  async insertMany(outages: readonly Outage[]): Promise<StoredOutage[]> {
    const inserted = await insertForAll<StoredOutage>(
      this.db,
      this.dialect,
      INSERT,
      outages.map((outage) => table.values(outage)),
    );
    await this.#noteHeard(inserted);
    return inserted;
  }

  async save(outages: readonly StoredOutage[]): Promise<void> {
    await sendForAll(
      this.db,
      this.dialect,
      SAVE,
      outages.map((outage) => [outage.id, ...SAVED.map((field) => outage[field])]),
    );
    await this.#noteHeard(outages.filter(({ endedAt }) => endedAt !== null));
  }

  async #noteHeard(changed: readonly Pick<Outage, 'checkId'>[]): Promise<void> {
    if (changed.length === 0) return;
    const ids = [...new Set(changed.map(({ checkId }) => checkId))];
    await noteHeard(this.db, this.dialect, this.#known, ids);
  }

  /** Replaces the waits of these outages. */
  async saveWaits(outageIds: readonly number[], waits: readonly StoredWait[]): Promise<void> {
    await this.db.send(`delete from outage_waits where outage_id ${this.dialect.inList('$1')}`, [
      [this.dialect.list(outageIds)],
    ]);
    await sendForAll(
      this.db,
      this.dialect,
      INSERT_WAIT,
      waits.map(({ outageId, channelId, status, reason }) => [outageId, channelId, status, reason]),
    );
  }

  /**
   * The outage that the flip of a message has opened, or ended. It is held, while its check need not be: whoever calls this only
   * adds waits.
   */
  async lockOfFlip({
    checkId,
    flipId,
    status,
  }: Pick<Delivery, 'checkId' | 'flipId' | 'status'>): Promise<StoredOutage | null> {
    const flip = status === 'down' ? 'flip_id' : 'ended_by';
    return this.first(
      `select ${table.columns} from outages where check_id = $1 and ${flip} = $2 ${this.dialect.forUpdate}`,
      [checkId, flipId],
    );
  }

  /** Adds waits to an outage that is held, and asks about it again at `wakeAt` at the latest. Null: they wait for no time. */
  async addWaits(
    { id }: Pick<StoredOutage, 'id'>,
    waits: readonly OutageWait[],
    wakeAt: Instant | null,
  ): Promise<void> {
    await this.db.send(
      `insert into outage_waits (outage_id, channel_id, status, reason) values ($1, $2, $3, $4)
         on conflict (outage_id, channel_id) do nothing`,
      waits.map(({ channelId, status, reason }) => [id, channelId, status, reason]),
    );
    if (wakeAt === null) return;
    await this.db.send(
      'update outages set wake_at = $2 where id = $1 and (wake_at is null or wake_at > $2)',
      [[id, wakeAt]],
    );
  }

  /** Ends the open outage of the check without telling anybody. */
  async endOf(checkId: number, now: Instant): Promise<void> {
    await this.db.send(
      `update outages set state = 'over', ended_at = $2, held_by = null, wake_at = null where check_id = $1 and ${OPEN}`,
      [[checkId, now]],
    );
    await this.#noteHeard([{ checkId }]);
  }

  /** Opens the outage again that ended then, when the check was paused. It is decided about at `now`. */
  async reopen(checkId: number, endedAt: Instant, now: Instant): Promise<void> {
    await this.db.send(
      `update outages set state = case when told_at is null then 'waiting' else 'told' end,
              ended_at = null, ended_by = null, wake_at = $3
        where check_id = $1 and ended_at = $2`,
      [[checkId, endedAt, now]],
    );
    await this.#noteHeard([{ checkId }]);
  }

  /** The plan is asked about the outages of these checks at `now`. */
  async wake(checkIds: readonly number[], now: Instant): Promise<void> {
    await this.db.send(
      `update outages set wake_at = $2
        where check_id ${this.dialect.inList('$1')} and ${UNSETTLED}`,
      [[this.dialect.list(checkIds), now]],
    );
  }

  async deleteOf(checkId: number): Promise<void> {
    await this.db.send('delete from outages where check_id = $1', [[checkId]]);
    await this.#noteHeard([{ checkId }]);
  }

  /**
   * Repairs dates in the future, of outages after that id which are open or whose end somebody waits for, after the clock was set
   * back. They are decided about anew.
   * Returns the id of the last one that was looked at. Null when none is left.
   */
  async bringBack(now: Instant, afterId: number, most: number): Promise<number | null> {
    const page = await this.db.all<{ id: number; checkId: number }>(
      `select id, check_id as "checkId" from outages where id > $1 and ${UNSETTLED} order by id limit $2`,
      [afterId, most],
    );
    if (page.length === 0) return null;
    await this.db.all(
      `select id from checks where id ${this.dialect.inList('$1')} order by id ${this.dialect.forUpdate}`,
      [this.dialect.list(page.map(({ checkId }) => checkId))],
    );
    const past = (column: string) => `${column} = case when ${column} > $2 then $2 else ${column} end`;
    await this.db.send(
      `update outages set ${past('began_at')}, ${past('told_at')}, ${past('recovering_at')}, ${past('again_at')},
              acknowledged_until_at = case when acknowledged_at > $2
                then acknowledged_until_at - acknowledged_at + $2 else acknowledged_until_at end,
              ${past('acknowledged_at')}, wake_at = $2
        where id ${this.dialect.inList('$1')} and ${UNSETTLED}`,
      [[this.dialect.list(page.map(({ id }) => id)), now]],
    );
    return page.at(-1)?.id ?? null;
  }
}
