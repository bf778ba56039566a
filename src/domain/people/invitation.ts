import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { isGranted, type MemberRole, type Role } from './permission.ts';

/** A place in a project that somebody was offered. Only the digest of the secret part of its link is stored. */
export interface Invitation {
  id: number;
  uuid: string;
  projectId: number;
  digest: string;
  /** The address that was invited by mail. Null for a link that is passed on: everybody who has it may join. */
  email: string | null;
  role: MemberRole;
  /** The account that invited. Null if the program did. */
  invitedBy: number | null;
  createdAt: Instant;
  expiresAt: Instant;
}

export type NewInvitation = Omit<Invitation, 'id'>;

/** An invitation with its project, and with the person who invited as they are now. */
export interface OpenInvitation extends Invitation {
  readonly project: { readonly uuid: string; readonly name: string };
  /** Null if the program invited. */
  readonly inviter: Inviter | null;
}

export interface Inviter {
  readonly email: string;
  readonly name: string;
  /** Whether they administer the installation. */
  readonly isAdmin: boolean;
  /** In the project. Null if they have none any more. */
  readonly role: Role | null;
}

export const INVITATION_SPAN: Micros = seconds(7 * 86_400);

/** Open invitations of a project. */
export const MAX_PROJECT_INVITATIONS = 100;

/** Open invitations that a person is shown at once. */
export const MAX_SHOWN_INVITATIONS = 50;

/**
 * Whether the person who invited may still do so. Otherwise a manager who was removed could come back by a link that they
 * made before.
 */
export function isStanding({ inviter }: Pick<OpenInvitation, 'inviter'>): boolean {
  if (inviter === null) return true;
  const { role, isAdmin } = inviter;
  return (
    (role !== null && isGranted(role, 'members.edit')) ||
    (isAdmin && isGranted('administrator', 'members.edit'))
  );
}
