import { NEVER_DUE } from '../../src/domain/alert/together.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import type { Instant } from '../../src/lib/instant.ts';
import type { Driver } from '../../src/storage/driver.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import type { KeptRun, Store } from '../../src/storage/store.ts';
import type { ChannelHours, HoursOfChannels } from './naive-channel-hours.ts';
import type { Group } from './naive-groups.ts';
import type { Hours } from './naive-hours.ts';
import type { QuietRow } from './naive-quiet.ts';
import { rememberRemoved, type Sources, STORED } from './removed-rows.ts';

export interface PingRow {
  readonly checkId: number;
  readonly n: number;
  readonly createdAt: Instant;
  /** When the thing happened that a late ping tells of; null for one that came in time. */
  readonly occurredAt: Instant | null;
  readonly signal: string;
  readonly rid: string | null;
  /** See `NewPing`. */
  readonly runStartedAt: Instant | null;
  readonly runFlags: number | null;
  readonly runNumbers: string | null;
  /** The mark that the client put on this try. */
  readonly mark: string;
}

export interface DeliveryRow {
  readonly id: number;
  readonly uuid: string;
  readonly checkId: number;
  readonly channelId: number;
  readonly flipId: number;
  readonly status: string;
  readonly ordinal: number;
  readonly why: string;
  readonly state: string;
  readonly attempts: number;
  readonly nextAttemptAt: Instant | null;
  readonly error: string;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  /** The message that tells of this change and of others. Null: it is told by itself. */
  readonly messageId: number | null;
}

/** A message that tells of several changes. */
export interface ManyRow {
  readonly id: number;
  readonly uuid: string;
  /** Why it tells of several, as JSON. */
  readonly parameters: string;
  readonly checkId: null;
  readonly channelId: number;
  readonly state: string;
  readonly nextAttemptAt: Instant | null;
  readonly error: string;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
}

export interface OutageRow {
  readonly checkId: number;
  /** The flip that opened it. */
  readonly flipId: number;
  readonly state: string;
  readonly beganAt: Instant;
  readonly toldAt: Instant | null;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedUntilAt: Instant | null;
  /** When the check came up that is to prove it by more good runs. */
  readonly recoveringAt: Instant | null;
  readonly endedAt: Instant | null;
  /** The flip that ended it, or to up while more good runs are awaited. */
  readonly endedBy: number | null;
  readonly wakeAt: Instant | null;
}

/** How the outages of the project are told. */
export interface Alerting extends HoursOfChannels {
  /** Whether anything of the kind was ever used. */
  readonly isUsed: boolean;
  /** The rules of the policy of each tag in the list, and at its end those of the project's own, as JSON. */
  readonly rules: readonly { readonly tag: string | null; readonly rules: string }[];
  /** All policies by name, for checks that have one of their own. */
  readonly named: readonly { readonly name: string; readonly rules: string }[];
  readonly quietTimes: readonly QuietRow[];
  /** Tags whose checks are told of together. */
  readonly tagsAsOne: readonly string[];
  readonly groups: readonly Group[];
}

export interface MailRow {
  readonly uuid: string;
  readonly accountId: number;
  readonly kind: string;
  readonly state: string;
  readonly error: string;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
}

/** A failure or a warning whose ping is gone. */
export interface KeptRow extends KeptRun {
  readonly checkId: number;
}

/** Settings of an integration that are no secrets. */
interface OpenSettings {
  readonly hours?: string;
  readonly outside_hours?: string;
  readonly channels?: readonly string[];
}

const DELIVERY = `id, uuid, check_id as "checkId", channel_id as "channelId", flip_id as "flipId", status, ordinal,
  why, state, attempt_count as attempts, next_attempt_at as "nextAttemptAt", error, created_at as "createdAt",
  finished_at as "finishedAt", message_id as "messageId"`;
const MANY = `id, uuid, parameters, check_id as "checkId", channel_id as "channelId", state, next_attempt_at as "nextAttemptAt", error,
  created_at as "createdAt", finished_at as "finishedAt"`;
const PING = `check_id as "checkId", n, created_at as "createdAt", occurred_at as "occurredAt",
  signal, rid, run_started_at as "runStartedAt", run_flags as "runFlags", run_numbers as "runNumbers",
  user_agent as mark`;
