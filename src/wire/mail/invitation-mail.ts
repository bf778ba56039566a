import type { OpenInvitation } from '../../domain/people/invitation.ts';
import type { MemberRole } from '../../domain/people/permission.ts';
import type { MailText } from '../../lib/mail-document/document.ts';
import { mailDate } from '../../lib/text/mail-date.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { invitationAddress } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import { strangeName } from './mail-text.ts';
import { link, noticeMail, paragraphs } from './notice.ts';

export interface InvitationNotice extends Pick<OpenInvitation, 'project' | 'inviter' | 'role' | 'expiresAt'> {
  /** The secret part of the link. */
  readonly token: string;
  readonly site: MessageSite;
}

const MAY: Readonly<Record<MemberRole, string>> = {
  read_only: 'You can look at its checks.',
  member: 'You can look at its checks and change them.',
  manager: 'You can look at its checks, change them, and manage its members.',
};

export function invitationMail({
  project,
  inviter,
  role,
  expiresAt,
  token,
  site,
}: InvitationNotice): MailText {
  const siteName = oneLine(site.name);
  // The inviter chooses the name of the project, so the subject does not have it.
  const subject = `You have been invited to a project on ${siteName}`;
  const who = inviter === null ? siteName : oneLine(inviter.email);
  const offer = `${who} invites you to the project ${strangeName(project)} on ${siteName}. ${MAY[role]}`;
  const until = `The link lets you accept or decline. It works once, until ${mailDate(expiresAt, 'UTC')}.`;
  const otherwise = 'If you do not know what this is about, you can ignore this mail.';
  return noticeMail({
    siteName: site.name,
    subject,
    lead: offer,
    blocks: [link(invitationAddress(site.root, token), 'See the invitation'), paragraphs(until, otherwise)],
  });
}
