import type { OpenInvitation } from '../../domain/people/invitation.ts';
import type { MemberRole, Role } from '../../domain/people/permission.ts';
import type { TeamMember } from '../../domain/people/project.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { invitationAddress } from '../dashboard/addresses.ts';
import { type WallJson, wallJson } from '../dashboard/wall-output.ts';
import { type KeyJson, keyJson } from './key-output.ts';

/** A person of the project. */
export interface MemberJson {
  readonly uuid: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly since: string;
  /** Only for people who manage the team. Null if the person is signed in nowhere. */
  readonly last_seen?: string | null;
  /** Only for people who manage the team. */
  readonly has_second_factor?: boolean;
}

export function memberJson(
  { uuid, email, name, role, createdAt, lastSeenAt, hasSecondFactor }: TeamMember,
  { isWhole }: { readonly isWhole: boolean },
): MemberJson {
  const shown = { uuid, email, name, role, since: toIsoSeconds(createdAt) };
  if (!isWhole) return shown;
  return {
    ...shown,
    last_seen: toIsoSeconds(lastSeenAt),
    has_second_factor: hasSecondFactor,
  };
}

/** Keys and walls that a person has made in the project. They work without the person. */
export interface MadeAccessJson {
  readonly keys: KeyJson[];
  readonly walls: WallJson[];
}

/** The fate of this access when the role of the person is changed or ended. */
export interface AccessLeftJson {
  /** Null if the caller may not see keys. */
  readonly made: MadeAccessJson | null;
  readonly is_revoked: boolean;
}

export function madeAccessJson(
  made: {
    readonly keys: readonly Parameters<typeof keyJson>[0][];
    readonly walls: readonly Parameters<typeof wallJson>[0][];
  } | null,
  now: Instant,
): MadeAccessJson | null {
  return made && { keys: made.keys.map((key) => keyJson(key, now)), walls: made.walls.map(wallJson) };
}

export function accessLeftJson(
  { made, isRevoked }: { readonly made: Parameters<typeof madeAccessJson>[0]; readonly isRevoked: boolean },
  now: Instant,
): AccessLeftJson {
  return { made: madeAccessJson(made, now), is_revoked: isRevoked };
}

/** An open invitation, for people who manage the team. */
export interface InvitationJson {
  readonly uuid: string;
  /** Null for a link that somebody passes on. */
  readonly email: string | null;
  readonly role: MemberRole;
  /** The inviter's address. Null if the program invited. */
  readonly invited_by: string | null;
  readonly created: string;
  readonly expires: string;
}

export function invitationJson({
  uuid,
  email,
  role,
  inviter,
  createdAt,
  expiresAt,
}: OpenInvitation): InvitationJson {
  const invited_by = inviter?.email ?? null;
  return {
    uuid,
    email,
    role,
    invited_by,
    created: toIsoSeconds(createdAt),
    expires: toIsoSeconds(expiresAt),
  };
}

/** An invitation that was just made. Its link is shown once. */
export interface MadeInvitationJson extends InvitationJson {
  /** Null if it was mailed. */
  readonly link: string | null;
}

export function madeInvitationJson(
  root: string,
  { invitation, token }: { readonly invitation: OpenInvitation; readonly token: string | null },
): MadeInvitationJson {
  return { ...invitationJson(invitation), link: token === null ? null : invitationAddress(root, token) };
}
