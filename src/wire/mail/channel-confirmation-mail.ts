import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { channelConfirmationAddress } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import { strangeName } from './mail-text.ts';
import { link, noticeMail, paragraphs } from './notice.ts';

export interface ChannelConfirmation {
  readonly channel: { readonly uuid: string };
  readonly project: { readonly name: string };
  /** The secret part of the link. */
  readonly token: string;
  /** The recipient. */
  readonly email: string;
  readonly site: MessageSite;
}

/** Asks whether alerts of a project may be sent to the address. */
export function channelConfirmationMail(notice: ChannelConfirmation): MailText {
  const { channel, project, token, email, site } = notice;
  const siteName = oneLine(site.name);
  const request = `Somebody on ${siteName} wants to send alerts of the project ${strangeName(project)} to this address.`;
  const until = 'Nothing is sent before you confirm it. The link works for a week, and you need no account.';
  const otherwise = 'If you do not want these alerts, ignore this mail.';
  return noticeMail({
    siteName: site.name,
    // Anybody can name a project and ask for this mail, so the subject does not have the name.
    subject: `Alerts of ${siteName} to ${oneLine(email)}?`,
    lead: request,
    blocks: [
      link(channelConfirmationAddress(site.root, channel.uuid, token), 'Confirm the address'),
      paragraphs(until, otherwise),
    ],
  });
}
