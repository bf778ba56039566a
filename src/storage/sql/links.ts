import type { Link, LinkPurpose, NewLink } from '../../domain/people/link.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
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

export class SqlLinkReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The link, unless it has expired. */
  async find(digest: string, purpose: LinkPurpose, now: Instant): Promise<Link | null> {
    return this.first(`select ${table.columns} from links where ${USABLE}`, [digest, purpose, now]);
  }
}

export class SqlLinks extends SqlLinkReads<Writer> {
  async insert(link: NewLink): Promise<void> {
    await this.db.send(table.insert, [table.values(link)]);
  }

  /** Removes the link and returns it, unless it has expired. If several take it at once, one gets it. */
  async take(digest: string, purpose: LinkPurpose, now: Instant): Promise<Link | null> {
    return this.first(`delete from links where ${USABLE} returning ${table.columns}`, [digest, purpose, now]);
  }

  async removeAll(purpose: LinkPurpose): Promise<void> {
    await this.db.send('delete from links where purpose = $1', [[purpose]]);
  }

  /** Removes the links of the account, or only those for this purpose. */
  async removeOfAccount(accountId: number, purpose?: LinkPurpose): Promise<void> {
    if (purpose === undefined) await this.db.send('delete from links where account_id = $1', [[accountId]]);
    else
      await this.db.send('delete from links where account_id = $1 and purpose = $2', [[accountId, purpose]]);
  }

  /** Removes the links for this purpose that prove the address. */
  async removeOfEmail(email: string, purpose: LinkPurpose): Promise<void> {
    await this.db.send('delete from links where email = $1 and purpose = $2', [[email, purpose]]);
  }

  /** Removes links that have expired, at most `most`. Returns their number. */
  async prune(now: Instant, most: number): Promise<number> {
    const old = await this.db.all<{ id: number }>(
      'select id from links where expires_at <= $1 order by expires_at limit $2',
      [now, most],
    );
    return this.deleteRows('links', old);
  }
}
