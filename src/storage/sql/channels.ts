import {
  type AssignedChannel,
  asChannelReport,
  asOffReason,
  type Channel,
  type ChannelReport,
  type ChannelReportPeriod,
  type LastAttempt,
  type NewChannel,
  type StoredSettings,
  type SwitchedOff,
} from '../../domain/alert/channel.ts';
import type { ChangeCollector, OwnedRow } from '../../domain/change.ts';
import type { Instant, Micros } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Scalar, Writer } from '../driver.ts';
import { NEXT_REVISION } from './check-rows.ts';
import { isLive } from './membership.ts';
import { Statements } from './statements.ts';
import { oneRow, type Stored, Table } from './table.ts';

/** A check to which a channel can be assigned. */
export interface AssignableCheck {
  readonly uuid: string;
  readonly name: string;
  readonly tags: string;
  readonly isAssigned: boolean;
}

/** The ids of the checks that have changed. */
export interface AssignmentChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

export interface ChannelCounts {
  readonly total: number;
  /** On, confirmed, and the last attempt failed. */
  readonly failing: number;
}

/** A channel that gets reports. */
export interface ReportedChannel {
  readonly id: number;
  readonly period: ChannelReportPeriod;
  /** Zero: it has no date yet. */
  readonly nextReportAt: Instant;
  /** The zone of the account that owns its project. */
  readonly tz: string;
}

/** A code by which a recipient confirms that messages are wanted. */
export interface KeptCode {
  readonly digest: string;
  readonly expiresAt: Instant;
}

/** A channel in the form of its columns. */
interface Columns extends Omit<NewChannel, 'settings' | 'off'> {
  /** JSON. */
  readonly openSettings: string;
  readonly sealedSettings: string | null;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly disabledError: string;
  readonly disabledAt: Instant | null;
  /** As its settings say. */
  readonly report: ChannelReport;
  readonly nextReportAt: Instant | null;
}

type ChannelRow = Stored<Columns> & {
  readonly id: number;
  readonly lastNotifyAt: Instant | null;
  readonly lastNotifyMicros: Micros | null;
  readonly lastError: string;
  readonly failingSince: Instant | null;
  readonly pausedUntilAt: Instant | null;
};

interface AssignedRow {
  readonly checkId: number;
  readonly id: number;
  readonly accountId: number;
  readonly offReason: string | null;
}

interface PlannedRow extends AssignedRow {
  readonly uuid: string;
  readonly kind: string;
  readonly settings: string;
}

/** An assigned channel, and what a plan asks of it. */
export interface PlannedChannel extends AssignedChannel {
  readonly uuid: string;
  readonly kind: string;
  /** Without the secrets. */
  readonly settings: StoredSettings;
}

/** The columns of a channel `held` that say whose it is, and why nothing is sent to it. */
const HELD = `held.id,
              (select owner_id from projects where projects.id = held.project_id) as "accountId",
              case when not ${isLive('held.project_id')} then 'project_deleted'
                   when disabled then coalesce(disabled_reason, 'unknown') end as "offReason"`;

const table = new Table<keyof Columns>('channels', {
  uuid: 'uuid',
  projectId: 'project_id',
  kind: 'kind',
  name: 'name',
  openSettings: 'settings',
  sealedSettings: 'sealed_settings',
  verified: 'verified',
  disabled: 'disabled',
  disabledReason: 'disabled_reason',
  disabledError: 'disabled_error',
  disabledAt: 'disabled_at',
  report: 'report',
  nextReportAt: 'next_report_at',
  createdAt: 'created_at',
});

const SELECT = `select ${table.columns}, last_notify_at as "lastNotifyAt", last_notify_micros as "lastNotifyMicros",
    last_error as "lastError", failing_since_at as "failingSince", paused_until_at as "pausedUntilAt" from channels`;

const SAVED = [
  'name',
  'openSettings',
  'sealedSettings',
  'verified',
  'disabled',
  'disabledReason',
  'disabledError',
  'disabledAt',
  'report',
] as const;

/** The place of the report among the parameters of an update. */
const SAVED_REPORT = `$${SAVED.indexOf('report') + 3}`;

/** The date of the next report, until it is set. */
const UNDATED: Instant = 0;

