import type { Instant } from '../lib/instant.ts';
import type { ApiKeyKind } from './api-key.ts';
import type { MemberRole } from './permission.ts';

/** Owner of checks, channels and keys: the tenant boundary. */
export interface Project {
  id: number;
  uuid: string;
  ownerId: number;
  name: string;
  /** Part of public badge addresses. Random, so nobody can guess it or derive it from other values. */
  badgeKey: string;
  /** The digest by which the ping key is recognised. Null if the project has no ping key. */
  pingKeyDigest: string | null;
  /** The encrypted ping key, for members to see. Decrypting it needs the server's secret. */
  pingKeySealed: string | null;
  createdAt: Instant;
}

export type NewProject = Omit<Project, 'id'>;

/** A person whom the project has given a role. */
export interface Member {
  accountId: number;
  uuid: string;
  email: string;
  name: string;
  role: MemberRole;
  createdAt: Instant;
}

/** A stored API key. It can be recognised but not used. */
export interface ApiKey {
  id: number;
  projectId: number;
  kind: ApiKeyKind;
  name: string;
  lookup: string;
  digest: string;
  /** Under which secret the digest was made; null where nobody noted it. */
  secretId: string | null;
  createdAt: Instant;
}

export type NewApiKey = Omit<ApiKey, 'id'>;
