import type { SecurityEvent } from '../../domain/alert/mail.ts';
import type { MailText } from '../../lib/mail-document/document.ts';
import { type DateStyle, personDate } from '../../lib/text/date-style.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { facts, link, noticeMail, paragraphs } from './notice.ts';

export interface SecurityNotice extends SecurityEvent {
  /** The zone of the account. */
  readonly timeZone: string;
  readonly dates: DateStyle;
  readonly site: MessageSite;
}

interface Words {
  readonly subject: string;
  readonly statement: string;
  /** Advice if it was somebody else. */
  readonly advice?: string;
}

const WORDS: Readonly<Record<SecurityEvent['what'], Words>> = {
  password_changed: {
    subject: 'Your password was changed',
    statement: 'The password of your account was changed. Other browsers were signed out.',
  },
  email_changed: {
    subject: 'Your address was changed',
    statement: 'Your account has another address now. Mails of the service go there from now on.',
  },
  second_factors_changed: {
    subject: 'Your second factor was changed',
    statement: 'What your account asks for besides the password was changed.',
  },
  wrong_second_factors: {
    subject: 'Wrong second factors were entered',
    statement:
      'Somebody has entered several wrong codes, or used wrong keys, as the second factor of your account. They know your password, read your mail, or have a browser in which you are signed in.',
  },
  identities_changed: {
    subject: 'How you sign in was changed',
    statement: 'A service that signs you in to your account was connected or disconnected.',
  },
  access_ended: {
    subject: 'What was made with your address was reset',
    statement:
      'You were signed in for the first time by the sign-in of your organisation. Nobody had proved before that the address is ' +
      'yours. So the password, passkeys, sessions, tokens, API keys and wall displays that were made with it work no longer.',
    advice: 'Look at the projects, their members and their integrations: somebody else may have made them.',
  },
  token_created: {
    subject: 'A token of your account was made',
    statement:
      'With this token a program acts as you, within what the token was made for, until you revoke it.',
    advice:
      'If it was not you, revoke the token on the page of your account, set a new password at once, and end all other sessions.',
  },
  account_closed: {
    subject: 'Your account was closed',
    statement:
      'Your account was deleted, with its projects, checks and tokens. Mails of the service end with this one.',
    advice: 'If it was not you, write to whoever runs this service.',
  },
  new_browser: {
    subject: 'A new browser has signed in',
    statement: 'Somebody has signed in to your account with a browser that was not used for it before.',
  },
};

/** The mail about something that happened to the account. It helps when it was not its owner who did it. */
export function securityMail({
  what,
  at,
  remoteAddr,
  userAgent,
  timeZone,
  dates,
  site,
}: SecurityNotice): MailText {
  const siteName = oneLine(site.name);
  const words = WORDS[what];
  const subject = `${words.subject} on ${siteName}`;
  const { advice = 'If it was not you, set a new password at once, and end all other sessions.' } = words;
  const details = [
    { label: 'When', value: personDate(at, timeZone, dates) },
    ...(remoteAddr === null ? [] : [{ label: 'From', value: remoteAddr }]),
    ...(userAgent === '' ? [] : [{ label: 'Browser', value: oneLine(userAgent) }]),
  ];
  return noticeMail({
    siteName: site.name,
    subject,
    lead: words.statement,
    blocks: [facts(...details), paragraphs(advice), link(site.root, `Open ${siteName}`)],
  });
}
