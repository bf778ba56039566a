import type { ApiKey, NewApiKey } from '../../domain/project.ts';

export interface ApiKeyReads {
  /** Keys that share the look-up characters, in whatever project; the caller compares digests. */
  byLookup(lookup: string): Promise<ApiKey[]>;
  ofProject(projectId: number): Promise<ApiKey[]>;
}

export interface ApiKeyWrites extends ApiKeyReads {
  insert(key: NewApiKey): Promise<ApiKey>;
  delete(projectId: number, id: number): Promise<void>;
}
