import type { Link, LinkPurpose, NewLink } from '../../domain/people/link.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import type { LinkReads, LinkWrites } from '../store.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewLink>('links', {
  digest: 'digest',
  purpose: 'purpose',
  accountId: 'account_id',
  email: 'email',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
});

const USABLE = 'digest = $1 and purpose = $2 and expires_at > $3';

export class SqlLinkReads implements LinkReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async find(digest: string, purpose: LinkPurpose, now: Instant): Promise<Link | null> {
    const [link] = await this.#db.all<Link>(`select ${table.columns} from links where ${USABLE}`, [
      digest,
      purpose,
      now,
    ]);
    return link ?? null;
  }
}

export class SqlLinks extends SqlLinkReads implements LinkWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    super(db);
    this.#db = db;
    this.#dialect = dialect;
  }

  async insert(link: NewLink): Promise<void> {
    await this.#db.send(table.insert, [table.values(link)]);
  }

  async take(digest: string, purpose: LinkPurpose, now: Instant): Promise<Link | null> {
    const [link] = await this.#db.all<Link>(`delete from links where ${USABLE} returning ${table.columns}`, [
      digest,
      purpose,
      now,
    ]);
    return link ?? null;
  }

  async removeAll(purpose: LinkPurpose): Promise<void> {
    await this.#db.send('delete from links where purpose = $1', [[purpose]]);
  }

  async removeOfAccount(accountId: number, purpose?: LinkPurpose): Promise<void> {
    if (purpose === undefined) await this.#db.send('delete from links where account_id = $1', [[accountId]]);
    else
      await this.#db.send('delete from links where account_id = $1 and purpose = $2', [[accountId, purpose]]);
  }

  async removeOfEmail(email: string, purpose: LinkPurpose): Promise<void> {
    await this.#db.send('delete from links where email = $1 and purpose = $2', [[email, purpose]]);
  }

  async prune(now: Instant, most: number): Promise<number> {
    const old = await this.#db.all<{ id: number }>(
      'select id from links where expires_at <= $1 order by expires_at limit $2',
      [now, most],
    );
    if (old.length === 0) return 0;
    return this.#db.run(`delete from links where id ${this.#dialect.inList('$1')}`, [
      this.#dialect.list(old.map(({ id }) => id)),
    ]);
  }
}
