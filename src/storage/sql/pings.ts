import type { Activity } from '../../domain/history/pulse.ts';
import { hasLongBody, type NewPing, type Ping, type Signal } from '../../domain/ping/ping.ts';
import type { Instant, Micros } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { abandonBodies, BODY_UUID } from './bodies.ts';
import { ColumnSets } from './column-sets.ts';
import { keepRuns, TROUBLE } from './kept-runs.ts';
import { Statements } from './statements.ts';
import { oneRow, sendForAll, unnest } from './table.ts';

/** A check's pings with numbers between the two, which are not among them. */
export interface PingSpan {
  readonly above: number;
  readonly below: number;
}

/** Which bytes of long bodies are read, and how many at the most. */
export interface BodyPart {
  readonly end: 'first' | 'last';
  readonly most: number;
}

/** A body in object storage. */
export interface BodyObject {
  readonly size: number;
  /** The UUID in its key. The check may have another one by now. */
  readonly checkUuid: string;
}

/** Without the body, which may be long and is rarely needed. */
const COLUMNS = `check_id as "checkId", n, created_at as "createdAt", occurred_at as "occurredAt", signal, scheme, method,
  remote_addr as "remoteAddr", user_agent as "userAgent", rid, exit_status as "exitStatus", run_started_at as "runStartedAt",
  run_flags as "runFlags", run_numbers as "runNumbers",
  coalesce(long_body_size, length(body), 0) as "bodySize"`;

/** Of a run whose start is known. */
const DURATION = '(coalesce(pings.occurred_at, pings.created_at) - pings.run_started_at)';
const HAS_DURATION = "pings.signal = 'success' and pings.run_started_at is not null";

