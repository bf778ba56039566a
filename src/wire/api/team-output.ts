import type { OpenInvitation } from '../../domain/people/invitation.ts';
import type { TeamMember } from '../../domain/people/project.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { invitationAddress } from '../dashboard/addresses.ts';
import { wallJson } from '../dashboard/wall-output.ts';
import { keyJson } from './key-output.ts';

/** A person of the project. */
export type MemberJson = ReturnType<typeof memberJson>;

export function memberJson(
  { uuid, email, name, role, createdAt, lastSeenAt, hasSecondFactor }: TeamMember,
  { isWhole }: { readonly isWhole: boolean },
) {
  return {
    ...{ uuid, email, name, role, since: toIsoSeconds(createdAt) },
    ...(isWhole && { last_seen: toIsoSeconds(lastSeenAt), has_second_factor: hasSecondFactor }),
  };
}

/** Keys and walls that a person has made in the project. They work without the person. */
export type MadeAccessJson = NonNullable<ReturnType<typeof madeAccessJson>>;

/** The fate of this access when the role of the person is changed or ended. */
export type AccessLeftJson = ReturnType<typeof accessLeftJson>;

export function madeAccessJson(
  made: {
    readonly keys: readonly Parameters<typeof keyJson>[0][];
    readonly walls: readonly Parameters<typeof wallJson>[0][];
  } | null,
  now: Instant,
) {
  return made && { keys: made.keys.map((key) => keyJson(key, now)), walls: made.walls.map(wallJson) };
}

export function accessLeftJson(
  { made, isRevoked }: { readonly made: Parameters<typeof madeAccessJson>[0]; readonly isRevoked: boolean },
  now: Instant,
) {
  return { made: madeAccessJson(made, now), is_revoked: isRevoked };
}

/** An open invitation, for people who manage the team. */
export type InvitationJson = ReturnType<typeof invitationJson>;

export function invitationJson({ uuid, email, role, inviter, createdAt, expiresAt }: OpenInvitation) {
  const invited_by = inviter?.email ?? null;
  return {
    ...{ uuid, email, role, invited_by },
    created: toIsoSeconds(createdAt),
    expires: toIsoSeconds(expiresAt),
  };
}

/** An invitation that was just made. Its link is shown once. */
export type MadeInvitationJson = ReturnType<typeof madeInvitationJson>;

export function madeInvitationJson(
  root: string,
  { invitation, token }: { readonly invitation: OpenInvitation; readonly token: string | null },
) {
  return { ...invitationJson(invitation), link: token === null ? null : invitationAddress(root, token) };
}
