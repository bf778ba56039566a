import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type Driver,
  doWork,
  readAnyRow,
  type Scalar,
  StorageError,
  type TransactionOptions,
  type Value,
  type Writer,
} from '../driver.ts';
import { Sent } from '../sent.ts';
import { postgresDialect } from './dialect.ts';
import { isDeadlock, translate } from './errors.ts';
import { CONNECT_TIMEOUT_MS, SessionPool, type SessionPoolOptions } from './session-pool.ts';

const TRANSACTION_TRIES = 4;
/** After a deadlock. Without it the transaction could take its rows again before the other one wakes up. */
const PAUSE_AFTER_DEADLOCK_MS = 20;
/** A busy process may pause for a moment, so the server waits at least this long before it ends an idle transaction. */
const MIN_HALT_MS = 2_000;
export const OLDEST_VERSION = 15;
/** Held by the process that runs statements outside of transactions. The number is the provisioning lock's plus one. */
const ALONE_LOCK = '127970320839024';
// The largest delay that a timer accepts.
const UNBOUNDED_MS = 2 ** 31 - 1;

export interface PostgresOptions extends SessionPoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutSeconds: number;
}

interface Times {
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

/** The settings of every session. */
export function sessionConfig({
  url,
  poolSize,
  statementTimeoutSeconds,
}: Pick<PostgresOptions, 'url' | 'poolSize' | 'statementTimeoutSeconds'>): pg.PoolConfig {
  const statementTimeoutMs = statementTimeoutSeconds * 1000;
  return {
    connectionString: url,
    application_name: 'tocsin',
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    // Our transactions never wait for anything between two statements. A node that does has halted. The server must
    // release its rows before the requests that wait for them time out.
    idle_in_transaction_session_timeout: Math.max(statementTimeoutMs / 2, MIN_HALT_MS),
    keepAlive: true,
    // A statement is sent before the previous one is answered.
    pipeline: true,
    types: { getTypeParser: typeParser },
  };
}

export class PostgresDriver implements Driver {
  readonly dialect = postgresDialect;
  readonly #sessions: SessionPool;
  readonly #times: Times;

  constructor(options: PostgresOptions) {
    const statementTimeoutMs = options.statementTimeoutSeconds * 1000;
    this.#times = { statementTimeoutMs, connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS };
    this.#sessions = new SessionPool(sessionConfig(options), options);
  }

  /** Throws if the server is older than the versions that are tested. */
  async requireSupportedVersion(): Promise<void> {
    const [row] = await this.all<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    const version = row?.version ?? 0;
    if (version < OLDEST_VERSION) {
      throw new StorageError(
        'fault',
        `PostgreSQL ${version} is too old: ${OLDEST_VERSION} or newer is needed`,
      );
    }
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#withSession((session) => session.all<Row>(sql, params));
  }

  async transaction<T>(
    work: (tx: Writer) => Promise<T>,
    { fillsTables = false }: TransactionOptions = {},
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#withSession((session) => transact(session, work), { keepsPlans: !fillsTables });
      } catch (error) {
        if (!isDeadlock(error) || tries === TRANSACTION_TRIES) throw error;
        await sleep(PAUSE_AFTER_DEADLOCK_MS * tries);
      }
    }
  }

  /** A process that waits holds no snapshot, for which a concurrent index would wait in turn. */
  runAlone(statements: readonly string[]): Promise<boolean> {
    return this.#withSession(async (session) => {
      const [row] = await session.all<{ isOurs: boolean }>(
        `select pg_try_advisory_lock(${ALONE_LOCK}) as "isOurs"`,
        [],
      );
      if (row?.isOurs !== true) return false;
      try {
        await session.script('set statement_timeout = 0; set lock_timeout = 0');
        for (const statement of statements) await session.script(statement);
        return true;
      } catch (error) {
        // Of several starts at once one may hold a table that a concurrent index waits for. It is made at the next try.
        if (isDeadlock(error)) return false;
        throw error;
      } finally {
        await session.script(
          `reset statement_timeout; reset lock_timeout; select pg_advisory_unlock(${ALONE_LOCK})`,
        );
      }
    });
  }

  probe(): Promise<void> {
    return readAnyRow(this);
  }

  #withSession<T>(work: (session: Session) => Promise<T>, { keepsPlans = true } = {}): Promise<T> {
    return this.#sessions.use((client) => work(new Session(client, this.#times, keepsPlans)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
  }
}

