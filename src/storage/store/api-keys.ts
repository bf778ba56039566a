import type { ApiKey, NewApiKey } from '../../domain/project.ts';

export interface ApiKeyReads {
  /** Keys with the same look-up characters, in any project that is not deleted. The caller compares digests. */
  byLookup(lookup: string): Promise<ApiKey[]>;
  /** The same, also in deleted projects. */
  anyByLookup(lookup: string): Promise<ApiKey[]>;
  ofProject(projectId: number): Promise<ApiKey[]>;
  /** The number of keys whose digest was made under another secret, or under an unknown one. */
  countOfOtherSecrets(secretId: string): Promise<number>;
}

export interface ApiKeyWrites extends ApiKeyReads {
  insert(key: NewApiKey): Promise<ApiKey>;
  /** Replaces the digest, unless it was changed meanwhile. */
  setDigest(key: ApiKey, made: { digest: string; secretId: string }): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}
