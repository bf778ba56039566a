import type { DatabaseSync } from 'node:sqlite';
import { fromIso, type Instant } from '../../lib/instant.ts';
import { decodeBody } from '../../lib/text/excerpt.ts';
import { SourceError } from '../source-error.ts';

/** Columns without which the database cannot be of a version that knows push monitors. */
const REQUIRED = {
  setting: ['key', 'value'],
  monitor: ['id', 'name', 'active', 'interval', 'type', 'maxretries', 'upside_down', 'push_token'],
  heartbeat: ['id', 'monitor_id', 'status', 'msg', 'time', 'ping', 'important'],
  notification: ['id', 'name', 'config'],
  monitor_notification: ['monitor_id', 'notification_id'],
} as const;

/** Kuma writes it for a push that has not come in time. */
const SILENCE = 'No heartbeat in the time window';

/** The status of a heartbeat. */
export const BEAT = { down: 0, up: 1, pending: 2, maintenance: 3 } as const;

/** Heartbeats that come from a push. */
const IS_PUSH = `status <> ${BEAT.maintenance} and not (status <> ${BEAT.up} and coalesce(msg, '') = '${SILENCE}')`;

export interface Monitor {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly isActive: boolean;
  readonly parent: number | null;
  readonly interval: number;
  readonly retries: number;
  readonly retryInterval: number;
  /** Heartbeats after which Kuma repeats an alert. */
  readonly resendInterval: number;
  readonly isUpsideDown: boolean;
  readonly pushToken: string;
  readonly createdAt: Instant | null;
}

export interface Notification {
  readonly id: number;
  readonly name: string;
  /** JSON, as Kuma has stored it. */
  readonly config: string;
}

export interface Beat {
  readonly id: number;
  readonly status: number;
  readonly message: string;
  readonly at: Instant;
  /** In milliseconds. */
  readonly ping: number | null;
  readonly isSilence: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads the rows of `kuma.db`. Any column may hold anything, since SQLite does not enforce types. */
export class KumaDatabase {
  readonly #database: DatabaseSync;
  /** A time that cannot be read is this. Nothing is later. */
  readonly #now: Instant;
  readonly jwtSecret: string;
  readonly version: '1' | '2';

  /** `path` is for messages. */
  constructor(database: DatabaseSync, path: string, now: Instant) {
    this.#database = database;
    this.#now = now;
    this.#requireColumns(path);
    this.version = this.#columns('knex_migrations').size > 0 ? '2' : '1';
    const [secret] = this.#rows("select value from setting where key = 'jwtSecret'");
    this.jwtSecret = text(secret?.value);
    if (this.jwtSecret === '')
      throw new SourceError(`${path} has no setting jwtSecret: start Uptime Kuma with it once`);
  }

