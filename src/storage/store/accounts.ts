import type { Account, AccountLimits, NewAccount } from '../../domain/people/account.ts';
import type { Instant } from '../../lib/instant.ts';

/** What an account has, for administrators. */
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

export interface AccountReads {
  byId(id: number): Promise<Account | null>;
  byUuid(uuid: string): Promise<Account | null>;
  /** In the order of their ids. */
  usageOf(ids: readonly number[]): Promise<AccountUsage[]>;
  /** The account with this (lower-case) address. */
  byEmail(email: string): Promise<Account | null>;
  /** Whether anybody administers the installation. */
  hasAdmin(): Promise<boolean>;
  /** Accounts after that id, in the order of their ids, at most `most`. */
  page(afterId: number, most: number): Promise<Account[]>;
  /** The account that owns the project. */
  ownerOf(projectId: number): Promise<Account | null>;
  /** The number of checks in all projects of the account. */
  checkCount(id: number): Promise<number>;
}

export interface AccountWrites extends AccountReads {
  insert(account: NewAccount): Promise<Account>;
  /** The account, locked until the transaction ends. */
  lock(id: number): Promise<Account | null>;
  /** The same, before the account is deleted: until the transaction ends, nobody can give it a project either. */
  lockToDelete(id: number): Promise<Account | null>;
  /** The ids of active administrators, all locked until the transaction ends. */
  lockAdmins(): Promise<number[]>;
  /** Saves everything but the limits. */
  save(account: Account): Promise<void>;
  /** Deletes an account that owns no projects. */
  delete(id: number): Promise<void>;
  /**
   * Makes the account administrate the installation because of a group, or takes back what a group has given. Returns false
   * if nothing has changed.
   */
  setAdminByGroup(id: number, isAdmin: boolean): Promise<boolean>;
  setPassword(id: number, passwordHash: string): Promise<void>;
  /** Sets the limits. Checks that have more pings than a lowered limit allows are queued for pruning. */
  setLimits(id: number, limits: AccountLimits): Promise<void>;
  /**
   * Counts one more check against the owner's limit. If the limit is reached, counts nothing and returns false.
   * `allowance` multiplies the limit.
   */
  claimCheckSlot(id: number, allowance?: number): Promise<boolean>;
  /** Counts one check less, or several. */
  releaseCheckSlot(id: number, count?: number): Promise<void>;
  /** Counts the checks of a project that changes its owner for the new one. Both accounts must be locked. */
  moveCheckSlots(fromId: number, toId: number, count: number): Promise<void>;
}
