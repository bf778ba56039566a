import pg from 'pg';
import type { Clock } from '../../lib/clock.ts';
import type { Instant } from '../../lib/instant.ts';
import { StorageError, storageUnavailable } from '../driver.ts';
import { Availability } from './availability.ts';
import { endsSession, hasTooManyConnections, isReadOnly, isRefusal, isSilence, translate } from './errors.ts';

export const CONNECT_TIMEOUT_MS = 3_000;

export interface SessionPoolOptions {
  readonly clock: Clock;
  /** Called when the server closes a connection that is not in use. */
  readonly onLostConnection: (error: Error) => void;
  /** The wait for a free session; CONNECT_TIMEOUT_MS by default. */
  readonly connectTimeoutMs?: number;
}

/**
 * Sessions with a server that accepts writes. Each new session is asked once whether its server does. When a session
 * finds that its server is read-only or has disappeared, all sessions of the same generation are discarded without a
 * test: a new session may reach another server at the same address.
 */
export class SessionPool implements AsyncDisposable {
  readonly #pool: pg.Pool;
  readonly #availability: Availability;
  /** The generation of each session whose server accepts writes. */
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  readonly #connectTimeoutMs: number;
  #generation = 0;
  #hasConnected = false;

  constructor(config: pg.PoolConfig, options: SessionPoolOptions) {
    const { clock, onLostConnection, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
    this.#availability = new Availability(clock);
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#pool = new pg.Pool({ ...config, connectionTimeoutMillis: connectTimeoutMs });
    // Without listeners a connection that the server closes would end the process. This concerns idle connections and
    // those that a transaction holds between two statements. In the latter case the next statement fails.
    this.#pool.on('error', onLostConnection);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      endAlone(client);
    });
  }

  /**
   * Lends a session to the work. A session is discarded if it was lost or could not be rolled back. The server may have
   * ended only this session, so it is not yet considered unreachable: the next connection decides.
   */
  async use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const startedAt = this.#availability.admit();
    const client = await this.#acquire(startedAt);
    let isOver = false;
    try {
      return await work(client);
    } catch (error) {
      isOver = endsSession(error);
      if (isReadOnly(error) || isSilence(error)) this.#retire(client, startedAt, messageOf(error));
      throw translate(error);
    } finally {
      if (isOver || client.getTransactionStatus() !== 'I') discard(client);
      else client.release();
    }
  }

  async #acquire(startedAt: Instant): Promise<pg.PoolClient> {
    try {
      const client = await this.#currentSession();
      this.#availability.succeeded();
      this.#hasConnected = true;
      return client;
    } catch (error) {
      // If a connection has succeeded before, a refusal is an outage: an operator changes passwords, or a proxy changes
      // servers.
      const reason = messageOf(error);
      if (isRefusal(error) && !this.#hasConnected) throw new StorageError('fault', reason, { cause: error });
      if (!this.#isCrowded(error)) this.#availability.failed(startedAt, reason);
      throw storageUnavailable(`no connection to the database: ${reason}`, error);
    }
  }

  /** Discards retired sessions until it finds a good one. Each new session is tested. */
  async #currentSession(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      const generation = this.#generations.get(client);
      if (generation === this.#generation) return client;
      if (generation === undefined) return await this.#welcome(client);
      discard(client);
    }
  }

  async #welcome(client: pg.PoolClient): Promise<pg.PoolClient> {
    const generation = this.#generation;
    try {
      await requireWritable(client, this.#connectTimeoutMs);
    } catch (error) {
      discard(client);
      throw error;
    }
    this.#generations.set(client, generation);
    return client;
  }

  /** Retires all sessions of this session's generation, unless that was already done. */
  #retire(client: pg.PoolClient, startedAt: Instant, reason: string): void {
    if (this.#generations.get(client) === this.#generation) this.#generation++;
    this.#availability.failed(startedAt, reason);
  }

  /**
   * A full pool, ours or the server's, does not mean that the server is unreachable: it is serving the requests before
   * us.
   */
  #isCrowded(error: unknown): boolean {
    const { totalCount, idleCount, options } = this.#pool;
    return hasTooManyConnections(error) ? totalCount > 0 : totalCount >= options.max && idleCount === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

/**
 * Once we have ended the connection, it is closed without waiting for the server to end it, too: one that has vanished
 * never does, and the socket would keep the process from ending. To be called when it is connected.
 */
export function endAlone({ connection: { stream } }: pg.Client): void {
  stream.once('finish', () => stream.destroy());
}

/** Throws a session away. Statements that the server has left unanswered are not waited for. */
function discard(client: pg.PoolClient): void {
  client.release(true);
  client.connection.stream.destroy();
}

async function requireWritable(client: pg.PoolClient, timeoutMs: number): Promise<void> {
  const question: pg.QueryConfig & Pick<pg.ClientConfig, 'query_timeout'> = {
    text: 'show transaction_read_only',
    query_timeout: timeoutMs,
  };
  const { rows } = await client.query<{ transaction_read_only: string }>(question);
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the database server is read-only');
}

/** A name with several addresses fails with the failures of all, and without a message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
