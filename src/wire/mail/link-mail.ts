import { escapeHtml } from '../../lib/html-escape.ts';
import { button, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { linkAddress, type PagePurpose } from '../dashboard/addresses.ts';
import type { MessageSite } from '../site.ts';
import type { MailText } from './mail-text.ts';

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
    button: 'Set Up',
    otherwise: UNASKED,
  },
  sign_in: {
    subject: (siteName) => `Sign in to ${siteName}`,
    button: 'Sign In',
    otherwise: UNASKED,
  },
  sign_up: {
    subject: (siteName) => `Your new account on ${siteName}`,
    button: 'Create the Account',
    otherwise: UNASKED,
  },
  set_password: {
    subject: (siteName) => `A new password for ${siteName}`,
    button: 'Choose a Password',
    otherwise: `${UNASKED} Your password stays as it is.`,
  },
  change_email: {
    subject: (siteName) => `Another address for your account on ${siteName}`,
    button: 'Confirm the Change',
    otherwise:
      'The address changes when the old and the new mailbox have confirmed it. If it was not you, do nothing.',
  },
};

/** The mail with a link that works once. */
export function linkMail({ purpose, token, code, email, site }: LinkNotice): MailText {
  const siteName = oneLine(site.name);
  const words = WORDS[purpose];
  const subject = words.subject(siteName);
  const link = linkAddress(site.root, purpose, token);
  const request = `Somebody, most likely you, asked for this link for ${oneLine(email)}. It works once, within an hour.`;
  const instead =
    code === null
      ? null
      : `Or type this code, only where you have asked for it, on the page of ${siteName}: ${code}`;
  return {
    subject,
    text: textMail([request, link, instead, words.otherwise, textFooter(siteName, null)]),
    html: htmlPage(
      subject,
      [
        heading(escapeHtml(subject)),
        paragraph(request),
        ...button(link, words.button),
        ...(instead === null ? [] : [paragraph(instead)]),
        paragraph(words.otherwise),
      ],
      htmlFooter(siteName, null),
    ),
  };
}
