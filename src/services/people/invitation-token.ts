import { INVITATION_SPAN, isStanding, type OpenInvitation } from '../../domain/people/invitation.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Reads } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { openSealed, sealTogether } from './sealed.ts';

type TokenDeps = Pick<Deps, 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> };

const PURPOSE = 'invitation';

/** The content of a link's secret part. */
interface Presented {
  readonly digest: string;
  /** The address that the link was mailed to. Null if nothing proves one. */
  readonly provenEmail: string | null;
}

/** An invitation that somebody has the link of. */
export interface FoundInvitation {
  readonly invitation: OpenInvitation;
  /** An address that the person has proved to be theirs by having the link. Null if there is none. */
  readonly provenEmail: string | null;
}

/** The secret part of a link to the same invitation, which proves the address that it is mailed to. */
export function tokenForAddress(deps: Pick<Deps, 'vault' | 'clock'>, token: string, email: string): string {
  return sealTogether(deps, PURPOSE, { digest: presented(deps, token).digest, email });
}

/** The invitation that the secret belongs to. Null if it was used, revoked or has expired, or its inviter has lost the right. */
export async function findInvitation(
  deps: TokenDeps,
  { invitations }: Pick<Reads, 'invitations'>,
  token: string,
): Promise<FoundInvitation | null> {
  const { digest, provenEmail } = presented(deps, token);
  const invitation = await invitations.find(digest, deps.clock.now());
  if (invitation === null || !isStanding(invitation)) return null;
  return { invitation, provenEmail: invitation.email ?? provenEmail };
}

function presented(deps: TokenDeps, token: string): Presented {
  const sealed = openSealed(deps, PURPOSE, token, INVITATION_SPAN);
  if (sealed === null) return { digest: sha256(token), provenEmail: null };
  return { digest: String(sealed.digest), provenEmail: String(sealed.email) };
}