const OUTAGE = `check_id as "checkId", flip_id as "flipId", state, began_at as "beganAt", told_at as "toldAt",
  acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy",
  acknowledged_until_at as "acknowledgedUntilAt", recovering_at as "recoveringAt", ended_at as "endedAt", ended_by as "endedBy", wake_at as "wakeAt"`;
const FLIP = `id, check_id as "checkId", created_at as "createdAt", old_status as "oldStatus",
  new_status as "newStatus", reason, cause`;

/** When there is something to do; null: nothing of the kind. */
export interface Due {
  readonly deadline: Instant | null;
  /** The next message, and the one that waits longest. */
  readonly next: Instant | null;
  readonly last: Instant | null;
  /** The next message about several. */
  readonly many: Instant | null;
  readonly mail: Instant | null;
  /** The next decision about an outage. */
  readonly wake: Instant | null;
  /** When the next quiet time has to cover its checks. */
  readonly quiet: Instant | null;
  readonly report: Instant | null;
  readonly reminder: Instant | null;
}

/** When the first or the last open message may be tried. Apart for those that are claimed, as the indexes are. */
function turnOfOpen(
  which: 'min' | 'max',
  table: 'deliveries' | 'channel_messages' | 'mails',
  isAny = '',
): string {
  return `select ${which}(at) from (
    select ${which}(next_attempt_at) as at from ${table}
      where next_attempt_at is not null and leased_until_at is null ${isAny}
    union all
    select ${which}(max(next_attempt_at, leased_until_at)) from ${table}
      where next_attempt_at is not null and leased_until_at is not null ${isAny})`;
}

/** Those that another message tells are never due by themselves, nor are those that wait for such a one. */
const TOLD_BY_ITSELF = `and message_id is null and next_attempt_at <> ${NEVER_DUE}`;

/** Checks that were deleted so that they can be restored are in another project. */
const IS_THERE = 'project_id in (select id from projects where bin_of is null)';

/** The database as it is, read past all faults, but for checks that were deleted. */
export class Observed {
  readonly store: Store;
  readonly #driver: Driver;
  #sources: Sources = STORED;
  /** Whether deleted checks are kept there, by the ids of projects. */
  readonly #bins = new Map<number, boolean>();

  constructor(driver: Driver) {
    this.#driver = driver;
    this.store = createSqlStore(driver);
  }

  /** To be called before anything is removed: pings and deliveries are read as if they were still there. */
  async rememberRemoved(): Promise<void> {
    this.#sources = await rememberRemoved(this.#driver);
  }

  flipsAfter(id: number): Promise<Flip[]> {
    return this.#driver.all(`select ${FLIP} from flips where id > $1 order by id`, [id]);
  }

  flips(): Promise<Flip[]> {
    return this.flipsAfter(0);
  }