export class SqlChannelReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The project's channels in order of creation. */
  async ofProject(projectId: number): Promise<Channel[]> {
    return select(this.db, 'where project_id = $1 order by id', [projectId]);
  }

  async byId(id: number): Promise<Channel | null> {
    const [channel] = await select(this.db, 'where id = $1', [id]);
    return channel ?? null;
  }

  async byUuid(uuid: string): Promise<Channel | null> {
    const [channel] = await select(this.db, 'where uuid = $1', [uuid]);
    return channel ?? null;
  }

  async uuidsOf(ids: readonly number[]): Promise<{ id: number; uuid: string }[]> {
    return this.db.all(`select id, uuid from channels where id ${this.dialect.inList('$1')}`, [
      this.dialect.list(ids),
    ]);
  }

  /** The number of checks assigned to each channel of the project. Channels without any are left out. */
  async assignedCounts(projectId: number): Promise<Map<number, number>> {
    const rows = await this.db.all<{ channelId: number; checks: number }>(
      `select channel_id as "channelId", count(*) as checks from check_channels
        where channel_id in (select id from channels where project_id = $1) group by channel_id`,
      [projectId],
    );
    return new Map(rows.map(({ channelId, checks }) => [channelId, checks]));
  }

  /** All checks of the channel's project in order of creation, and whether the channel is assigned to each. */
  async assignableChecks({ id, projectId }: OwnedRow): Promise<AssignableCheck[]> {
    const rows = await this.db.all<Stored<AssignableCheck>>(
      `select uuid, name, tags,
              exists (select 1 from check_channels where check_id = checks.id and channel_id = $2) as "isAssigned"
         from checks where project_id = $1 order by id`,
      [projectId, id],
    );
    return rows.map((row) => ({ ...row, isAssigned: Boolean(row.isAssigned) }));
  }

  /**
   * Channels that fail since `failingUntil` or longer, while another one of their project has delivered, and whose
   * owners were not told of it. The longest first, at most `most`.
   */
  async leftBehind(failingUntil: Instant, most: number): Promise<Channel[]> {
    return select(
      this.db,
      `where failing_since_at <= $1 and verified and not disabled
         and (failing_told_at is null or failing_told_at < failing_since_at)
         and exists (select 1 from channels as other
                      where other.project_id = channels.project_id and other.id <> channels.id
                        and other.last_error = '' and other.last_notify_at > channels.failing_since_at)
       order by failing_since_at, id limit $2`,
      [failingUntil, most],
    );
  }

  /** The number of channels of the project, and of those that fail. */
  async health(projectId: number): Promise<ChannelCounts> {
    const rows = await this.db.all<{ total: number; failing: number | null }>(
      `select count(*) as total,
              sum(case when verified and not disabled and failing_since_at is not null then 1 else 0 end) as failing
         from channels where project_id = $1`,
      [projectId],
    );
    const { total, failing } = oneRow(rows);
    return { total, failing: failing ?? 0 };
  }

  /** The last code that its recipient was sent. Null if there was none, or it was used. */
  async keptCode(id: number): Promise<KeptCode | null> {
    return this.first('select digest, expires_at as "expiresAt" from channel_codes where channel_id = $1', [
      id,
    ]);
  }

  /** Channels of all projects after that id, in the order of their ids, at most `most`. */
  async page(afterId: number, most: number): Promise<Channel[]> {
    return select(this.db, 'where id > $1 order by id limit $2', [afterId, most]);
  }

  /** The channels assigned to each of the checks, with what a plan asks of them. */
  async plannedOf(checkIds: readonly number[]): Promise<Map<number, PlannedChannel[]>> {
    return selectPlanned(this.db, this.dialect, checkIds, '');
  }

  /** Channels by id, with what a plan asks of them. */
  async namedOf(ids: readonly number[]): Promise<PlannedChannel[]> {
    return selectNamed(this.db, this.dialect, ids, '');
  }

  /** The channels of these projects: enough to find them by UUID. */
  async ofProjects(
    projectIds: readonly number[],
  ): Promise<{ readonly id: number; readonly uuid: string; readonly projectId: number }[]> {
    return this.db.all(
      `select id, uuid, project_id as "projectId" from channels where project_id ${this.dialect.inList('$1')} order by id`,
      [this.dialect.list(projectIds)],
    );
  }

  /**
   * Channels that want reports and have no date for the next one. Also those with a date after `latest`, which only a wrong
   * clock can have set. At most `limit` of each.
   */
  async withoutReportDate(latest: Instant, limit: number): Promise<ReportedChannel[]> {
    return [
      ...(await this.#reported('channels.next_report_at <= $1 limit $2', [UNDATED, limit])),
      ...(await this.#reported('channels.next_report_at > $1 order by channels.next_report_at limit $2', [
        latest,
        limit,
      ])),
    ];
  }

  /** Channels whose report is due, the longest overdue first, at most `limit`. */
  async dueReports(now: Instant, limit: number): Promise<ReportedChannel[]> {
    return this.#reported(
      'channels.next_report_at > $1 and channels.next_report_at <= $2 order by channels.next_report_at limit $3',
      [UNDATED, now, limit],
    );
  }

  async #reported(where: string, params: readonly Scalar[]): Promise<ReportedChannel[]> {
    return this.db.all(
      `select channels.id, channels.report as period, channels.next_report_at as "nextReportAt", accounts.tz
         from channels join projects on projects.id = channels.project_id
         join accounts on accounts.id = projects.owner_id
        where ${where}`,
      params,
    );
  }
}

