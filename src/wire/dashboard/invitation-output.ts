import type { OpenInvitation } from '../../domain/people/invitation.ts';
import type { MemberRole } from '../../domain/people/permission.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** An invitation as whoever has its link sees it. */
export interface OfferJson {
  /** The name of the project. */
  readonly project: string;
  readonly role: MemberRole;
  readonly invited_by: string | null;
  readonly expires: string;
  /** The address that the invitation is for. Null if whoever has the link may join. */
  readonly for_email: string | null;
  /** The address that the link proves, with which an account can be made at once. */
  readonly proven_email: string | null;
  /** Whether that address has an account. Null if no address is proved. */
  readonly has_account: boolean | null;
}

export function offerJson({
  invitation,
  provenEmail,
  hasAccount,
}: {
  readonly invitation: OpenInvitation;
  readonly provenEmail: string | null;
  readonly hasAccount: boolean | null;
}): OfferJson {
  const { project, role, email, inviter, expiresAt } = invitation;
  return {
    project: project.name,
    role,
    invited_by: inviter?.email ?? null,
    expires: toIsoSeconds(expiresAt),
    for_email: email,
    proven_email: provenEmail,
    has_account: hasAccount,
  };
}
