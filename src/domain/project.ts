import type { Instant } from '../lib/instant.ts';
import type { ApiKeyKind } from './api-key.ts';

/** Owner of checks, channels and keys: the tenant boundary. */
export interface Project {
  id: number;
  uuid: string;
  ownerId: number;
  name: string;
  /** Part of public badge addresses; unguessable, and derived from nothing else. */
  badgeKey: string;
  /** How a ping key is recognised; null while the project has none. */
  pingKeyDigest: string | null;
  /** The ping key for members to see, readable only with the server's secret. */
  pingKeySealed: string | null;
  createdAt: Instant;
}

export type NewProject = Omit<Project, 'id'>;

/** A stored API key: enough to recognise it, not enough to use it. */
export interface ApiKey {
  id: number;
  projectId: number;
  kind: ApiKeyKind;
  name: string;
  lookup: string;
  digest: string;
  createdAt: Instant;
}

export type NewApiKey = Omit<ApiKey, 'id'>;