async function transact<T>(session: Session, work: (tx: Writer) => Promise<T>): Promise<T> {
  const sent = new Sent();
  const begun = session.query({ text: 'begin' });
  sent.add(begun);
  /** Only a select is sent together with `begin`. If `begin` failed, a write would be committed on its own. */
  const ready = (sql: string) => (/^\s*select\b/.test(sql) ? undefined : begun);
  try {
    const statements: Writer = {
      revision: null,
      all: async (sql, params = []) => {
        await ready(sql);
        return session.all(sql, params);
      },
      run: async (sql, params = []) => {
        await ready(sql);
        return (await session.run(sql, params)).rowCount ?? 0;
      },
      repeat: async (sql, sets) => {
        await ready(sql);
        return session.repeat(sql, sets);
      },
      send: async (sql, sets) => {
        await ready(sql);
        for (const params of sets) sent.add(session.run(sql, params));
      },
      script: async (sql) => {
        await begun;
        await session.script(sql);
      },
    };
    const result = await doWork(statements, work);
    if (sent.failure !== null) throw sent.failure.error;
    sent.add(commit(session));
    await sent.haveSucceeded();
    return result;
  } catch (error) {
    // If the rollback fails, the state of the connection is unknown, and the pool discards the client.
    await session.query({ text: 'rollback' }).catch(() => undefined);
    // By now all statements are answered. The first failure is the cause of the others.
    throw translate(sent.failure?.error ?? error);
  }
}

/**
 * Commits. After a failed statement the server answers with a rollback and reports success, so the answer is checked.
 */
async function commit(session: Session): Promise<void> {
  const { command } = await session.query({ text: 'commit' });
  if (command !== 'COMMIT') throw new StorageError('fault', `the commit was answered with ${command}`);
}

/** A client while we hold it. Statements are sent at once and answered in order. */
class Session {
  readonly #client: pg.PoolClient;
  readonly #times: Times;
  readonly #keepsPlans: boolean;
  #unanswered = 0;

  constructor(client: pg.PoolClient, times: Times, keepsPlans: boolean) {
    this.#client = client;
    this.#times = times;
    this.#keepsPlans = keepsPlans;
  }

  async all<Row>(sql: string, params: readonly Value[]): Promise<Row[]> {
    // The rows have the columns of the statement; the caller names their type next to the statement.
    return (await this.run(sql, params)).rows as Row[];
  }

  async run(sql: string, params: readonly Value[]): Promise<pg.QueryResult> {
    try {
      const name = this.#keepsPlans ? { name: statementName(sql) } : {};
      return await this.query({ ...name, text: sql, values: params.map(bindable) });
    } catch (error) {
      throw translate(error);
    }
  }

  async repeat<Row>(sql: string, sets: readonly (readonly Value[])[]): Promise<Row[]> {
    const answers = await Promise.all(sets.map((params) => this.all<Row>(sql, params)));
    return answers.flat();
  }

  /** The server limits the time of a migration if it is limited at all. We wait for the answer without a limit. */
  async script(sql: string): Promise<void> {
    await this.query({ text: sql }, UNBOUNDED_MS);
  }

  /**
   * The server limits the time of each statement. A server that disappeared sends no answer at all. Then we give up
   * after the time of all unanswered statements plus the time of a connection.
   */
  async query(
    statement: pg.QueryConfig,
    timeoutMs = (this.#unanswered + 1) * this.#times.statementTimeoutMs + this.#times.connectTimeoutMs,
  ): Promise<pg.QueryResult> {
    const timed: pg.QueryConfig & Pick<pg.ClientConfig, 'query_timeout'> = {
      ...statement,
      query_timeout: timeoutMs,
    };
    this.#unanswered++;
    try {
      return await this.#client.query(timed);
    } finally {
      this.#unanswered--;
    }
  }
}

const statementNames = new Map<string, string>();

/**
 * PostgreSQL plans a named statement once for each connection, and one without a name each time. There are few names, because each text is written out in
 * the code.
 */
function statementName(sql: string): string {
  let name = statementNames.get(sql);
  if (name === undefined) {
    name = `s${statementNames.size + 1}`;
    statementNames.set(sql, name);
  }
  return name;
}

function bindable(value: Value): unknown {
  if (isArray(value)) return arrayText(value);
  return value instanceof Uint8Array ? bufferOf(value) : value;
}

function isArray(value: Value): value is readonly Scalar[] {
  return Array.isArray(value);
}

/**
 * https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO: the client library's own conversion takes twice as
 * long.
 */
function arrayText(values: readonly Scalar[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: Scalar): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string')
    return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;
  return value instanceof Uint8Array ? `"\\\\x${bufferOf(value).toString('hex')}"` : String(value);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** All our bigints (ids, microseconds, counts) fit a number. The client library would return them as text. */
function typeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}
