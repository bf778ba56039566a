import pg from 'pg';
import {
  type Driver,
  doWork,
  readAnyRow,
  type Scalar,
  StorageError,
  type Value,
  type Writer,
} from '../driver.ts';
import { Sent } from '../sent.ts';
import { postgresDialect } from './dialect.ts';
import { isDeadlock, translate } from './errors.ts';
import { CONNECT_TIMEOUT_MS, SessionPool, type SessionPoolOptions } from './session-pool.ts';

const TRANSACTION_TRIES = 4;
/** A busy process may pause for a moment. */
const MIN_HALT_MS = 2_000;
const OLDEST_VERSION = 15;
// The longest that a timer takes.
const UNBOUNDED_MS = 2 ** 31 - 1;

export interface PostgresOptions extends SessionPoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutSeconds: number;
}

export class PostgresDriver implements Driver {
  readonly dialect = postgresDialect;
  readonly #sessions: SessionPool;
  readonly #statementTimeoutMs: number;

  constructor(options: PostgresOptions) {
    const statementTimeoutMs = options.statementTimeoutSeconds * 1000;
    this.#statementTimeoutMs = statementTimeoutMs;
    const config: pg.PoolConfig = {
      connectionString: options.url,
      application_name: 'tocsin',
      max: options.poolSize,
      statement_timeout: statementTimeoutMs,
      lock_timeout: statementTimeoutMs,
      // Nothing of ours waits for anybody within a transaction: a node that does has halted, and must let go of its rows
      // before those who wait for them give up.
      idle_in_transaction_session_timeout: Math.max(statementTimeoutMs / 2, MIN_HALT_MS),
      keepAlive: true,
      // A statement need not wait for the answer to the one before.
      pipeline: true,
      types: { getTypeParser: typeParser },
    };
    this.#sessions = new SessionPool(config, options);
  }

  /** Refuses a server that is too old to be tested against. */
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

  async transaction<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#withSession((session) => transact(session, work));
      } catch (error) {
        if (!isDeadlock(error) || tries === TRANSACTION_TRIES) throw error;
      }
    }
  }

  probe(): Promise<void> {
    return readAnyRow(this);
  }

  #withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#sessions.use((client) => work(new Session(client, this.#statementTimeoutMs)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
  }
}

async function transact<T>(session: Session, work: (tx: Writer) => Promise<T>): Promise<T> {
  const sent = new Sent();
  const begun = session.query({ text: 'begin' });
  sent.add(begun);
  /** What is written before the transaction has begun would be committed by itself: only a look may travel with it. */
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
    // If it fails the connection is gone, or in a state nobody knows: the client is thrown away.
    await session.query({ text: 'rollback' }).catch(() => undefined);
    // By now all that was sent is answered. What failed first is why the rest did.
    throw translate(sent.failure?.error ?? error);
  }
}

/** After a statement that failed the server answers with a rollback, and calls that a success. */
async function commit(session: Session): Promise<void> {
  const { command } = await session.query({ text: 'commit' });
  if (command !== 'COMMIT') throw new StorageError('fault', `the commit was answered with ${command}`);
}

/** A client while it is ours. Statements are sent at once, and answered in their order. */
class Session {
  readonly #client: pg.PoolClient;
  readonly #statementTimeoutMs: number;
  #unanswered = 0;

  constructor(client: pg.PoolClient, statementTimeoutMs: number) {
    this.#client = client;
    this.#statementTimeoutMs = statementTimeoutMs;
  }

  async all<Row>(sql: string, params: readonly Value[]): Promise<Row[]> {
    // Rows are what the statement selects; the caller names that shape, next to the text.
    return (await this.run(sql, params)).rows as Row[];
  }

  async run(sql: string, params: readonly Value[]): Promise<pg.QueryResult> {
    try {
      return await this.query({ name: statementName(sql), text: sql, values: params.map(bindable) });
    } catch (error) {
      throw translate(error);
    }
  }

  async repeat<Row>(sql: string, sets: readonly (readonly Value[])[]): Promise<Row[]> {
    const answers = await Promise.all(sets.map((params) => this.all<Row>(sql, params)));
    return answers.flat();
  }

  /** The server bounds what a migration does, or does not; waiting for its answer has no bound of ours. */
  async script(sql: string): Promise<void> {
    await this.query({ text: sql }, UNBOUNDED_MS);
  }

  /**
   * The server gives each statement its time. One that vanished without a word answers nothing at all: then we give up
   * after the time of all that are ahead of it, and some more.
   */
  async query(
    statement: pg.QueryConfig,
    timeoutMs = (this.#unanswered + 1) * this.#statementTimeoutMs + CONNECT_TIMEOUT_MS,
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

/** Named statements are planned once for each connection; the texts are few, because they are written out. */
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

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO: the client's own way takes twice as long. */
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

/** All our bigints (ids, microseconds, counts) fit a number; the client would hand them out as text. */
function typeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}
