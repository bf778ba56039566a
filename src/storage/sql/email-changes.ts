import type { EmailChange } from '../../domain/people/account.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import type { Stored } from './table.ts';

/** New addresses that accounts have asked for. */
export class SqlEmailChanges extends Statements<Writer> {
  /** The change that the account has asked for, locked until the transaction ends. Null if it has expired. */
  async lock(accountId: number, now: Instant): Promise<EmailChange | null> {
    const [row] = await this.db.all<Stored<EmailChange>>(
      `select account_id as "accountId", new_email as "newEmail", is_old_confirmed as "isOldConfirmed",
              is_new_confirmed as "isNewConfirmed", expires_at as "expiresAt"
         from email_changes where account_id = $1 and expires_at > $2 ${this.dialect.forUpdate}`,
      [accountId, now],
    );
    if (row === undefined) return null;
    const { isOldConfirmed, isNewConfirmed } = row;
    return { ...row, isOldConfirmed: Boolean(isOldConfirmed), isNewConfirmed: Boolean(isNewConfirmed) };
  }

  /** Saves the change in place of an earlier one. */
  async save({ accountId, newEmail, isOldConfirmed, isNewConfirmed, expiresAt }: EmailChange): Promise<void> {
    await this.db.send(
      `insert into email_changes (account_id, new_email, is_old_confirmed, is_new_confirmed, expires_at)
       values ($1, $2, $3, $4, $5)
       on conflict (account_id) do update set new_email = excluded.new_email,
         is_old_confirmed = excluded.is_old_confirmed, is_new_confirmed = excluded.is_new_confirmed,
         expires_at = excluded.expires_at`,
      [[accountId, newEmail, isOldConfirmed, isNewConfirmed, expiresAt]],
    );
  }

  async remove(accountId: number): Promise<void> {
    await this.db.send('delete from email_changes where account_id = $1', [[accountId]]);
  }

  /** Removes changes that have expired, at most `most`. Returns their number. */
  async prune(now: Instant, most: number): Promise<number> {
    const old = await this.db.all<{ id: number }>(
      'select account_id as id from email_changes where expires_at <= $1 order by expires_at limit $2',
      [now, most],
    );
    if (old.length === 0) return 0;
    return this.db.run(
      `delete from email_changes where account_id ${this.dialect.inList('$1')} and expires_at <= $2`,
      [this.dialect.list(old.map(({ id }) => id)), now],
    );
  }
}
