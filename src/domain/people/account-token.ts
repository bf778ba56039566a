import type { Instant } from '../../lib/instant.ts';
import type { Scope } from './permission.ts';

/** Lets programs act for a person. Only its holder knows the token itself. */
export interface AccountToken {
  id: number;
  /** Names the token in lists. It opens nothing. */
  uuid: string;
  accountId: number;
  name: string;
  /** Characters of the token that lists show. */
  lookup: string;
  digest: string;
  scopes: readonly Scope[];
  /** The projects in which it works. Null: all in which the account has a role. */
  projectIds: readonly number[] | null;
  createdAt: Instant;
  /** From then on it is refused. Null: never. */
  expiresAt: Instant | null;
  /** Written at most once in `USED_EVERY`. */
  lastUsedAt: Instant | null;
  lastUsedAddr: string | null;
}

export type NewAccountToken = Omit<AccountToken, 'id'>;

/** Tokens of one account, expired ones included. */
export const MAX_ACCOUNT_TOKENS = 100;
/** Projects that one token can be limited to. */
export const MAX_TOKEN_PROJECTS = 100;
