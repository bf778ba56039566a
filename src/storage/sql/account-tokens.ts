import type { AccountToken, NewAccountToken } from '../../domain/people/account-token.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { Table } from './table.ts';
import { type Use, writeUses } from './uses.ts';

/** A token with the facts of its account that every request needs. */
export interface KnownAccountToken {
  readonly token: AccountToken;
  readonly email: string;
  /** The name that the person has chosen. Empty: none. */
  readonly chosenName: string;
}

/** Both lists are JSON. */
type Row = Omit<AccountToken, 'scopes' | 'projectIds'> & { scopes: string; projectIds: string | null };

const table = new Table<keyof NewAccountToken>('account_tokens', {
  uuid: 'uuid',
  accountId: 'account_id',
  name: 'name',
  lookup: 'lookup',
  digest: 'digest',
  scopes: 'scopes',
  projectIds: 'project_ids',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  lastUsedAt: 'last_used_at',
  lastUsedAddr: 'last_used_addr',
});

function tokenOf(row: Row): AccountToken {
  return {
    ...row,
    scopes: JSON.parse(row.scopes),
    projectIds: row.projectIds === null ? null : JSON.parse(row.projectIds),
  };
}

function listsOf({ scopes, projectIds }: NewAccountToken): Pick<Row, 'scopes' | 'projectIds'> {
  return { scopes: JSON.stringify(scopes), projectIds: projectIds && JSON.stringify(projectIds) };
}

export class SqlAccountTokenReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The token with this digest, expired or not, of an account that is active. */
  async byDigest(digest: string): Promise<KnownAccountToken | null> {
    const [row] = await this.db.all<Row & Omit<KnownAccountToken, 'token'>>(
      `select token.*, accounts.email, accounts.name as "chosenName"
         from (select ${table.columns} from account_tokens where digest = $1) as token
         join accounts on accounts.id = token."accountId" and accounts.is_active`,
      [digest],
    );
    if (row === undefined) return null;
    const { email, chosenName, ...token } = row;
    return { token: tokenOf(token), email, chosenName };
  }

  /** In order of creation. */
  async ofAccount(accountId: number): Promise<AccountToken[]> {
    const rows = await this.db.all<Row>(
      `select ${table.columns} from account_tokens where account_id = $1 order by id`,
      [accountId],
    );
    return rows.map(tokenOf);
  }
}

export class SqlAccountTokens extends SqlAccountTokenReads<Writer> {
  async insert(token: NewAccountToken): Promise<AccountToken> {
    return { ...token, id: await table.add(this.db, { ...token, ...listsOf(token) }) };
  }

  /** Saves its name, its secret, what it may do, and its end. */
  async update(token: AccountToken): Promise<void> {
    const { id, name, lookup, digest, expiresAt } = token;
    const { scopes, projectIds } = listsOf(token);
    await this.db.send(
      `update account_tokens set name = $2, lookup = $3, digest = $4, scopes = $5, project_ids = $6, expires_at = $7
        where id = $1`,
      [[id, name, lookup, digest, scopes, projectIds, expiresAt]],
    );
  }

  /** Writes when tokens were last used, at most once a minute for each. Tokens that are gone are left out. */
  async noteUses(uses: readonly Use[]): Promise<void> {
    await writeUses(this.db, this.dialect, 'account_tokens', uses);
  }

  /** Deletes tokens of the account that expired before that time. */
  async removeExpired(accountId: number, before: Instant): Promise<void> {
    await this.db.send('delete from account_tokens where account_id = $1 and expires_at < $2', [
      [accountId, before],
    ]);
  }

  /** Returns false if the account has no such token. */
  async remove(accountId: number, uuid: string): Promise<boolean> {
    return this.changesOne('delete from account_tokens where uuid = $2 and account_id = $1', [
      accountId,
      uuid,
    ]);
  }

  /** Returns their number. */
  async removeAll(accountId: number): Promise<number> {
    return this.db.run('delete from account_tokens where account_id = $1', [accountId]);
  }
}
