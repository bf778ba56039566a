import type { AccountToken, NewAccountToken } from '../../domain/people/account-token.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import type { AccountTokenReads, AccountTokenWrites, KnownAccountToken, Use } from '../store.ts';
import { Table } from './table.ts';
import { writeUses } from './uses.ts';

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

export class SqlAccountTokenReads implements AccountTokenReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async byDigest(digest: string): Promise<KnownAccountToken | null> {
    const [row] = await this.#db.all<Row & { email: string }>(
      `select token.*, accounts.email
         from (select ${table.columns} from account_tokens where digest = $1) as token
         join accounts on accounts.id = token."accountId" and accounts.is_active`,
      [digest],
    );
    if (row === undefined) return null;
    const { email, ...token } = row;
    return { token: tokenOf(token), email };
  }

  async ofAccount(accountId: number): Promise<AccountToken[]> {
    const rows = await this.#db.all<Row>(
      `select ${table.columns} from account_tokens where account_id = $1 order by id`,
      [accountId],
    );
    return rows.map(tokenOf);
  }
}

export class SqlAccountTokens extends SqlAccountTokenReads implements AccountTokenWrites {
  readonly #db: Writer;
  readonly #dialect: Dialect;

  constructor(db: Writer, dialect: Dialect) {
    super(db);
    this.#db = db;
    this.#dialect = dialect;
  }

  async insert(token: NewAccountToken): Promise<AccountToken> {
    const row = {
      ...token,
      scopes: JSON.stringify(token.scopes),
      projectIds: token.projectIds && JSON.stringify(token.projectIds),
    };
    return { ...token, id: await table.add(this.#db, row) };
  }

  async noteUses(uses: readonly Use[]): Promise<void> {
    await writeUses(this.#db, this.#dialect, 'account_tokens', uses);
  }

  async removeExpired(accountId: number, before: Instant): Promise<void> {
    await this.#db.send('delete from account_tokens where account_id = $1 and expires_at < $2', [
      [accountId, before],
    ]);
  }

  async remove(accountId: number, uuid: string): Promise<boolean> {
    const removed = await this.#db.run('delete from account_tokens where uuid = $2 and account_id = $1', [
      accountId,
      uuid,
    ]);
    return removed === 1;
  }

  async removeAll(accountId: number): Promise<number> {
    return this.#db.run('delete from account_tokens where account_id = $1', [accountId]);
  }
}
