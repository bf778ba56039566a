import type { NewPasskey, Passkey } from '../../domain/people/passkey.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { Table } from './table.ts';

const table = new Table<keyof NewPasskey>('passkeys', {
  uuid: 'uuid',
  accountId: 'account_id',
  kind: 'kind',
  credentialId: 'credential_id',
  publicKey: 'public_key',
  counter: 'counter',
  name: 'name',
  createdAt: 'created_at',
  lastUsedAt: 'last_used_at',
});

export class SqlPasskeyReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Whether anybody has one. */
  async isAny(): Promise<boolean> {
    return this.hasRow('select 1 as one from passkeys limit 1');
  }

  async byCredentialId(credentialId: string): Promise<Passkey | null> {
    return this.first(`select ${table.columns} from passkeys where credential_id = $1`, [credentialId]);
  }

  /** In order of creation. */
  async ofAccount(accountId: number): Promise<Passkey[]> {
    return this.db.all(`select ${table.columns} from passkeys where account_id = $1 order by id`, [
      accountId,
    ]);
  }
}

export class SqlPasskeys extends SqlPasskeyReads<Writer> {
  async insert(passkey: NewPasskey): Promise<Passkey> {
    return { ...passkey, id: await table.add(this.db, passkey) };
  }

  /** Returns false if the passkey is gone. */
  async noteUse(id: number, { counter, at }: { counter: number; at: Instant }): Promise<boolean> {
    return this.changesOne('update passkeys set counter = $2, last_used_at = $3 where id = $1', [
      id,
      counter,
      at,
    ]);
  }

  /** Returns false if the account has no such passkey. */
  async rename(accountId: number, uuid: string, name: string): Promise<boolean> {
    return this.changesOne('update passkeys set name = $3 where uuid = $2 and account_id = $1', [
      accountId,
      uuid,
      name,
    ]);
  }

  /** Returns false if the account has no such passkey. */
  async remove(accountId: number, uuid: string): Promise<boolean> {
    return this.changesOne('delete from passkeys where uuid = $2 and account_id = $1', [accountId, uuid]);
  }

  async removeAll(accountId: number): Promise<void> {
    await this.db.send('delete from passkeys where account_id = $1', [[accountId]]);
  }
}