export class SqlChannels extends SqlChannelReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  get #keyShare(): string {
    return this.dialect.forUpdate === '' ? '' : 'for key share';
  }

  /** The channels assigned to each of the checks. None of them can be deleted until the transaction ends. */
  async lockAssigned(checkIds: readonly number[]): Promise<Map<number, AssignedChannel[]>> {
    const groups = await selectAssigned<AssignedRow>(this.db, this.dialect, checkIds, [], this.#keyShare);
    return new Map([...groups].map(([id, group]) => [id, group.map(toAssigned)]));
  }

  /** Does the same, with what a plan asks of channels. */
  async lockPlanned(checkIds: readonly number[]): Promise<Map<number, PlannedChannel[]>> {
    return selectPlanned(this.db, this.dialect, checkIds, this.#keyShare);
  }

  /** Channels by id, with what a plan asks of them. None of them can be deleted until the transaction ends. */
  async lockNamed(ids: readonly number[]): Promise<PlannedChannel[]> {
    return selectNamed(this.db, this.dialect, ids, this.#keyShare);
  }

  /** These channels, as `lockPlanned` tells of them. */
  async lockListeners(ids: readonly number[]): Promise<PlannedChannel[]> {
    const rows = await this.db.all<Omit<PlannedRow, 'checkId'>>(
      `select ${HELD}, uuid, kind, settings from channels as held where held.id ${this.dialect.inList('$1')}
        order by held.id ${this.dialect.forUpdate === '' ? '' : 'for key share of held'}`,
      [this.dialect.list(ids)],
    );
    return rows.map(toPlanned);
  }

  /** The channel, held until the transaction ends. */
  async lock(id: number): Promise<Channel | null> {
    const [channel] = await select(this.db, `where id = $1 ${this.dialect.forUpdate}`, [id]);
    return channel ?? null;
  }

  async insert(channel: NewChannel): Promise<Channel> {
    const id = await table.add(this.db, columnsOf(channel));
    await this.#usePolicies(channel);
    const inserted = { ...channel, id, lastAttempt: null, failingSince: null, pausedUntilAt: null };
    this.#touched.addChannel(inserted);
    return inserted;
  }

  /** Saves name, settings, verification, and whether it is off. */
  async update(channel: Channel): Promise<void> {
    this.#touched.addChannel(channel);
    await this.#usePolicies(channel);
    const columns = columnsOf(channel);
    await this.db.send(
      `update channels set ${table.assignments(SAVED, 3)}, paused_until_at = null,
              next_report_at = case when report = ${SAVED_REPORT} then next_report_at
                                    when ${SAVED_REPORT} = 'off' then null else ${UNDATED} end
        where id = $1 and project_id = $2`,
      [[channel.id, channel.projectId, ...SAVED.map((field) => columns[field])]],
    );
  }

  /** Only a plan puts messages together, and asks for hours. */
  async #usePolicies({
    projectId,
    settings: { open },
  }: Pick<NewChannel, 'projectId' | 'settings'>): Promise<void> {
    if (typeof open !== 'object' || open === null) return;
    if ('together_above' in open || ('hours' in open && typeof open.hours === 'string'))
      await this.db.send('update projects set has_policies = $2 where id = $1 and has_policies <> $2', [
        [projectId, true],
      ]);
  }

  /**
   * Assigns the channel to these checks of its project, and to no others. Returns null and changes nothing if one of
   * them is not in the project.
   */
  async assign(channel: OwnedRow, checks: readonly string[] | 'all'): Promise<AssignmentChange | null> {
    const wanted = await this.#lockWanted(channel, checks);
    if (checks !== 'all' && wanted.length < new Set(checks).size) return null;
    const list = this.dialect.list(wanted);
    const removed = await this.db.all<{ id: number }>(
      `delete from check_channels where channel_id = $1 and not (check_id ${this.dialect.inList('$2')})
       returning check_id as id`,
      [channel.id, list],
    );
    const added = await this.db.all<{ id: number }>(
      `insert into check_channels (check_id, channel_id)
       select id, $1 from checks where id ${this.dialect.inList('$2')}
          and not exists (select 1 from check_channels where check_id = checks.id and channel_id = $1)
       returning check_id as id`,
      [channel.id, list],
    );
    await this.#raiseRevisions(channel, [...removed, ...added]);
    return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
  }

  /** The ids of these checks of the project. They are locked, and so are the checks that are assigned already. */
  async #lockWanted({ id, projectId }: OwnedRow, checks: readonly string[] | 'all'): Promise<number[]> {
    const { hasArrays, forUpdate } = this.dialect;
    const among = hasArrays ? '= any($3::uuid[])' : 'in (select value from json_each($3))';
    const held =
      checks === 'all'
        ? await this.db.all<{ id: number; isWanted: boolean }>(
            `select id, true as "isWanted" from checks where project_id = $1 order by id ${forUpdate}`,
            [projectId],
          )
        : await this.db.all<{ id: number; isWanted: boolean | number }>(
            `select id, uuid ${among} as "isWanted" from checks
              where project_id = $1
                and (uuid ${among} or id in (select check_id from check_channels where channel_id = $2))
              order by id ${forUpdate}`,
            [projectId, id, hasArrays ? checks : JSON.stringify(checks)],
          );
    return held.filter(({ isWanted }) => Boolean(isWanted)).map((check) => check.id);
  }

  async #raiseRevisions(channel: OwnedRow, checks: readonly { readonly id: number }[]): Promise<void> {
    this.#touched.addChannel(channel);
    for (const { id } of checks) this.#touched.addCheck({ id, projectId: channel.projectId }, false);
    await this.db.send(`update checks set ${NEXT_REVISION} where id ${this.dialect.inList('$1')}`, [
      [this.dialect.list(checks.map(({ id }) => id))],
    ]);
  }

  /** Saves the settings alone, for a channel that was locked. */
  async setSettings(channel: OwnedRow, { open, sealed }: StoredSettings): Promise<void> {
    this.#touched.addChannel(channel);
    await this.db.send('update channels set settings = $2, sealed_settings = $3 where id = $1', [
      [channel.id, JSON.stringify(open), sealed],
    ]);
  }

  /** Moves the date of the next report. Returns false if the date or the period was changed since it was read. */
  async moveReport({ id, period, nextReportAt }: ReportedChannel, to: Instant): Promise<boolean> {
    const moved = await this.db.run(
      `update channels set next_report_at = $2
        where id = $1 and report = $3 and next_report_at = $4`,
      [id, to, period, nextReportAt],
    );
    return moved === 1;
  }

  /** Takes away the dates of reports that are to come. A clock that was ahead may have passed over one. */
  async forgetReportDates(now: Instant): Promise<void> {
    await this.db.run('update channels set next_report_at = $2 where next_report_at > $1', [now, UNDATED]);
  }

  /** Switches the channel off. A channel that is already off keeps its reason. */
  async switchOff(channel: OwnedRow, { reason, error, at }: SwitchedOff): Promise<void> {
    this.#touched.addChannel(channel);
    await this.db.send(
      `update channels set disabled = true, disabled_reason = $2, disabled_error = $3, disabled_at = $4
        where id = $1 and not disabled`,
      [[channel.id, reason, error, at]],
    );
  }

  /** Keeps the code in the place of an earlier one. */
  async keepCode({ id }: OwnedRow, { digest, expiresAt }: KeptCode): Promise<void> {
    await this.db.send(
      `insert into channel_codes (channel_id, digest, expires_at) values ($1, $2, $3)
       on conflict (channel_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
      [[id, digest, expiresAt]],
    );
  }

  async dropCode({ id }: OwnedRow): Promise<void> {
    await this.db.send('delete from channel_codes where channel_id = $1', [[id]]);
  }

  /**
   * Saves how the last attempt went, and since when attempts fail. A success ends that only if no alert waits that has failed:
   * a test message that arrives proves nothing about those.
   */
  async noteAttempt(channel: OwnedRow, { startedAt, duration, error }: LastAttempt): Promise<void> {
    this.#touched.addChannel(channel);
    await this.db.send(
      `update channels set last_notify_at = $2, last_notify_micros = $3, last_error = $4,
              failing_since_at = case
                when $4 <> '' then coalesce(failing_since_at, $2)
                when exists (select 1 from deliveries
                              where channel_id = $1 and next_attempt_at is not null and error <> '')
                  then failing_since_at
                else null end
        where id = $1`,
      [[channel.id, startedAt, duration, error]],
    );
  }

  /** Notes the last attempt of another program. People were told of it there. */
  async noteEarlierAttempt({ id }: OwnedRow, { startedAt, duration, error }: LastAttempt): Promise<void> {
    await this.db.send(
      'update channels set last_notify_at = $2, last_notify_micros = $3, last_error = $4 where id = $1',
      [[id, startedAt, duration, error]],
    );
  }

  /** Nothing is sent to the channel until then. A longer pause stays. */
  async pause(channel: OwnedRow, until: Instant): Promise<void> {
    this.#touched.addChannel(channel);
    await this.db.send(
      `update channels set paused_until_at = $2
        where id = $1 and (paused_until_at is null or paused_until_at < $2)`,
      [[channel.id, until]],
    );
  }

  async endPause(channel: OwnedRow): Promise<void> {
    this.#touched.addChannel(channel);
    await this.db.send('update channels set paused_until_at = null where id = $1', [[channel.id]]);
  }

  /** Saves an error that was reported after the provider had accepted a message. */
  async noteLateError(channel: OwnedRow, error: string): Promise<void> {
    this.#touched.addChannel(channel);
    await this.db.send(
      `update channels set last_error = $2, failing_since_at = coalesce(failing_since_at, last_notify_at)
        where id = $1`,
      [[channel.id, error]],
    );
  }

  /** Notes that the owner is told that it fails. False if that was noted before. */
  async noteFailingTold(channel: OwnedRow, now: Instant): Promise<boolean> {
    this.#touched.addChannel(channel);
    const noted = await this.db.all(
      `update channels set failing_told_at = $2
        where id = $1 and failing_since_at is not null
          and (failing_told_at is null or failing_told_at < failing_since_at) returning id`,
      [channel.id, now],
    );
    return noted.length > 0;
  }

  /** Removes the channel with its assignments and deliveries. */
  async delete(channel: OwnedRow): Promise<void> {
    const { id } = channel;
    // Checks are locked first, then their assignments, then the channel: editing an assignment does the same.
    await this.db.all(
      `select id from checks where id in (select check_id from check_channels where channel_id = $1)
        order by id ${this.dialect.forUpdate}`,
      [id],
    );
    const assigned = await this.db.all<{ id: number }>(
      'delete from check_channels where channel_id = $1 returning check_id as id',
      [id],
    );
    await this.#raiseRevisions(channel, assigned);
    await this.db.send(
      `update checks set done_channels = trim(replace(',' || done_channels || ',', ',' || told.uuid || ',', ','), ','),
              ${NEXT_REVISION}
         from (select cast(uuid as text) as uuid from channels where id = $2) as told
        where project_id = $1 and done_channels <> '' and done_channels like '%' || told.uuid || '%'`,
      [[channel.projectId, id]],
    );
    await this.db.send('delete from channels where id = $1', [[id]]);
  }

  /** Removes channels of a project that has no checks any more, at most `most`. Returns their number. */
  async deleteOfProject(projectId: number, most: number): Promise<number> {
    return this.db.run(
      'delete from channels where id in (select id from channels where project_id = $1 limit $2)',
      [projectId, most],
    );
  }
}

async function select(db: Reader, where: string, params: readonly Scalar[]): Promise<Channel[]> {
  const rows = await db.all<ChannelRow>(`${SELECT} ${where}`, params);
  return rows.map(toChannel);
}

function columnsOf({ settings, off, ...channel }: NewChannel): Record<keyof Columns, Scalar> {
  const report = reportIn(settings);
  return {
    ...channel,
    openSettings: JSON.stringify(settings.open),
    sealedSettings: settings.sealed,
    disabled: off !== null,
    disabledReason: off?.reason ?? null,
    disabledError: off?.error ?? '',
    disabledAt: off?.at ?? null,
    report,
    nextReportAt: report === 'off' ? null : UNDATED,
  };
}

function reportIn({ open }: StoredSettings): ChannelReport {
  return typeof open === 'object' && open !== null && 'report' in open ? asChannelReport(open.report) : 'off';
}

function toAssigned({ id, accountId, offReason }: Omit<AssignedRow, 'checkId'>): AssignedChannel {
  const isAsStored = offReason === null || offReason === 'project_deleted';
  return { id, accountId, offReason: isAsStored ? offReason : asOffReason(offReason) };
}

/** The channels assigned to these checks, with what a plan asks of them. `lock` is the end of the statement. */
async function selectPlanned(
  db: Reader,
  dialect: Dialect,
  checkIds: readonly number[],
  lock: string,
): Promise<Map<number, PlannedChannel[]>> {
  const groups = await selectAssigned<PlannedRow>(db, dialect, checkIds, ['uuid', 'kind', 'settings'], lock);
  return new Map([...groups].map(([id, group]) => [id, group.map(toPlanned)]));
}

async function selectNamed(
  db: Reader,
  dialect: Dialect,
  ids: readonly number[],
  lock: string,
): Promise<PlannedChannel[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<Omit<PlannedRow, 'checkId'>>(
    `select id, (select owner_id from projects where projects.id = channels.project_id) as "accountId",
            case when not ${isLive('channels.project_id')} then 'project_deleted'
                 when disabled then coalesce(disabled_reason, 'unknown') end as "offReason", uuid, kind, settings
       from channels where id ${dialect.inList('$1')}
      order by id ${lock}`,
    [dialect.list(ids)],
  );
  return rows.map(toPlanned);
}

async function selectAssigned<Row extends AssignedRow>(
  db: Reader,
  dialect: Dialect,
  checkIds: readonly number[],
  more: readonly string[],
  lock: string,
): Promise<Map<number, Row[]>> {
  const columns = more.map((column) => `, ${column}`).join('');
  // With `lateral` PostgreSQL reads the channels one by one through their index. With a plain join it may read the
  // whole table. Without a lock it would make a plain join of it, if not for the offset.
  const held =
    dialect.forUpdate === ''
      ? 'channels'
      : `lateral (select id, project_id, disabled, disabled_reason${columns} from channels
                   where channels.id = check_channels.channel_id ${lock || 'offset 0'})`;
  const links = await db.all<Row>(
    `select check_id as "checkId", ${HELD}${columns}
       from check_channels join ${held} as held on held.id = channel_id
      where check_id ${dialect.inList('$1')}
      order by held.id`,
    [dialect.list(checkIds)],
  );
  return Map.groupBy(links, ({ checkId }) => checkId);
}

function toPlanned({ uuid, kind, settings, ...row }: Omit<PlannedRow, 'checkId'>): PlannedChannel {
  return { ...toAssigned(row), uuid, kind, settings: { open: JSON.parse(settings), sealed: null } };
}

function toChannel(row: ChannelRow): Channel {
  const { id, uuid, projectId, kind, name, createdAt } = row;
  return {
    id,
    uuid,
    projectId,
    kind,
    name,
    settings: { open: JSON.parse(row.openSettings), sealed: row.sealedSettings },
    verified: Boolean(row.verified),
    off: row.disabled
      ? { reason: asOffReason(row.disabledReason), error: row.disabledError, at: row.disabledAt }
      : null,
    lastAttempt:
      row.lastNotifyAt === null
        ? null
        : { startedAt: row.lastNotifyAt, duration: row.lastNotifyMicros ?? 0, error: row.lastError },
    failingSince: row.failingSince,
    pausedUntilAt: row.pausedUntilAt,
    createdAt,
  };
}
