import type { ApiKeyKind } from './api-key.ts';
import type { ActedBy } from './audit.ts';

/** The roles that a project gives to people other than its owner, from the lowest to the highest. */
export const MEMBER_ROLES = ['read_only', 'member', 'manager'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person's role in a project. */
export type Role = MemberRole | 'owner';

export const ROLES: readonly Role[] = [...MEMBER_ROLES, 'owner'];

/** A column of the table: a role of people, an administrator in a project of others, or a kind of API key. */
export type Grantee = Role | 'administrator' | 'read_only_key' | 'read_write_key';

const PEOPLE = ['read_only', 'member', 'manager', 'owner', 'administrator'] as const;
const WRITERS = ['member', 'manager', 'owner', 'administrator'] as const;
const MANAGERS = ['manager', 'owner', 'administrator'] as const;

/** The permissions in a project. Every verb of `services` asks for one of these first. */
const TABLE = {
  /** Names, schedules and statuses of checks, their flips and badges; no address that can be pinged. */
  'checks.view': [...PEOPLE, 'read_only_key', 'read_write_key'],
  /** UUIDs and ping addresses of checks: with one anybody can ping. */
  'checks.view_addresses': [...WRITERS, 'read_write_key'],
  'checks.edit': [...WRITERS, 'read_write_key'],
  /** Acknowledging outages and snoozing checks. */
  'outages.answer': [...WRITERS, 'read_write_key'],
  /** Pings with their bodies, which may say more than a read-only key is meant to see. */
  'pings.view': [...PEOPLE, 'read_write_key'],
  'deliveries.view': [...PEOPLE, 'read_write_key'],
  'channels.view': [...PEOPLE, 'read_write_key'],
  'channels.edit': [...WRITERS, 'read_write_key'],
  'channels.test': [...WRITERS, 'read_write_key'],
  /** How outages are told, and when checks are quiet. */
  'policies.view': [...PEOPLE, 'read_write_key'],
  'policies.edit': [...WRITERS, 'read_write_key'],
  'project.view': [...PEOPLE, 'read_only_key', 'read_write_key'],
  /** Metrics for Prometheus. Its key stands in files that many people read, so a read-write key is refused. */
  'metrics.view': [...PEOPLE, 'read_only_key'],
  'project.edit': WRITERS,
  'project.delete': ['owner'],
  /** Handing the project over to another owner. */
  'project.transfer': ['owner'],
  /** The owner has to hand the project over first. */
  'project.leave': ['read_only', 'member', 'manager'],
  /** Names of keys, when they were used, the ping key itself; making and revoking keys. */
  'keys.edit': WRITERS,
  /** Public status pages as their editors see them, unpublished ones included. */
  'status_pages.view': PEOPLE,
  'status_pages.edit': WRITERS,
  /** Keeping views of the list of checks for oneself. */
  'views.edit': PEOPLE,
  /** Showing them to everybody in the project. */
  'views.share': WRITERS,
  'members.view': PEOPLE,
  'members.edit': MANAGERS,
  'audit_log.view': MANAGERS,
} as const satisfies Record<string, readonly Grantee[]>;

export type Permission = keyof typeof TABLE;

/** Permissions that need a recent confirmation of the person's identity. */
const DANGEROUS: readonly Permission[] = ['project.delete', 'project.transfer'];

export const PERMISSIONS = Object.freeze(Object.keys(TABLE) as Permission[]);

const KEY_GRANTEES: Readonly<Record<ApiKeyKind, Grantee>> = {
  read_only: 'read_only_key',
  read_write: 'read_write_key',
};

/** The caller, as far as permissions are concerned. */
export type Caller =
  | { readonly kind: 'api_key'; readonly keyId: number; readonly access: ApiKeyKind }
  | {
      readonly kind: 'member';
      readonly accountId: number;
      readonly role: Role;
      /** Whether the person has recently proved who they are. */
      readonly isConfirmed: boolean;
    }
  /** Somebody who administers the installation, in a project of others. */
  | { readonly kind: 'administrator'; readonly accountId: number; readonly isConfirmed: boolean }
  /** Acts for the account, within the permissions that it was made for. */
  | {
      readonly kind: 'account_token';
      readonly tokenId: number;
      readonly accountId: number;
      readonly role: Role;
      readonly scopes: readonly Scope[];
    }
  /** The program itself: the operator's file, a loop. */
  | { readonly kind: 'system' };

/** The caller of a verb, and the project. */
export interface Actor {
  readonly projectId: number;
  /**
   * The account that owns the project. Work in the project counts against this account's share of shared resources.
   * Null for the program, whose work has no share.
   */
  readonly ownerId: number | null;
  readonly caller: Caller;
  /** For the audit log. */
  readonly by: ActedBy;
}

export function isAllowed(caller: Caller, permission: Permission): boolean {
  switch (caller.kind) {
    case 'api_key':
      return isGranted(KEY_GRANTEES[caller.access], permission);
    case 'member':
      return isGranted(caller.role, permission) && isSure(caller, permission);
    case 'administrator':
      return isGranted('administrator', permission) && isSure(caller, permission);
    case 'account_token':
      return caller.scopes.includes(permission) && isGranted(caller.role, permission);
    case 'system':
      return true;
    default:
      return caller satisfies never;
  }
}

/**
 * Whether the caller may write commands that the machine of the service runs. Keys and tokens may not, whatever else they
 * may do: they stand in files that many people and programs read.
 */
export function mayWriteCommands({ kind }: Caller): boolean {
  return kind !== 'api_key' && kind !== 'account_token';
}

/** Whether the caller could do it after a proof of who they are. */
export function needsConfirmation(caller: Caller, permission: Permission): boolean {
  if (caller.kind !== 'member' && caller.kind !== 'administrator') return false;
  return !isSure(caller, permission) && isAllowed({ ...caller, isConfirmed: true }, permission);
}

function isSure({ isConfirmed }: { readonly isConfirmed: boolean }, permission: Permission): boolean {
  return isConfirmed || !DANGEROUS.includes(permission);
}

export function isGranted(grantee: Grantee, permission: Permission): boolean {
  const grantees: readonly Grantee[] = TABLE[permission];
  return grantees.includes(grantee);
}

/** A column of the table below: how sure we are who acts on an account. */
type AccountGrantee =
  /** A signed-in person, on their own account. */
  | 'session'
  /** A person who has recently confirmed their identity. */
  | 'confirmed_session'
  /** Both kinds of session, for a person who must still set up a second factor, because the operator demands one. */
  | 'unprotected_session'
  | 'confirmed_unprotected_session'
  /** A token of the account, if that is among its scopes. */
  | 'account_token'
  /** A signed-in person who administers the installation. */
  | 'administrator'
  /** An administrator who has recently confirmed their identity. */
  | 'confirmed_administrator'
  /** The operator of the machine, on any account. */
  | 'operator';

const SIGNED_IN = ['session', 'confirmed_session', 'operator'] as const;
const CONFIRMED = ['confirmed_session', 'operator'] as const;
const WITH_TOKENS = [...SIGNED_IN, 'account_token'] as const;

/** The permissions on an account. Every verb of `services/people` asks for one of these first. */
const ACCOUNT_TABLE = {
  'account.view': [...SIGNED_IN, 'unprotected_session', 'confirmed_unprotected_session'],
  'account.edit': SIGNED_IN,
  'sessions.view': SIGNED_IN,
  /** Somebody who finds an open browser must not be able to sign its owner out elsewhere. */
  'sessions.end': CONFIRMED,
  /** Changes that can lock a person out for good: password, address, closing the account. */
  'account.secure': CONFIRMED,
  /** Apps, passkeys, security keys and recovery codes. */
  'second_factors.edit': [...CONFIRMED, 'confirmed_unprotected_session'],
  /** A copy of everything that is known of the person. */
  'account.export': CONFIRMED,
  /** The projects that the person owns or is a member of. */
  'projects.view': WITH_TOKENS,
  /** Becoming a member of a project by an invitation. */
  'projects.join': SIGNED_IN,
  /** Making a project, restoring an own one that was deleted, and accepting or declining one that is offered. */
  'projects.edit': WITH_TOKENS,
  /** Names of tokens and when they were used. */
  'tokens.view': SIGNED_IN,
  'tokens.revoke': SIGNED_IN,
  /** Making a token. It works without a proof of identity from then on. */
  'tokens.edit': CONFIRMED,
  /** Accounts and projects of others, settings and health of the installation. */
  'instance.view': ['administrator', 'confirmed_administrator', 'operator'],
  /** Changing accounts of others, and entering their projects. */
  'instance.administer': ['confirmed_administrator', 'operator'],
} as const satisfies Record<string, readonly AccountGrantee[]>;

export type AccountPermission = keyof typeof ACCOUNT_TABLE;

export const ACCOUNT_PERMISSIONS = Object.freeze(Object.keys(ACCOUNT_TABLE) as AccountPermission[]);

/** The scopes of a token: all permissions in projects, and some on the account. */
export type Scope = Permission | AccountPermission;

export const SCOPES: readonly Scope[] = Object.freeze([
  ...PERMISSIONS,
  ...ACCOUNT_PERMISSIONS.filter((permission) => isGrantedOnAccount('account_token', permission)),
]);

/** The caller on an account, as far as permissions are concerned. */
export type AccountCaller =
  | {
      readonly kind: 'session';
      readonly sessionId: number;
      readonly isConfirmed: boolean;
      /** Whether the person has to add a second factor before anything else. */
      readonly lacksSecondFactor?: boolean;
      /** Whether the person administers the installation. */
      readonly isAdmin: boolean;
    }
  | {
      readonly kind: 'account_token';
      readonly tokenId: number;
      readonly scopes: readonly Scope[];
      /** The projects in which it works. Null: all of the account. */
      readonly projectIds: readonly number[] | null;
    }
  | { readonly kind: 'operator' };

/** The caller, and the account that is acted on. */
export interface AccountActor {
  readonly accountId: number;
  readonly caller: AccountCaller;
  readonly by: ActedBy;
}

export function isAllowedOnAccount(caller: AccountCaller, permission: AccountPermission): boolean {
  if (caller.kind === 'account_token' && !caller.scopes.includes(permission)) return false;
  return granteesOf(caller).some((grantee) => isGrantedOnAccount(grantee, permission));
}

function isGrantedOnAccount(grantee: AccountGrantee, permission: AccountPermission): boolean {
  const grantees: readonly AccountGrantee[] = ACCOUNT_TABLE[permission];
  return grantees.includes(grantee);
}

/** Whether the caller could do it after a proof of who they are. */
export function needsConfirmationOnAccount(caller: AccountCaller, permission: AccountPermission): boolean {
  if (caller.kind !== 'session' || caller.isConfirmed) return false;
  return isAllowedOnAccount({ ...caller, isConfirmed: true }, permission);
}

function granteesOf(caller: AccountCaller): AccountGrantee[] {
  if (caller.kind !== 'session') return [caller.kind];
  const { isConfirmed, isAdmin, lacksSecondFactor = false } = caller;
  if (lacksSecondFactor) return [isConfirmed ? 'confirmed_unprotected_session' : 'unprotected_session'];
  const ofAdmin: AccountGrantee = isConfirmed ? 'confirmed_administrator' : 'administrator';
  return [isConfirmed ? 'confirmed_session' : 'session', ...(isAdmin ? [ofAdmin] : [])];
}
