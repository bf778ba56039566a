import type { Account, AccountLimits, NewAccount } from '../../domain/people/account.ts';
import type { AddressForm } from '../../domain/ping/ping-address.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { oneRow, type SqlBoolean, type Stored, Table } from './table.ts';

/** Totals of an account, for administrators. */
export interface AccountUsage {
  readonly id: number;
  readonly checks: number;
  /** Projects that it owns. */
  readonly projects: number;
  /** When a session of the account was last used. Null if it has none. */
  readonly lastSeenAt: Instant | null;
  /** An app for codes, or a passkey. */
  readonly hasSecondFactor: boolean;
}

type AccountRow = Omit<Account, 'limits'> & { checkLimit: number; pingLimit: number };

const table = new Table<keyof Omit<AccountRow, 'id'>>('accounts', {
  uuid: 'uuid',
  email: 'email',
  name: 'name',
  passwordHash: 'password_hash',
  isAdmin: 'is_admin',
  isActive: 'is_active',
  theme: 'theme',
  checkLimit: 'check_limit',
  pingLimit: 'ping_limit',
  createdAt: 'created_at',
  addressProvedAt: 'address_proved_at',
});

export class SqlAccountReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The form of the ping addresses that the person is shown. */
  async addressForm(id: number): Promise<AddressForm> {
    const found = await this.first<{ form: AddressForm }>(
      'select address_form as form from accounts where id = $1',
      [id],
    );
    return found?.form ?? 'uuid';
  }

  async byId(id: number): Promise<Account | null> {
    return this.#first('where id = $1', [id]);
  }

  async byUuid(uuid: string): Promise<Account | null> {
    return this.#first('where uuid = $1', [uuid]);
  }

  /** The number of checks of all accounts. Counting the checks themselves would take long. */
  async checkTotal(): Promise<number> {
    const rows = await this.db.all<{ total: number }>(
      'select cast(coalesce(sum(check_count), 0) as bigint) as total from accounts',
    );
    return oneRow(rows).total;
  }

  // `+ 0`: otherwise PostgreSQL looks for the latest session of all accounts until one of this account comes.
  /** In the order of their ids. */
  async usageOf(ids: readonly number[]): Promise<AccountUsage[]> {
    const rows = await this.db.all<Omit<AccountUsage, 'hasSecondFactor'> & { hasSecondFactor: SqlBoolean }>(
      `select id, check_count as checks,
              (select count(*) from projects
                where projects.owner_id = accounts.id and projects.bin_of is null) as projects,
              (select max(last_seen_at + 0) from sessions where sessions.account_id = accounts.id) as "lastSeenAt",
              exists (select 1 from authenticators where authenticators.account_id = accounts.id)
                or exists (select 1 from passkeys where passkeys.account_id = accounts.id) as "hasSecondFactor"
         from accounts where id ${this.dialect.inList('$1')} order by id`,
      [this.dialect.list(ids)],
    );
    return rows.map((row) => ({ ...row, hasSecondFactor: Boolean(row.hasSecondFactor) }));
  }

  /** The account with this (lower-case) address. */
  async byEmail(email: string): Promise<Account | null> {
    return this.#first('where email = $1', [email]);
  }

  /** Whether anybody administers the installation. */
  async hasAdmin(): Promise<boolean> {
    return this.hasRow('select id from accounts where is_admin limit 1');
  }

  /** Accounts after that id, in the order of their ids, at most `most`. */
  async page(afterId: number, most: number): Promise<Account[]> {
    const rows = await this.db.all<Stored<AccountRow>>(
      `select ${table.columns} from accounts where id > $1 order by id limit $2`,
      [afterId, most],
    );
    return rows.map(toAccount);
  }

  /** The account that owns the project. */
  async ownerOf(projectId: number): Promise<Account | null> {
    return this.#first('where id = (select owner_id from projects where projects.id = $1)', [projectId]);
  }

  /** The number of checks in all projects of the account. */
  async checkCount(id: number): Promise<number> {
    const rows = await this.db.all<{ count: number }>(
      'select check_count as count from accounts where id = $1',
      [id],
    );
    return rows[0]?.count ?? 0;
  }

  async #first(where: string, params: readonly (string | number)[]): Promise<Account | null> {
    const [row] = await this.db.all<Stored<AccountRow>>(
      `select ${table.columns} from accounts ${where}`,
      params,
    );
    return row === undefined ? null : toAccount(row);
  }
}

export class SqlAccounts extends SqlAccountReads<Writer> {
  async setAddressForm(id: number, form: AddressForm): Promise<void> {
    await this.db.send('update accounts set address_form = $2 where id = $1', [[id, form]]);
  }

