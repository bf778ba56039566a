import { hasLongBody, type NewPing, type Ping } from '../../domain/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Scalar, Writer } from '../driver.ts';
import type { PingReads, PingWrites } from '../store.ts';
import { abandonBodies } from './bodies.ts';
import { oneRow, sendForAll, unnest } from './table.ts';

/** Without the body, which may be long and is rarely needed. */
const COLUMNS = `check_id as "checkId", n, created_at as "createdAt", signal, scheme, method,
  remote_addr as "remoteAddr", user_agent as "userAgent", rid, exit_status as "exitStatus",
  coalesce(long_body_size, length(body), 0) as "bodySize"`;

export class SqlPingReads implements PingReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async latest(checkId: number, limit: number): Promise<Ping[]> {
    return this.#db.all(`select ${COLUMNS} from pings where check_id = $1 order by n desc limit $2`, [
      checkId,
      limit,
    ]);
  }

  async before(checkId: number, n: number, from: Instant): Promise<Ping[]> {
    return this.#db.all(
      `select ${COLUMNS} from pings where check_id = $1 and n < $2 and created_at >= $3 order by n`,
      [checkId, n, from],
    );
  }

  async lastUntil(checkId: number, at: Instant): Promise<Ping | null> {
    // The times of a check's pings grow with their numbers, so few rows are skipped.
    const [ping] = await this.#db.all<Ping>(
      `select ${COLUMNS} from pings where check_id = $1 and created_at <= $2 order by n desc limit 1`,
      [checkId, at],
    );
    return ping ?? null;
  }

  async oldestAt(checkId: number): Promise<Instant | null> {
    const [row] = await this.#db.all<{ createdAt: Instant }>(
      'select created_at as "createdAt" from pings where check_id = $1 order by n limit 1',
      [checkId],
    );
    return row?.createdAt ?? null;
  }

  async body(checkId: number, n: number): Promise<Uint8Array | null> {
    const [row] = await this.#db.all<{ body: Uint8Array | null }>(
      `select coalesce(body, (select body from ping_bodies where check_id = $1 and n = $2)) as body
         from pings where check_id = $1 and n = $2`,
      [checkId, n],
    );
    return row?.body ?? null;
  }

  async objectSize(checkId: number, n: number): Promise<number | null> {
    const [row] = await this.#db.all<{ size: number | null }>(
      `select long_body_size as size from pings where check_id = $1 and n = $2
          and not exists (select 1 from ping_bodies where check_id = $1 and n = $2)`,
      [checkId, n],
    );
    return row?.size ?? null;
  }
}

const INSERTED = {
  check_id: 'bigint',
  n: 'bigint',
  created_at: 'bigint',
  signal: 'text',
  scheme: 'text',
  method: 'text',
  remote_addr: 'text',
  user_agent: 'text',
  rid: 'uuid',
  exit_status: 'integer',
  body: 'bytea',
  long_body_size: 'bigint',
};

const INTO = `insert into pings (${Object.keys(INSERTED).join(', ')})`;

const INSERT = {
  one: `${INTO} values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
  many: `${INTO} select * from ${unnest(Object.values(INSERTED))}`,
};

const INTO_BODIES = 'insert into ping_bodies (check_id, n, body)';

const INSERT_BODY = {
  one: `${INTO_BODIES} values ($1, $2, $3)`,
  many: `${INTO_BODIES} select * from ${unnest(['bigint', 'bigint', 'bytea'])}`,
};

export class SqlPings extends SqlPingReads implements PingWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    super(db);
    this.#db = db;
    this.#dialect = dialect;
  }

  async insertMany(pings: readonly NewPing[]): Promise<void> {
    await sendForAll(this.#db, this.#dialect, INSERT, pings.map(valuesOf));
    const bodies = pings.filter(hasLongBody).map(({ checkId, n, body }) => [checkId, n, body]);
    await sendForAll(this.#db, this.#dialect, INSERT_BODY, bodies);
  }

  async prune(checkId: number, upTo: number, most: number): Promise<number> {
    const oldest = await this.#db.all<{ last: number | null }>(
      `select max(n) as last from
         (select n from pings where check_id = $1 and n <= $2 order by n limit $3) as oldest`,
      [checkId, upTo, most],
    );
    const { last } = oneRow(oldest);
    if (last === null) return 0;
    await abandonBodies(this.#db, checkId, last);
    await this.#db.send('delete from ping_bodies where check_id = $1 and n <= $2', [[checkId, last]]);
    return this.#db.run('delete from pings where check_id = $1 and n <= $2', [checkId, last]);
  }
}

function valuesOf(ping: NewPing): Scalar[] {
  const longBodySize = hasLongBody(ping) ? ping.body.length : null;
  return [
    ping.checkId,
    ping.n,
    ping.createdAt,
    ping.signal,
    ping.scheme,
    ping.method,
    ping.remoteAddr,
    ping.userAgent,
    ping.rid,
    ping.exitStatus,
    longBodySize === null ? ping.body : null,
    longBodySize,
  ];
}