  flipsOf(checkId: number, afterId = 0): Promise<Flip[]> {
    return this.#driver.all(`select ${FLIP} from flips where check_id = $1 and id > $2 order by id`, [
      checkId,
      afterId,
    ]);
  }

  deliveries(): Promise<DeliveryRow[]> {
    return this.#driver.all(`select ${DELIVERY} from ${this.#sources.deliveries}
         where check_id in (select id from checks where ${IS_THERE}) order by id`);
  }

  /** Those that were queued since that one, in order. */
  deliveriesAfter(id: number): Promise<DeliveryRow[]> {
    return this.#driver.all(`select ${DELIVERY} from deliveries where id > $1 order by id`, [id]);
  }

  deliveriesOfFlip(flipId: number): Promise<DeliveryRow[]> {
    return this.#driver.all(
      `select ${DELIVERY} from ${this.#sources.deliveries} where flip_id = $1 order by id`,
      [flipId],
    );
  }

  async lastDeliveryId(): Promise<number> {
    const [row] = await this.#driver.all<{ id: number | null }>(
      `select max(id) as id from ${this.#sources.deliveries}`,
    );
    return row?.id ?? 0;
  }

  /** Open ones that should have been tried by then. */
  overdueDeliveries(by: Instant): Promise<DeliveryRow[]> {
    return this.#driver.all(
      `select ${DELIVERY} from deliveries
        where next_attempt_at < $1 and coalesce(leased_until_at, 0) < $1 order by id`,
      [by],
    );
  }

  /** Messages that tell of several changes. */
  many(): Promise<ManyRow[]> {
    return this.#driver.all(`select ${MANY} from channel_messages where kind = 'together' order by id`);
  }

  /** The message with that UUID, if it tells of several changes. */
  async manyOf(uuid: string): Promise<ManyRow | null> {
    const [row] = await this.#driver.all<ManyRow>(
      `select ${MANY} from channel_messages where uuid = $1 and kind = 'together'`,
      [uuid],
    );
    return row ?? null;
  }

  /** The changes that the message tells, as they are told to its channel. */
  toldIn(messageId: number): Promise<DeliveryRow[]> {
    return this.#driver.all(
      `select ${DELIVERY} from ${this.#sources.deliveries} where message_id = $1 order by id`,
      [messageId],
    );
  }

  /** Those that should have been tried by then. */
  overdueMany(by: Instant): Promise<ManyRow[]> {
    return this.#driver.all(
      `select ${MANY} from channel_messages
        where next_attempt_at < $1 and coalesce(leased_until_at, 0) < $1 order by id`,
      [by],
    );
  }

  /** Whether an earlier message of the same check to the same channel is open. */
  async isHeldBack({ id, checkId, channelId }: DeliveryRow): Promise<boolean> {
    const rows = await this.#driver.all(
      `select 1 as one from deliveries
        where check_id = $1 and channel_id = $2 and id < $3 and next_attempt_at is not null limit 1`,
      [checkId, channelId, id],
    );
    return rows.length > 0;
  }

  /** Another number after each commit: until it changes, all that was read still holds. */
  async version(): Promise<number> {
    const [row] = await this.#driver.all<{ data_version: number }>('pragma data_version');
    return row?.data_version ?? 0;
  }

  /** The next work of the loops. */
  async due(): Promise<Due> {
    const [row] = await this.#driver.all<Due>(
      `select (select min(deadline_at) from checks where deadline_at is not null) as deadline,
              (${turnOfOpen('min', 'deliveries', TOLD_BY_ITSELF)}) as next,
              (${turnOfOpen('max', 'deliveries', TOLD_BY_ITSELF)}) as last,
              (${turnOfOpen('min', 'channel_messages')}) as many,
              (${turnOfOpen('min', 'mails')}) as mail,
              (select min(wake_at) from outages where wake_at is not null) as wake,
              (select min(next_at) from quiet_times where next_at is not null) as quiet,
              (select min(next_report_at) from accounts where next_report_at is not null) as report,
              (select min(next_reminder_at) from accounts where next_reminder_at is not null) as reminder`,
    );
    if (row === undefined) throw new Error('a query without a table has one row');
    return row;
  }

  outages(): Promise<OutageRow[]> {
    return this.#driver.all(`select ${OUTAGE} from outages order by id`);
  }

  async openOutageOf(checkId: number): Promise<OutageRow | null> {
    const [row] = await this.#driver.all<OutageRow>(
      `select ${OUTAGE} from outages where check_id = $1 and ended_at is null`,
      [checkId],
    );
    return row ?? null;
  }

  async outageOfFlip(flipId: number): Promise<OutageRow | null> {
    const [row] = await this.#driver.all<OutageRow>(`select ${OUTAGE} from outages where flip_id = $1`, [
      flipId,
    ]);
    return row ?? null;
  }

  /** A check of which it is not noted right whether its outage is open. */
  async checkNotedWrong(): Promise<string | null> {
    const [row] = await this.#driver.all<{ uuid: string }>(
      `select uuid from checks
        where is_heard <> exists (select 1 from outages where check_id = checks.id and ended_at is null) limit 1`,
    );
    return row?.uuid ?? null;
  }

  /** An open row that a message about many was to tell which is over. */
  async rowLeftOpen(): Promise<string | null> {
    const [row] = await this.#driver.all<{ uuid: string }>(
      `select deliveries.uuid from deliveries join channel_messages on channel_messages.id = message_id
        where deliveries.next_attempt_at is not null and channel_messages.next_attempt_at is null limit 1`,
    );
    return row?.uuid ?? null;
  }

  async delivery(uuid: string): Promise<DeliveryRow | null> {
    const [row] = await this.#driver.all<DeliveryRow>(
      `select ${DELIVERY} from ${this.#sources.deliveries} where uuid = $1`,
      [uuid],
    );
    return row ?? null;
  }

  /** Whether the message has not been removed. */
  async isStored({ id }: DeliveryRow): Promise<boolean> {
    const rows = await this.#driver.all('select 1 as one from deliveries where id = $1', [id]);
    return rows.length > 0;
  }

  /** The UUIDs of checks that are down. */
  async down(): Promise<string[]> {
    const rows = await this.#driver.all<{ uuid: string }>(
      `select uuid from checks where status = 'down' and ${IS_THERE} order by id`,
    );
    return rows.map(({ uuid }) => uuid);
  }

  async alerting(projectId: number): Promise<Alerting> {
    const [project] = await this.#driver.all<{ isUsed: number | boolean }>(
      'select has_policies as "isUsed" from projects where id = $1',
      [projectId],
    );
    const rules = await this.#driver.all<Alerting['rules'][number]>(
      `select tag, rules from (
         select position, tag, coalesce(rules, '{}') as rules from tag_policies
           left join policies on policies.project_id = tag_policies.project_id and policies.name = tag_policies.policy
          where tag_policies.project_id = $1 and tag_policies.policy <> ''
         union all
         select 1000, null, rules from policies where project_id = $1 and is_default)
        order by position`,
      [projectId],
    );
    const named = await this.#driver.all<Alerting['named'][number]>(
      'select name, rules from policies where project_id = $1',
      [projectId],
    );
    const calendars = await this.#driver.all<Hours>(
      `select uuid, name, schedule, tz, duration_seconds as "durationSeconds", except_dates as "exceptDates"
         from calendars where project_id = $1`,
      [projectId],
    );
    const quietTimes = await this.#driver.all<QuietRow>(
      `select check_ids as "checkIds", tags, from_at as "fromAt", until_at as "untilAt", schedule, tz,
              duration_seconds as "durationSeconds"
         from quiet_times where project_id = $1`,
      [projectId],
    );
    const asOne = await this.#driver.all<{ tag: string }>(
      'select tag from tags_as_one where project_id = $1 order by position',
      [projectId],
    );
    const tagsAsOne = asOne.map(({ tag }) => tag);
    const channels = await this.#channels(projectId);
    return { isUsed: Boolean(project?.isUsed), rules, named, calendars, quietTimes, tagsAsOne, ...channels };
  }

  async #channels(projectId: number): Promise<{ channelHours: ChannelHours[]; groups: Group[] }> {
    const rows = await this.#driver.all<{ channelId: number; uuid: string; kind: string; settings: string }>(
      'select id as "channelId", uuid, kind, settings from channels where project_id = $1 order by id',
      [projectId],
    );
    const channels = rows.map(({ settings, ...row }) => ({
      ...row,
      ...(JSON.parse(settings) as OpenSettings),
    }));
    return {
      channelHours: channels.flatMap(({ channelId, hours = '', outside_hours: outside = 'hold' }) =>
        hours === '' && outside === 'hold' ? [] : [{ channelId, hours, outside }],
      ),
      groups: channels
        .filter(({ kind }) => kind === 'group')
        .map(({ channelId, channels: wanted = [] }) => ({
          channelId,
          members: channels.filter(({ uuid }) => wanted.includes(uuid)).map((member) => member.channelId),
        })),
    };
  }

  /** The quiet times in the rows of checks. */
  quietChecks(): Promise<{ id: number; from: Instant | null; until: Instant | null }[]> {
    return this.#driver.all(
      'select id, quiet_from_at as "from", quiet_until_at as until from checks order by id',
    );
  }

  /** All quiet times of a check, oldest first. */
  quietSpansOf(checkId: number): Promise<{ from: Instant; until: Instant }[]> {
    return this.#driver.all(
      'select from_at as "from", until_at as until from quiet_spans where check_id = $1 order by from_at',
      [checkId],
    );
  }

  mails(): Promise<MailRow[]> {
    return this.#driver.all(
      `select uuid, account_id as "accountId", kind, state, error, created_at as "createdAt",
              finished_at as "finishedAt"
         from mails order by account_id, id`,
    );
  }

  /** The last of them, oldest first: enough to know what the check was waiting for. */
  async pingsBefore(checkId: number, at: Instant): Promise<PingRow[]> {
    const rows = await this.#driver.all<PingRow>(
      `select ${PING} from ${this.#sources.pings} where check_id = $1 and created_at < $2 order by n desc limit 1000`,
      [checkId, at],
    );
    return rows.reverse();
  }

  /** The pings of the check from its last success on, oldest first. */
  pingsSinceSuccess(checkId: number): Promise<PingRow[]> {
    return this.#driver.all(
      `select ${PING} from ${this.#sources.pings} where check_id = $1
          and n >= (select max(n) from ${this.#sources.pings} where check_id = $1 and signal = 'success') order by n`,
      [checkId],
    );
  }

  /** Oldest first. */
  pingsAfter(checkId: number, n: number): Promise<PingRow[]> {
    return this.#driver.all(
      `select ${PING} from ${this.#sources.pings} where check_id = $1 and n > $2 order by n`,
      [checkId, n],
    );
  }

  pings(): Promise<PingRow[]> {
    return this.#driver.all(`select ${PING} from ${this.#sources.pings} order by check_id, n`);
  }

  /** The place of the ping that was removed last, and the number of runs that are kept. */
  async removed(): Promise<{ place: number; kept: number }> {
    const [row] = await this.#driver.all<{ place: number; kept: number }>(
      `select (select coalesce(max(rowid), 0) from removed_pings) as place, (select count(*) from kept_runs) as kept`,
    );
    if (row === undefined) throw new Error('a query without a table has one row');
    return row;
  }

  /** Pings that were removed after that one. */
  removedAfter(place: number): Promise<PingRow[]> {
    return this.#driver.all(`select ${PING} from removed_pings where rowid > $1 order by rowid`, [place]);
  }

  keptRuns(): Promise<KeptRow[]> {
    return this.#driver.all(
      `select check_id as "checkId", n, rid, started_at as "startedAt", ended_at as "endedAt", result, flags,
              exit_status as "exitStatus", numbers, excerpt
         from kept_runs order by check_id, n`,
    );
  }

  /** Without those that were removed. */
  storedPings(checkId: number): Promise<PingRow[]> {
    return this.#driver.all(`select ${PING} from pings where check_id = $1 order by n`, [checkId]);
  }

  /** The number of the first ping of each check that is not removed. */
  async firstPings(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#driver.all<{ checkId: number; n: number }>(
      'select check_id as "checkId", min(n) as n from pings group by check_id',
    );
    return new Map(rows.map(({ checkId, n }) => [checkId, n]));
  }

  async check(id: number): Promise<Check | null> {
    const check = await this.store.checks.byId(id);
    return check === null || (await this.#isBin(check.projectId)) ? null : check;
  }

  async #isBin(projectId: number): Promise<boolean> {
    const known = this.#bins.get(projectId);
    if (known !== undefined) return known;
    const [row] = await this.#driver.all<{ of: number | null }>(
      'select bin_of as "of" from projects where id = $1',
      [projectId],
    );
    const isBin = row?.of != null;
    this.#bins.set(projectId, isBin);
    return isBin;
  }

  async checks(): Promise<Check[]> {
    const rows = await this.#driver.all<{ id: number }>(
      `select id from checks where ${IS_THERE} order by id`,
    );
    const found = await Promise.all(rows.map(({ id }) => this.store.checks.byId(id)));
    return found.filter((check) => check !== null);
  }

  async channelIds(checkId: number): Promise<number[]> {
    const rows = await this.#driver.all<{ id: number }>(
      'select channel_id as id from check_channels where check_id = $1 order by channel_id',
      [checkId],
    );
    return rows.map(({ id }) => id);
  }

  blindSpans(): Promise<{ from: Instant; until: Instant }[]> {
    return this.#driver.all('select from_at as "from", until_at as until from blind_spans order by id');
  }

  /** The nodes that are alive have watched all the time until then: what their loops would have said. */
  async keepWatching(since: Instant, until: Instant): Promise<void> {
    await this.#driver.transaction((tx) =>
      tx.run('update watch set beat_at = $2 where beat_at >= $1 and beat_at < $2', [since, until]),
    );
  }
}