export class SqlPingReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The check's newest pings, newest first, at most `limit`. */
  async latest(checkId: number, limit: number): Promise<Ping[]> {
    return this.db.all(`select ${COLUMNS} from pings where check_id = $1 order by n desc limit $2`, [
      checkId,
      limit,
    ]);
  }

  /**
   * Pings before ping `n` and not older than `from`, in ascending order. One of them may have started the run of ping
   * `n`.
   */
  async before(checkId: number, n: number, from: Instant): Promise<Ping[]> {
    return this.db.all(
      `select ${COLUMNS} from pings where check_id = $1 and n < $2 and created_at >= $3 order by n`,
      [checkId, n, from],
    );
  }

  /** The last ping that was received at or before that time. */
  async lastUntil(checkId: number, at: Instant): Promise<Ping | null> {
    // The times of a check's pings grow with their numbers, so few rows are skipped.
    return this.first(
      `select ${COLUMNS} from pings where check_id = $1 and created_at <= $2 order by n desc limit 1`,
      [checkId, at],
    );
  }

  /**
   * Pings above that number that came late and report something of the time between the two, in ascending order. The newest
   * `limit` at the most.
   */
  async lateInto(
    checkId: number,
    above: number,
    { from, until }: { readonly from: Instant; readonly until: Instant },
    limit: number,
  ): Promise<Ping[]> {
    const found = await this.db.all<Ping>(
      `select ${COLUMNS} from pings
        where check_id = $1 and n > $2 and occurred_at between $3 and $4 order by n desc limit $5`,
      [checkId, above, from, until, limit],
    );
    return found.reverse();
  }

  async byNumber(checkId: number, n: number): Promise<Ping | null> {
    return this.first(`select ${COLUMNS} from pings where check_id = $1 and n = $2`, [checkId, n]);
  }

  /** The newest or the oldest pings of the span, at most `limit`, in ascending order. */
  async inSpan(
    checkId: number,
    { above, below }: PingSpan,
    which: 'newest' | 'oldest',
    limit: number,
  ): Promise<Ping[]> {
    const order = which === 'newest' ? 'desc' : 'asc';
    const found = await this.db.all<Ping>(
      `select ${COLUMNS} from pings where check_id = $1 and n > $2 and n < $3 order by n ${order} limit $4`,
      [checkId, above, below, limit],
    );
    return which === 'newest' ? found.reverse() : found;
  }

  async countBySignal(checkId: number, { above, below }: PingSpan): Promise<Map<Signal, number>> {
    const rows = await this.db.all<{ signal: Signal; count: number }>(
      'select signal, count(*) as count from pings where check_id = $1 and n > $2 and n < $3 group by signal',
      [checkId, above, below],
    );
    return new Map(rows.map(({ signal, count }) => [signal, count]));
  }

  /** The bodies of these pings, or parts of them, by number. Bodies in object storage are left out. */
  async bodies(
    checkId: number,
    numbers: readonly number[],
    { end, most }: BodyPart,
  ): Promise<Map<number, Uint8Array>> {
    const first =
      end === 'first' ? '1' : 'case when length(whole) > $3 then length(whole) - $3 + 1 else 1 end';
    const rows = await this.db.all<{ n: number; body: Uint8Array }>(
      `select n, substr(whole, ${first}, $3) as body
         from (select n, coalesce(pings.body, (select long.body from ping_bodies as long
                                                where long.check_id = pings.check_id and long.n = pings.n)) as whole
                 from pings where check_id = $1 and n ${this.dialect.inList('$2')}) as kept
        where whole is not null`,
      [checkId, this.dialect.list(numbers), most],
    );
    return new Map(rows.map(({ n, body }) => [n, body]));
  }

  /**
   * The number of pings of these checks in each span of time, since `from`. The newest `most` pings of each check
   * count. A span is named by its number: its begin divided by its length.
   */
  async activity(
    checkIds: readonly number[],
    from: Instant,
    most: number,
    span: Micros,
  ): Promise<Activity[]> {
    // With the number of the last ping, the newest ones are a range of the primary key. SQLite divides numbers of a
    // program as fractions, so the dividend is made a multiple.
    const bucket = '(pings.created_at - pings.created_at % $4) / $4';
    return this.db.all(
      `select pings.check_id as "checkId", ${bucket} as bucket, count(*) as pings,
              sum(case when signal in ('success', 'fail') then 1 else 0 end) as ends,
              sum(case when signal = 'fail' then 1 else 0 end) as failures
         from checks join pings on pings.check_id = checks.id and pings.n > checks.ping_count - $3
        where checks.id ${this.dialect.inList('$1')} and pings.created_at >= $2
        group by pings.check_id, ${bucket}`,
      [this.dialect.list(checkIds), from, most, span],
    );
  }

  /**
   * How long runs of these checks lasted that succeeded in the time, had a start, and lasted longer than that. The newest
   * `most` pings of each check count.
   */
  async longRuns(
    checkIds: readonly number[],
    { from, until }: { readonly from: Instant; readonly until: Instant },
    longerThan: Micros,
    most: number,
  ): Promise<{ readonly checkId: number; readonly duration: Micros }[]> {
    return this.db.all(
      `select pings.check_id as "checkId", ${DURATION} as duration
         from checks join pings on pings.check_id = checks.id and pings.n > checks.ping_count - $5
        where checks.id ${this.dialect.inList('$1')} and pings.created_at >= $2 and pings.created_at < $3
          and ${HAS_DURATION} and ${DURATION} > $4`,
      [this.dialect.list(checkIds), from, until, longerThan, most],
    );
  }

  /** How long the last runs of the check lasted that succeeded before that time and had a start. At most `most`. */
  async lastDurations(checkId: number, before: Instant, most: number): Promise<Micros[]> {
    const rows = await this.db.all<{ duration: Micros }>(
      `select ${DURATION} as duration from pings
        where check_id = $1 and pings.created_at < $2 and ${HAS_DURATION} order by n desc limit $3`,
      [checkId, before, most],
    );
    return rows.map(({ duration }) => duration);
  }

  /** When the oldest stored ping was received. Null if there is none. */
  async oldestAt(checkId: number): Promise<Instant | null> {
    const [row] = await this.db.all<{ createdAt: Instant }>(
      'select created_at as "createdAt" from pings where check_id = $1 order by n limit 1',
      [checkId],
    );
    return row?.createdAt ?? null;
  }

  /** The body of a ping if it is in the database, short or long. Null if the ping is gone or has none. */
  async body(checkId: number, n: number): Promise<Uint8Array | null> {
    const [row] = await this.db.all<{ body: Uint8Array | null }>(
      `select coalesce(body, (select body from ping_bodies where check_id = $1 and n = $2)) as body
         from pings where check_id = $1 and n = $2`,
      [checkId, n],
    );
    return row?.body ?? null;
  }

  /** A body that has moved to object storage. Null if it has not moved. */
  async objectOf(checkId: number, n: number): Promise<BodyObject | null> {
    return this.first(
      `select long_body_size as size, (select ${BODY_UUID} from checks where checks.id = $1) as "checkUuid"
         from pings where check_id = $1 and n = $2 and long_body_size is not null
          and not exists (select 1 from ping_bodies where check_id = $1 and n = $2)`,
      [checkId, n],
    );
  }
}

