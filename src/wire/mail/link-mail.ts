import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { linkAddress, type PagePurpose } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import { link, noticeMail, paragraphs } from './notice.ts';

export interface LinkNotice {
  readonly purpose: PagePurpose;
  /** The secret part of the link. */
  readonly token: string;
  /** A code that stands for the link. Null if there is none. */
  readonly code: string | null;
  /** The recipient. */
  readonly email: string;
  readonly site: MessageSite;
}

interface Words {
  subject(siteName: string): string;
  readonly button: string;
  readonly otherwise: string;
}

const UNASKED = 'If you did not ask for this mail, somebody has typed your address. You can ignore it.';

const WORDS: Readonly<Record<PagePurpose, Words>> = {
  setup: {
    subject: (siteName) => `Set up ${siteName}`,
    button: 'Set up',
    otherwise: UNASKED,
  },
  sign_in: {
    subject: (siteName) => `Sign in to ${siteName}`,
    button: 'Sign in',
    otherwise: UNASKED,
  },
  sign_up: {
    subject: (siteName) => `Your new account on ${siteName}`,
    button: 'Create the account',
    otherwise: UNASKED,
  },
  set_password: {
    subject: (siteName) => `A new password for ${siteName}`,
    button: 'Choose a password',
    otherwise: `${UNASKED} Your password stays as it is.`,
  },
  change_email: {
    subject: (siteName) => `Another address for your account on ${siteName}`,
    button: 'Confirm the change',
    otherwise:
      'The address changes when the old and the new mailbox have confirmed it. If it was not you, do nothing.',
  },
};

/** The mail with a link that works once. */
export function linkMail({ purpose, token, code, email, site }: LinkNotice): MailText {
  const siteName = oneLine(site.name);
  const words = WORDS[purpose];
  const subject = words.subject(siteName);
  const request = `Somebody, most likely you, asked for this link for ${oneLine(email)}. It works once, within an hour.`;
  const instead =
    code === null
      ? null
      : `Or type this code, only where you have asked for it, on the page of ${siteName}: ${code}`;
  return noticeMail({
    siteName: site.name,
    subject,
    lead: request,
    blocks: [
      link(linkAddress(site.root, purpose, token), words.button),
      paragraphs(...(instead === null ? [] : [instead]), words.otherwise),
    ],
  });
}
