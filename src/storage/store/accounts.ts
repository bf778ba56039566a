import type { Account, AccountLimits, NewAccount } from '../../domain/account.ts';

export interface AccountReads {
  byId(id: number): Promise<Account | null>;
  /** The account with this (lower-case) address. */
  byEmail(email: string): Promise<Account | null>;
  /** The account that owns the project. */
  ownerOf(projectId: number): Promise<Account | null>;
}

export interface AccountWrites extends AccountReads {
  insert(account: NewAccount): Promise<Account>;
  setPassword(id: number, passwordHash: string): Promise<void>;
  /** Sets the limits. Checks that have more pings than a lowered limit allows are queued for pruning. */
  setLimits(id: number, limits: AccountLimits): Promise<void>;
  /**
   * Counts one more check against the owner's limit. If the limit is reached, counts nothing and returns false.
   * `allowance` multiplies the limit.
   */
  claimCheckSlot(id: number, allowance?: number): Promise<boolean>;
  /** Counts one check less. */
  releaseCheckSlot(id: number): Promise<void>;
}