/** `longBodySize` is the length of a body that is in object storage already. */
type InsertedPing = NewPing & { readonly longBodySize?: number | null };

const INSERTED = new ColumnSets<InsertedPing>(
  [
    { name: 'check_id', type: 'bigint', field: 'checkId' },
    { name: 'n', type: 'bigint', field: 'n' },
    { name: 'created_at', type: 'bigint', field: 'createdAt' },
    { name: 'signal', type: 'text', field: 'signal' },
    { name: 'scheme', type: 'text', field: 'scheme' },
    { name: 'method', type: 'text', field: 'method' },
    { name: 'remote_addr', type: 'text', field: 'remoteAddr' },
    { name: 'user_agent', type: 'text', field: 'userAgent' },
  ],
  [
    { name: 'rid', type: 'uuid', field: 'rid' },
    { name: 'exit_status', type: 'integer', field: 'exitStatus' },
    { name: 'body', type: 'bytea', field: 'body' },
    { name: 'long_body_size', type: 'bigint', field: 'longBodySize' },
    { name: 'occurred_at', type: 'bigint', field: 'occurredAt' },
    { name: 'run_started_at', type: 'bigint', field: 'runStartedAt' },
    { name: 'run_flags', type: 'integer', field: 'runFlags' },
    { name: 'run_numbers', type: 'text', field: 'runNumbers' },
  ],
  (columns) => {
    const into = `insert into pings (${columns.map(({ name }) => name).join(', ')})`;
    return {
      one: `${into} values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
      many: `${into} select * from ${unnest(columns.map(({ type }) => type))}`,
    };
  },
);

const INTO_BODIES = 'insert into ping_bodies (check_id, n, body)';

const INSERT_BODY = {
  one: `${INTO_BODIES} values ($1, $2, $3)`,
  many: `${INTO_BODIES} select * from ${unnest(['bigint', 'bigint', 'bytea'])}`,
};

export class SqlPings extends SqlPingReads<Writer> {
  async insertMany(pings: readonly InsertedPing[]): Promise<void> {
    await INSERTED.send(this.db, this.dialect, Map.groupBy(pings.map(withoutLongBody), INSERTED.filled));
    const bodies = pings.filter(hasLongBody).map(({ checkId, n, body }) => [checkId, n, body]);
    await sendForAll(this.db, this.dialect, INSERT_BODY, bodies);
  }

  /**
   * Removes at most `most` pings up to number `upTo`, oldest first. Returns their number. Their bodies are not moved
   * any more, and their objects are queued for removal. Failures and warnings among them are kept until `keptUntil`.
   */
  async prune(
    checkId: number,
    upTo: number,
    most: number,
    keptUntil: Instant | null = null,
  ): Promise<number> {
    const oldest = await this.db.all<{ last: number | null; troubles: number }>(
      `select max(n) as last, count(${TROUBLE}) as troubles from
         (select n, signal, run_flags from pings where check_id = $1 and n <= $2 order by n limit $3) as oldest`,
      [checkId, upTo, most],
    );
    const { last, troubles } = oneRow(oldest);
    if (last === null) return 0;
    if (keptUntil !== null && troubles > 0) await keepRuns(this.db, checkId, last, keptUntil);
    await abandonBodies(this.db, checkId, last);
    await this.db.send('delete from ping_bodies where check_id = $1 and n <= $2', [[checkId, last]]);
    return this.db.run('delete from pings where check_id = $1 and n <= $2', [checkId, last]);
  }
}

function withoutLongBody(ping: InsertedPing): InsertedPing {
  return hasLongBody(ping) ? { ...ping, body: null, longBodySize: ping.body.length } : ping;
}