  monitors(): Monitor[] {
    const optional = ['description', 'parent', 'retry_interval', 'resend_interval', 'created_date'];
    const known = this.#columns('monitor');
    const further = optional.map((name) => (known.has(name) ? name : `null as ${name}`)).join(', ');
    const columns = `id, name, active, interval, type, maxretries, upside_down, push_token, ${further}`;
    return this.#rows(`select ${columns} from monitor order by id`).map((row) => ({
      id: number(row.id),
      name: text(row.name),
      description: text(row.description),
      type: text(row.type),
      isActive: number(row.active) !== 0,
      parent: row.parent === null ? null : number(row.parent),
      interval: number(row.interval),
      retries: number(row.maxretries),
      retryInterval: number(row.retry_interval),
      resendInterval: number(row.resend_interval),
      isUpsideDown: number(row.upside_down) !== 0,
      pushToken: text(row.push_token),
      createdAt: this.#instant(row.created_date),
    }));
  }

  /** The tags of each monitor as `name` or `name value`. */
  tags(): Map<number, string[]> {
    if (this.#columns('tag').size === 0 || this.#columns('monitor_tag').size === 0) return new Map();
    const rows = this.#rows(
      'select monitor_id, name, value from monitor_tag join tag on tag.id = tag_id order by monitor_tag.id',
    );
    return byMonitor(rows, (row) => `${text(row.name)} ${text(row.value)}`);
  }

  notifications(): Notification[] {
    const rows = this.#rows('select id, name, config from notification order by id');
    return rows.map((row) => ({ id: number(row.id), name: text(row.name), config: text(row.config) }));
  }

  /** The ids of the notifications of each monitor. */
  assignments(): Map<number, number[]> {
    const rows = this.#rows('select monitor_id, notification_id from monitor_notification order by id');
    return byMonitor(rows, (row) => number(row.notification_id));
  }

  count(table: string, condition = 'true'): number {
    if (this.#columns(table).size === 0) return 0;
    const [row] = this.#rows(`select count(*) as count from "${table}" where ${condition}`);
    return number(row?.count);
  }

  hasColumn(table: string, column: string): boolean {
    return this.#columns(table).has(column);
  }

  countPushes(monitor: number, until?: Instant): number {
    const sql = `select count(*) as count from heartbeat where monitor_id = ? and ${IS_PUSH}`;
    const [row] =
      until === undefined
        ? this.#rows(sql, monitor)
        : this.#rows(`${sql} and time <= ?`, monitor, writtenTime(until));
    return number(row?.count);
  }

  /** The newest heartbeats that meet the condition, oldest first. */
  newestBeats(monitor: number, which: 'all' | 'pushes' | 'results' | 'important', most: number): Beat[] {
    const condition = {
      all: 'true',
      pushes: IS_PUSH,
      results: `${IS_PUSH} and status in (${BEAT.up}, ${BEAT.down})`,
      important: 'important = 1',
    }[which];
    const sql = `select id, status, msg, time, ping from heartbeat
      where monitor_id = ? and ${condition} order by id desc limit ?`;
    return this.#rows(sql, monitor, most)
      .map((row) => this.#beat(row))
      .reverse();
  }

  oldestBeat(monitor: number): Beat | null {
    const sql = 'select id, status, msg, time, ping from heartbeat where monitor_id = ? order by id limit 1';
    const [row] = this.#rows(sql, monitor);
    return row === undefined ? null : this.#beat(row);
  }

  beat(id: number): Beat | null {
    const [row] = this.#rows('select id, status, msg, time, ping from heartbeat where id = ?', id);
    return row === undefined ? null : this.#beat(row);
  }

  #beat(row: Row): Beat {
    const message = text(row.msg);
    const status = number(row.status);
    return {
      id: number(row.id),
      status,
      message,
      at: this.#instant(row.time) ?? this.#now,
      ping: row.ping === null ? null : number(row.ping),
      isSilence: status !== BEAT.up && message === SILENCE,
    };
  }

  #instant(value: unknown): Instant | null {
    const at = fromIso(`${text(value).trim().replace(' ', 'T')}Z`);
    return at === null || at < 0 ? null : Math.min(at, this.#now);
  }

  #requireColumns(path: string): void {
    const isKuma = ['monitor', 'heartbeat', 'setting'].every((table) => this.#columns(table).size > 0);
    if (!isKuma) throw new SourceError(`${path} is no database of Uptime Kuma`);
    for (const [table, columns] of Object.entries(REQUIRED)) {
      const known = this.#columns(table);
      const missing = columns.find((column) => !known.has(column));
      if (missing !== undefined)
        throw new SourceError(
          `${path} has no column ${missing} in ${table}: update Uptime Kuma to 1.23 or newer first`,
        );
    }
  }

  #columns(table: string): Set<string> {
    return new Set(this.#rows('select name from pragma_table_info(?)', table).map(({ name }) => text(name)));
  }

  #rows(sql: string, ...values: (string | number)[]): Row[] {
    const statement = this.#database.prepare(sql);
    // Else a number above 2^53 would be an error.
    statement.setReadBigInts(true);
    return statement.all(...values);
  }
}

/** Kuma writes `2026-11-17 00:01:05.392`, in UTC. */
function writtenTime(at: Instant): string {
  return new Date(at / 1_000).toISOString().replace('T', ' ').replace('Z', '');
}

function byMonitor<T>(rows: readonly Row[], read: (row: Row) => T): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const row of rows) {
    const id = number(row.monitor_id);
    found.set(id, [...(found.get(id) ?? []), read(row)]);
  }
  return found;
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function text(value: unknown): string {
  const read = value instanceof Uint8Array ? decodeBody(value) : String(value ?? '');
  return read.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** Text and other things that are not a number count as 0. */
function number(value: unknown): number {
  const read = Number(typeof value === 'bigint' || typeof value === 'number' ? value : text(value));
  return Number.isFinite(read) ? read : 0;
}
