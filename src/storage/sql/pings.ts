import type { NewPing, Ping } from '../../domain/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import type { PingReads, PingWrites } from '../store.ts';

/** Without the body, which may be long and is seldom wanted. */
const COLUMNS = `check_id as "checkId", n, created_at as "createdAt", signal, scheme, method,
  remote_addr as "remoteAddr", user_agent as "userAgent", rid, exit_status as "exitStatus",
  coalesce(object_size, length(body), 0) as "bodySize"`;

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

  async body(checkId: number, n: number): Promise<Uint8Array | null> {
    const [row] = await this.#db.all<{ body: Uint8Array | null }>(
      'select body from pings where check_id = $1 and n = $2',
      [checkId, n],
    );
    return row?.body ?? null;
  }
}

export class SqlPings extends SqlPingReads implements PingWrites {
  readonly #db: Writer;

  constructor(db: Writer) {
    super(db);
    this.#db = db;
  }

  async insert(ping: NewPing): Promise<void> {
    await this.#db.run(
      `insert into pings (check_id, n, created_at, signal, scheme, method, remote_addr, user_agent, rid,
                          exit_status, body)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
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
        ping.body,
      ],
    );
  }
}
