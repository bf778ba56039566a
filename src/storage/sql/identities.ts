import type { Identity, NewIdentity } from '../../domain/people/identity.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewIdentity>('identities', {
  uuid: 'uuid',
  accountId: 'account_id',
  issuer: 'issuer',
  subject: 'subject',
  email: 'email',
  createdAt: 'created_at',
  lastUsedAt: 'last_used_at',
});

export class SqlIdentityReads<Db extends Reader = Reader> extends Statements<Db> {
  async bySubject(issuer: string, subject: string): Promise<Identity | null> {
    return this.first(`select ${table.columns} from identities where issuer = $1 and subject = $2`, [
      issuer,
      subject,
    ]);
  }

  /** In order of creation. */
  async ofAccount(accountId: number): Promise<Identity[]> {
    return this.db.all(`select ${table.columns} from identities where account_id = $1 order by id`, [
      accountId,
    ]);
  }
}

export class SqlIdentities extends SqlIdentityReads<Writer> {
  /** Conflicts if the person has an account, or the account a person of this issuer. */
  async insert(identity: NewIdentity): Promise<Identity> {
    return { ...identity, id: await table.add(this.db, identity) };
  }

  async noteUse(id: number, { email, at }: { email: string; at: Instant }): Promise<void> {
    await this.db.send('update identities set email = $2, last_used_at = $3 where id = $1', [
      [id, email, at],
    ]);
  }

  /** Returns false if the account has no such identity. */
  async remove(accountId: number, uuid: string): Promise<boolean> {
    return this.changesOne('delete from identities where uuid = $2 and account_id = $1', [accountId, uuid]);
  }
}
