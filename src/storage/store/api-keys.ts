import type { ApiKey, NewApiKey } from '../../domain/people/project.ts';
import type { Instant } from '../../lib/instant.ts';

/** What a request needs of its key. */
export interface KnownApiKey
  extends Pick<
    ApiKey,
    'id' | 'projectId' | 'kind' | 'name' | 'digest' | 'secretId' | 'expiresAt' | 'lastUsedAt'
  > {
  /** The account that owns the project. */
  readonly ownerId: number;
}

export interface ListedApiKey extends ApiKey {
  /** Of the account that made it, if it exists. */
  readonly makerEmail: string | null;
}

/** A use of a key or a token. */
export interface Use {
  readonly id: number;
  readonly at: Instant;
  readonly remoteAddr: string | null;
}

export interface ApiKeyReads {
  /**
   * Keys with the same look-up characters, in any project that is not deleted, expired or not. The caller compares
   * digests.
   */
  byLookup(lookup: string): Promise<KnownApiKey[]>;
  /** The same, also in deleted projects. */
  anyByLookup(lookup: string): Promise<KnownApiKey[]>;
  /** In order of creation. */
  ofProject(projectId: number): Promise<ApiKey[]>;
  /** The same, with the names of those who made them. */
  listOf(projectId: number): Promise<ListedApiKey[]>;
  /** The number of keys whose digest was made under another secret, or under an unknown one. */
  countOfOtherSecrets(secretId: string): Promise<number>;
}

export interface ApiKeyWrites extends ApiKeyReads {
  insert(key: NewApiKey): Promise<ApiKey>;
  /** Replaces the digest, unless it was changed meanwhile. */
  setDigest(key: Pick<ApiKey, 'id' | 'digest'>, made: { digest: string; secretId: string }): Promise<void>;
  /** Null: it never expires. */
  setExpiry(id: number, expiresAt: Instant | null): Promise<void>;
  /** Writes when keys were last used, at most once a minute for each. Keys that are gone are left out. */
  noteUses(uses: readonly Use[]): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
  /** Deletes the keys that the account has made, in all projects. Returns their number. */
  deleteOfMaker(makerId: number): Promise<number>;
  /** Deletes keys of the project that expired before that time. */
  deleteExpired(projectId: number, before: Instant): Promise<void>;
}
