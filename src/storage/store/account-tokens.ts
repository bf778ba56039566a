import type { AccountToken, NewAccountToken } from '../../domain/people/account-token.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Use } from './api-keys.ts';

/** A token with what every request needs of its account. */
export interface KnownAccountToken {
  readonly token: AccountToken;
  readonly email: string;
}

export interface AccountTokenReads {
  /** The token with this digest, expired or not, of an account that is active. */
  byDigest(digest: string): Promise<KnownAccountToken | null>;
  /** In order of creation. */
  ofAccount(accountId: number): Promise<AccountToken[]>;
}

export interface AccountTokenWrites extends AccountTokenReads {
  insert(token: NewAccountToken): Promise<AccountToken>;
  /** Writes when tokens were last used, at most once a minute for each. Tokens that are gone are left out. */
  noteUses(uses: readonly Use[]): Promise<void>;
  /** Deletes tokens of the account that expired before that time. */
  removeExpired(accountId: number, before: Instant): Promise<void>;
  /** Returns false if the account has no such token. */
  remove(accountId: number, uuid: string): Promise<boolean>;
  /** Returns their number. */
  removeAll(accountId: number): Promise<number>;
}
