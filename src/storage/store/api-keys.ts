import type { ApiKey, NewApiKey } from '../../domain/project.ts';

export interface ApiKeyReads {
  /** Keys that share the look-up characters, in whatever project; the caller compares digests. */
  byLookup(lookup: string): Promise<ApiKey[]>;
  ofProject(projectId: number): Promise<ApiKey[]>;
  /** Keys whose digest was not, or perhaps not, made under that secret. */
  countOfOtherSecrets(secretId: string): Promise<number>;
}

export interface ApiKeyWrites extends ApiKeyReads {
  insert(key: NewApiKey): Promise<ApiKey>;
  /** Nothing is done where the key has another digest meanwhile. */
  setDigest(key: ApiKey, made: { digest: string; secretId: string }): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}
