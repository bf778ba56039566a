import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { ApiKeyKind } from './api-key.ts';
import type { Means } from './audit.ts';
import type { MemberRole, Role } from './permission.ts';

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
  /** When a project that somebody has deleted is gone for good. Null while nobody has. */
  deletesAt: Instant | null;
}

/** A project that its owner can restore. */
export type DeletedProject = Project & { deletesAt: Instant };

export type NewProject = Omit<Project, 'id' | 'deletesAt'>;

/** Projects that one account may own, deleted ones included as long as they can be restored. */
export const MAX_OWNED_PROJECTS = 500;

/** For how long a deleted project can be restored. */
export const RESTORABLE_FOR: Micros = seconds(7 * 86_400);

/** An offer to take a project over. It ends when it is accepted, declined or withdrawn. */
export interface Transfer {
  projectId: number;
  /** The member to whom the project is offered. */
  accountId: number;
  createdAt: Instant;
}

/** A person whom the project has given a role. */
export interface Member {
  accountId: number;
  uuid: string;
  email: string;
  name: string;
  role: MemberRole;
  createdAt: Instant;
}

/** People who are members of a project, besides its owner. So the whole team can be read at once. */
export const MAX_PROJECT_MEMBERS = 200;

/** A person of a project: its owner or a member. */
export interface TeamMember extends Omit<Member, 'role'> {
  role: Role;
  /** When one of their sessions was last used. Null if they are signed in nowhere. */
  lastSeenAt: Instant | null;
  /** Whether they have an authenticator app or a passkey. */
  hasSecondFactor: boolean;
}

/** Somebody who could be invited. */
export interface Acquaintance {
  uuid: string;
  email: string;
  name: string;
}

/** A stored API key. It can be recognised but not used. */
export interface ApiKey {
  id: number;
  /** Names the key in addresses. It opens nothing. */
  uuid: string;
  projectId: number;
  kind: ApiKeyKind;
  name: string;
  lookup: string;
  digest: string;
  /** Under which secret the digest was made; null where nobody noted it. */
  secretId: string | null;
  createdAt: Instant;
  /** By which means it was made. */
  madeBy: Means;
  /** The account that made it. Null if it was no account, or the account is gone. */
  makerId: number | null;
  /** From then on it is refused. Null: never. */
  expiresAt: Instant | null;
  /** Written at most once in `USED_EVERY`. */
  lastUsedAt: Instant | null;
  lastUsedAddr: string | null;
}

export type NewApiKey = Omit<ApiKey, 'id'>;