  async insert(account: NewAccount): Promise<Account> {
    const chosen = {
      name: '',
      isAdmin: false,
      isActive: true,
      theme: 'system' as const,
      addressProvedAt: null,
    };
    const complete = { ...chosen, ...account };
    const { checks, pings } = account.limits;
    return {
      ...complete,
      id: await table.add(this.db, { ...complete, checkLimit: checks, pingLimit: pings }),
    };
  }

  /** The account, locked until the transaction ends. */
  async lock(id: number): Promise<Account | null> {
    return this.#lock(id, this.dialect.forUpdate);
  }

  /** Locks an account to delete it: until the transaction ends, nobody can give it a project either. */
  async lockToDelete(id: number): Promise<Account | null> {
    return this.#lock(id, this.dialect.forDelete);
  }

  async #lock(id: number, lock: string): Promise<Account | null> {
    const [row] = await this.db.all<Stored<AccountRow>>(
      `select ${table.columns} from accounts where id = $1 ${lock}`,
      [id],
    );
    return row === undefined ? null : toAccount(row);
  }

  /** The ids of active administrators, all locked until the transaction ends. */
  async lockAdmins(): Promise<number[]> {
    const rows = await this.db.all<{ id: number }>(
      `select id from accounts where is_admin and is_active order by id ${this.dialect.forUpdate}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Saves everything but the limits. */
  async save(account: Account): Promise<void> {
    const { id, email, name, passwordHash, isAdmin, isActive, theme, addressProvedAt } = account;
    await this.db.send(
      // A person whom somebody made administrator stays one, whatever groups say later.
      `update accounts
          set email = $2, name = $3, password_hash = $4, is_admin = $5, is_active = $6, theme = $7,
              address_proved_at = $8,
              is_admin_by_group = case when is_admin = $5 then is_admin_by_group else false end
        where id = $1`,
      [[id, email, name, passwordHash, isAdmin, isActive, theme, addressProvedAt]],
    );
  }

  /** Deletes an account that owns no projects. */
  async delete(id: number): Promise<void> {
    await this.db.send('delete from accounts where id = $1', [[id]]);
  }

  /**
   * Makes the account administrate the installation because of a group, or takes that back. Returns false if nothing
   * has changed.
   */
  async setAdminByGroup(id: number, isAdmin: boolean): Promise<boolean> {
    return this.changesOne(
      isAdmin
        ? 'update accounts set is_admin = true, is_admin_by_group = true where id = $1 and not is_admin'
        : 'update accounts set is_admin = false, is_admin_by_group = false where id = $1 and is_admin and is_admin_by_group',
      [id],
    );
  }

  /** Whether any account has a password of this form. */
  async hasPasswordForm(form: string): Promise<boolean> {
    return this.hasRow('select id from accounts where password_hash like $1 limit 1', [`${form}$%`]);
  }

  async setPassword(id: number, passwordHash: string): Promise<void> {
    await this.db.send('update accounts set password_hash = $2 where id = $1', [[id, passwordHash]]);
  }

  /** Sets the limits. Checks that have more pings than a lowered limit allows are queued for pruning. */
  async setLimits(id: number, limits: AccountLimits): Promise<void> {
    await this.db.send(
      `insert into prune_queue (check_id)
       select checks.id from checks join projects on projects.id = checks.project_id
        where projects.owner_id = $1 and checks.ping_count > $2
          and exists (select 1 from accounts where id = $1 and ping_limit > $2)
       on conflict (check_id) do nothing`,
      [[id, limits.pings]],
    );
    await this.db.send('update accounts set check_limit = $2, ping_limit = $3 where id = $1', [
      [id, limits.checks, limits.pings],
    ]);
  }

  /**
   * Counts one more check, or several, against the owner's limit. If there is no room for all, counts nothing and returns
   * false. `allowance` multiplies the limit.
   */
  async claimCheckSlot(id: number, allowance = 1, count = 1): Promise<boolean> {
    return this.changesOne(
      'update accounts set check_count = check_count + $3 where id = $1 and check_count + $3 <= check_limit * $2',
      [id, allowance, count],
    );
  }

  /** Counts one check less, or several. */
  async releaseCheckSlot(id: number, count = 1): Promise<void> {
    await this.db.send('update accounts set check_count = check_count - $2 where id = $1', [[id, count]]);
  }

  /** Counts the checks of a project that changes its owner for the new one. Both accounts must be locked. */
  async moveCheckSlots(fromId: number, toId: number, count: number): Promise<void> {
    await this.db.send('update accounts set check_count = check_count + $2 where id = $1', [
      [fromId, -count],
      [toId, count],
    ]);
  }
}

function toAccount({ checkLimit, pingLimit, isAdmin, isActive, ...row }: Stored<AccountRow>): Account {
  const limits = { checks: checkLimit, pings: pingLimit };
  return { ...row, isAdmin: Boolean(isAdmin), isActive: Boolean(isActive), limits };
}
