import type { Activity } from '../../domain/history/pulse.ts';
import { hasLongBody, type NewPing, type Ping, type Signal } from '../../domain/ping/ping.ts';
import type { Instant, Micros } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Scalar, Writer } from '../driver.ts';
import type { BodyObject, BodyPart, PingReads, PingSpan, PingWrites } from '../store.ts';
import { abandonBodies, BODY_UUID } from './bodies.ts';
import { oneRow, sendForAll, unnest } from './table.ts';

/** Without the body, which may be long and is rarely needed. */
const COLUMNS = `check_id as "checkId", n, created_at as "createdAt", signal, scheme, method,
  remote_addr as "remoteAddr", user_agent as "userAgent", rid, exit_status as "exitStatus",
  coalesce(long_body_size, length(body), 0) as "bodySize"`;

export class SqlPingReads implements PingReads {
  readonly #db: Reader;
  readonly #dialect: Dialect;

  constructor(db: Reader, dialect: Dialect) {
    this.#db = db;
    this.#dialect = dialect;
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

  async byNumber(checkId: number, n: number): Promise<Ping | null> {
    const [ping] = await this.#db.all<Ping>(`select ${COLUMNS} from pings where check_id = $1 and n = $2`, [
      checkId,
      n,
    ]);
    return ping ?? null;
  }

  async inSpan(
    checkId: number,
    { above, below }: PingSpan,
    which: 'newest' | 'oldest',
    limit: number,
  ): Promise<Ping[]> {
    const order = which === 'newest' ? 'desc' : 'asc';
    const found = await this.#db.all<Ping>(
      `select ${COLUMNS} from pings where check_id = $1 and n > $2 and n < $3 order by n ${order} limit $4`,
      [checkId, above, below, limit],
    );
    return which === 'newest' ? found.reverse() : found;
  }

  async countBySignal(checkId: number, { above, below }: PingSpan): Promise<Map<Signal, number>> {
    const rows = await this.#db.all<{ signal: Signal; count: number }>(
      'select signal, count(*) as count from pings where check_id = $1 and n > $2 and n < $3 group by signal',
      [checkId, above, below],
    );
    return new Map(rows.map(({ signal, count }) => [signal, count]));
  }

  async bodies(
    checkId: number,
    numbers: readonly number[],
    { end, most }: BodyPart,
  ): Promise<Map<number, Uint8Array>> {
    const first =
      end === 'first' ? '1' : 'case when length(whole) > $3 then length(whole) - $3 + 1 else 1 end';
    const rows = await this.#db.all<{ n: number; body: Uint8Array }>(
      `select n, substr(whole, ${first}, $3) as body
         from (select n, coalesce(pings.body, (select long.body from ping_bodies as long
                                                where long.check_id = pings.check_id and long.n = pings.n)) as whole
                 from pings where check_id = $1 and n ${this.#dialect.inList('$2')}) as kept
        where whole is not null`,
      [checkId, this.#dialect.list(numbers), most],
    );
    return new Map(rows.map(({ n, body }) => [n, body]));
  }

  async activity(
    checkIds: readonly number[],
    from: Instant,
    most: number,
    span: Micros,
  ): Promise<Activity[]> {
    // With the number of the last ping, the newest ones are a range of the primary key. SQLite divides numbers of a
    // program as fractions, so what is divided has none.
    const bucket = '(pings.created_at - pings.created_at % $4) / $4';
    return this.#db.all(
      `select pings.check_id as "checkId", ${bucket} as bucket, count(*) as pings,
              sum(case when signal in ('success', 'fail') then 1 else 0 end) as ends,
              sum(case when signal = 'fail' then 1 else 0 end) as failures
         from checks join pings on pings.check_id = checks.id and pings.n > checks.ping_count - $3
        where checks.id ${this.#dialect.inList('$1')} and pings.created_at >= $2
        group by pings.check_id, ${bucket}`,
      [this.#dialect.list(checkIds), from, most, span],
    );
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

  async objectOf(checkId: number, n: number): Promise<BodyObject | null> {
    const [row] = await this.#db.all<BodyObject>(
      `select long_body_size as size, (select ${BODY_UUID} from checks where checks.id = $1) as "checkUuid"
         from pings where check_id = $1 and n = $2 and long_body_size is not null
          and not exists (select 1 from ping_bodies where check_id = $1 and n = $2)`,
      [checkId, n],
    );
    return row ?? null;
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
    super(db, dialect);
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
