import type { Invitation, NewInvitation, OpenInvitation } from '../../domain/people/invitation.ts';
import type { Instant } from '../../lib/instant.ts';

export interface InvitationReads {
  /** The invitation, unless it has expired. */
  find(digest: string, now: Instant): Promise<OpenInvitation | null>;
  /** Invitations of the project that have not expired, in order of creation. */
  ofProject(projectId: number, now: Instant): Promise<OpenInvitation[]>;
  /** Invitations to that address that have not expired, in order of creation, at most `limit`. */
  ofEmail(email: string, now: Instant, limit: number): Promise<OpenInvitation[]>;
}

export interface InvitationWrites extends InvitationReads {
  insert(invitation: NewInvitation): Promise<void>;
  /** Gives the invitation another secret, date and inviter. Returns false if it is gone. */
  renew(invitation: Invitation): Promise<boolean>;
  /** Returns false if it was gone already. Of several that remove it at once, one gets true. */
  remove(id: number): Promise<boolean>;
  /** Removes the invitations of the project to that address. */
  removeOfEmail(projectId: number, email: string): Promise<void>;
  /** Removes invitations that have expired, at most `most`. Returns their number. */
  prune(now: Instant, most: number): Promise<number>;
}
