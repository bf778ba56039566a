import type { Instant } from '../lib/instant.ts';

/** A person who owns projects. Limits belong to the account and count over all its projects. */
export interface Account {
  id: number;
  uuid: string;
  /** Always lower case. */
  email: string;
  /** Null until a password is set: nobody can log in with it. */
  passwordHash: string | null;
  limits: AccountLimits;
  createdAt: Instant;
}

export interface AccountLimits {
  /** Checks in all the account's projects together. */
  checks: number;
  /** Pings kept for each check. */
  pings: number;
}

export type NewAccount = Omit<Account, 'id'>;
