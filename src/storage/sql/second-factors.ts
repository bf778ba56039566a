import type { Authenticator } from '../../domain/people/second-factor.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';

const COLUMNS = 'account_id as "accountId", sealed_secret as "sealedSecret", created_at as "createdAt"';

export class SqlSecondFactorReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The app of the account, if it has one. */
  async authenticatorOf(accountId: number): Promise<Authenticator | null> {
    return this.first(`select ${COLUMNS} from authenticators where account_id = $1`, [accountId]);
  }

  async recoveryCodeCount(accountId: number): Promise<number> {
    return this.counted('select count(*) as count from recovery_codes where account_id = $1', [accountId]);
  }

  /** Apps of accounts after that one, in the order of their ids, at most `most`. */
  async authenticators(afterAccountId: number, most: number): Promise<Authenticator[]> {
    return this.db.all(
      `select ${COLUMNS} from authenticators where account_id > $1 order by account_id limit $2`,
      [afterAccountId, most],
    );
  }
}

export class SqlSecondFactors extends SqlSecondFactorReads<Writer> {
  /** Returns false if the account has an app already. `step` belongs to the code that was used. */
  async addAuthenticator(
    { accountId, sealedSecret, createdAt }: Authenticator,
    step: number,
  ): Promise<boolean> {
    return this.changesOne(
      `insert into authenticators (account_id, sealed_secret, last_step, created_at) values ($1, $2, $3, $4)
       on conflict (account_id) do nothing`,
      [accountId, sealedSecret, step, createdAt],
    );
  }

  async removeAuthenticator(accountId: number): Promise<void> {
    await this.db.send('delete from authenticators where account_id = $1', [[accountId]]);
  }

  /** Notes that a code of that time step is used. Returns false if it, or a later one, was used before. */
  async useStep(accountId: number, step: number): Promise<boolean> {
    return this.changesOne(
      'update authenticators set last_step = $2 where account_id = $1 and last_step < $2',
      [accountId, step],
    );
  }

  /** Saves the secret under a new seal, unless the account has another app meanwhile. */
  async reseal({ accountId, sealedSecret }: Authenticator, sealed: string): Promise<void> {
    await this.db.send(
      'update authenticators set sealed_secret = $3 where account_id = $1 and sealed_secret = $2',
      [[accountId, sealedSecret, sealed]],
    );
  }

  /** Replaces all recovery codes. */
  async setRecoveryCodes(accountId: number, digests: readonly string[]): Promise<void> {
    await this.db.send('delete from recovery_codes where account_id = $1', [[accountId]]);
    await this.db.send(
      'insert into recovery_codes (account_id, digest) values ($1, $2)',
      digests.map((digest) => [accountId, digest]),
    );
  }

  /** Uses the code up. Returns false if there is none with this digest. */
  async useRecoveryCode(accountId: number, digest: string): Promise<boolean> {
    return this.changesOne('delete from recovery_codes where account_id = $1 and digest = $2', [
      accountId,
      digest,
    ]);
  }
}
