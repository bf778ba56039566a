import pg from 'pg';
import { type Changes, type ProjectChange, type TouchedIds, wholeProject } from '../../domain/change.ts';
import type { Reader } from '../driver.ts';
import { CONNECT_TIMEOUT_MS, endAlone } from './session-pool.ts';

const CHANNEL = 'tocsin_changes';
/** https://www.postgresql.org/docs/current/sql-notify.html: a payload must be shorter than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_999;
/**
 * The largest number of notifications that name rows. If more would be needed, the notifications name only the
 * projects.
 */
const MAX_DETAILED_NOTICES = 10;
/** A connection that breaks silently is noticed within this time. */
const PROBE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`;
const LISTEN = `listen ${CHANNEL}`;

export interface ChangeNoticesOptions {
  readonly url: string;
  /** The name of this node. Notifications with this name are our own. */
  readonly node: string;
  /**
   * Receives the changes of other nodes. After each new connection it receives `everything`, because earlier
   * notifications are lost.
   */
  readonly onChanges: (changes: Changes) => void;
  /** Called once when the connection is lost, and again only after the next connection is lost. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Announces changes between the nodes of one PostgreSQL with `LISTEN` and `NOTIFY`. It uses a connection of its own:
 * the pool lends its connections to others. It does not notify within the transaction of a ping: all such commits would
 * wait for each other.
 */
export class ChangeNotices implements AsyncDisposable {
  readonly #options: ChangeNoticesOptions;
  #client: pg.Client | null = null;
  #pauseMs = 0;
  #isLost = false;
  #isDisposed = false;

  constructor(options: ChangeNoticesOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#client !== null;
  }

  /** Connects, or sees whether the connection is good; to be repeated after the milliseconds that it returns. */
  async tick(): Promise<number> {
    if (this.#client !== null && (await this.#isGood(this.#client))) return PROBE_MS;
    try {
      await this.#connect();
      this.#isLost = false;
      this.#pauseMs = 0;
      return PROBE_MS;
    } catch (error) {
      this.#tellLost(error);
      this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), MAX_PAUSE_MS);
      return this.#pauseMs;
    }
  }

  /** Notifies all other nodes. Rejects if there is no connection or the connection is lost. */
  async publish(changes: Changes): Promise<void> {
    const client = this.#client;
    if (client === null) throw new Error('there is no connection for notifications');
    try {
      await client.query(NOTIFY, [encodeNotices(this.#options.node, changes)]);
    } catch (error) {
      // The connection may be in an unknown state, so the next call opens a new one.
      await client.end();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'tocsin changes',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    let failure: unknown;
    client.on('error', (error) => {
      failure = error;
    });
    client.on('end', () => this.#forget(client, failure));
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    try {
      await client.connect();
      endAlone(client);
      await client.query(LISTEN);
    } catch (error) {
      await client.end();
      throw error;
    }
    this.#client = client;
    this.#options.onChanges('everything');
  }

  /** Runs `LISTEN` again. Usually this changes nothing, but a proxy may have connected us to another server. */
  async #isGood(client: pg.Client): Promise<boolean> {
    try {
      await client.query(LISTEN);
      return true;
    } catch {
      await client.end();
      return false;
    }
  }

  #forget(client: pg.Client, failure: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#tellLost(failure);
  }

  #tellLost(error: unknown): void {
    if (this.#isLost || this.#isDisposed) return;
    this.#isLost = true;
    this.#options.onLost(error);
  }

  #receive(payload: string): void {
    const { node, changes } = decodeNotice(payload);
    if (node !== this.#options.node) this.#options.onChanges(changes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#client?.end();
  }
}

/** For a program that makes a change and ends. */
export async function sendNotices(db: Reader, node: string, changes: Changes): Promise<void> {
  await db.all(NOTIFY, [encodeNotices(node, changes)]);
}

/** `[project, checks, channels, touchesStatus]` */
type PackedChange = readonly [number, TouchedIds, TouchedIds, boolean];

interface Notice {
  readonly node: string;
  readonly changes: Changes;
}

/** Returns the payloads for these changes. If there would be too many, they name only the projects. */
export function encodeNotices(node: string, changes: Changes): string[] {
  if (changes === 'everything') return [JSON.stringify({ node, changes })];
  // One more than may be is enough to know: the rest is not spelled out in vain.
  const detailed = [...payloads(node, changes).take(MAX_DETAILED_NOTICES + 1)];
  if (detailed.length <= MAX_DETAILED_NOTICES) return detailed;
  const whole = changes.map(({ projectId }) => wholeProject(projectId));
  return [...payloads(node, whole)];
}

/** All characters are of one byte. One project always fits: it names few enough ids. */
function* payloads(node: string, changes: readonly ProjectChange[]): Generator<string> {
  const head = `{"node":${JSON.stringify(node)},"changes":[`;
  let items: string[] = [];
  let length = head.length + 1;
  for (const { projectId, checkIds, channelIds, touchesStatus } of changes) {
    const item = JSON.stringify([projectId, checkIds, channelIds, touchesStatus] satisfies PackedChange);
    if (length + item.length + 1 > MAX_PAYLOAD_BYTES) {
      yield `${head}${items.join(',')}]}`;
      items = [];
      length = head.length + 1;
    }
    items.push(item);
    length += item.length + 1;
  }
  if (items.length > 0) yield `${head}${items.join(',')}]}`;
}

/** A payload that cannot be read may come from another version of the program. Then anything may have changed. */
export function decodeNotice(payload: string): Notice {
  try {
    const { node, changes } = JSON.parse(payload);
    if (changes === 'everything') return { node: String(node), changes };
    return { node: String(node), changes: changes.map(toChange) };
  } catch {
    return { node: '', changes: 'everything' };
  }
}

function toChange([projectId, checkIds, channelIds, touchesStatus]: readonly unknown[]): ProjectChange {
  if (!isId(projectId)) throw new Error('a change of no project');
  return {
    projectId,
    checkIds: toIds(checkIds),
    channelIds: toIds(channelIds),
    // An older version of the program does not tell.
    touchesStatus: touchesStatus !== false,
  };
}

function toIds(value: unknown): TouchedIds {
  if (value === 'all') return value;
  if (!Array.isArray(value) || !value.every(isId)) throw new Error('no ids');
  return value;
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
