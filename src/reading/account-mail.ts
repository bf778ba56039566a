import { deserialize, serialize } from 'node:v8';
import type { QueuedMail } from '../domain/alert/mail.ts';
import type { MailPreferences } from '../domain/people/account.ts';
import { emptyAnswer } from '../lib/answer-pieces.ts';
import type { MailText } from '../lib/mail-document/document.ts';
import type { Deps } from '../services/core/deps.ts';
import type { Read } from '../services/core/reads.ts';
import {
  type AccountMailData,
  type LinkMailData,
  type OpenedMail,
  openMail,
} from '../services/mail/mails.ts';
import type { MailReadingDeps } from '../services/mail/reports.ts';
import { type Subscription, subscriptionToken } from '../services/people/mail-preferences.ts';
import { backupFailedMail } from '../wire/mail/backup-failed-mail.ts';
import { blindnessMail } from '../wire/mail/blindness-mail.ts';
import { channelConfirmationMail } from '../wire/mail/channel-confirmation-mail.ts';
import { channelTroubleMail } from '../wire/mail/channel-trouble-mail.ts';
import { confirmationMail } from '../wire/mail/confirmation-mail.ts';
import { flappingMail } from '../wire/mail/flapping-mail.ts';
import { invitationMail } from '../wire/mail/invitation-mail.ts';
import { linkMail } from '../wire/mail/link-mail.ts';
import { messageLimitMail } from '../wire/mail/message-limit-mail.ts';
import { reminderMail } from '../wire/mail/reminder-mail.ts';
import { reportMail } from '../wire/mail/report-mail.ts';
import { securityMail } from '../wire/mail/security-mail.ts';
import { signalCaptchaMail } from '../wire/mail/signal-captcha-mail.ts';
import { transferMail } from '../wire/mail/transfer-mail.ts';
import { undeliveredMail } from '../wire/mail/undelivered-mail.ts';
import type { MessageSite } from '../wire/site.ts';

type AccountMailDeps = MailReadingDeps & Pick<Deps, 'vault'> & { readonly site: MessageSite };

/** A mail that is read and written when it is sent. */
type MailToWrite = Pick<QueuedMail, 'accountId' | 'address' | 'subject'>;

/** A mail to a person. */
export interface WrittenMail {
  readonly email: string;
  /** Null for somebody who has no account. */
  readonly accountUuid: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const accountMail: Read<MailToWrite, null, AccountMailDeps> = {
  owner: ({ accountId, address }) => `account ${accountId ?? address}`,
  answer: async (deps, mail) => ({ ...emptyAnswer(null), rest: mailPieces(deps, mail) }),
};

/**
 * The mail as it is sent now. Null when there is nothing left to say, or nobody to send it to. A report may be long, so it
 * is read and written in another thread.
 */
export async function writtenMail(
  { reads }: Pick<Deps, 'reads'>,
  { accountId, address, subject }: QueuedMail,
): Promise<WrittenMail | null> {
  const { pieces } = await reads.ask(accountMail, { accountId, address, subject });
  return deserialize(Buffer.concat(await Array.fromAsync(pieces)));
}

/**
 * The last piece is the mail, serialized: JSON would take longer to read. A piece before it is empty and only lets other
 * work run.
 */
async function* mailPieces(
  deps: AccountMailDeps,
  mail: MailToWrite,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reading = openMail(deps, mail);
  for (;;) {
    const { done, value } = await reading.next();
    yield new Uint8Array(done ? serialize(value && write(deps, value)) : []);
    if (done) return;
  }
}

function write({ vault, site }: AccountMailDeps, mail: OpenedMail): WrittenMail {
  if (mail.about === 'link') {
    const { email, account, data } = mail;
    return { email, accountUuid: account?.uuid ?? null, ...linkText(data, email, site), headers: {} };
  }
  if (mail.about === 'invitation') {
    const { email, data } = mail;
    const { invitation, token } = data;
    return { email, accountUuid: null, ...invitationMail({ ...invitation, token, site }), headers: {} };
  }
  if (mail.about === 'confirmation') {
    const { email, data } = mail;
    return { email, accountUuid: null, ...channelConfirmationMail({ ...data, email, site }), headers: {} };
  }
  if (mail.about === 'closing') {
    const { email, data } = mail;
    const notice = securityMail({ what: 'account_closed', userAgent: '', ...data, site });
    return { email, accountUuid: null, ...notice, headers: {} };
  }
  const { to, data } = mail;
  const subscription = SUBSCRIPTIONS[data.kind];
  const link = (one: Subscription) =>
    `${site.root}/accounts/${to.uuid}/unsubscribe/${one}/${subscriptionToken({ vault }, one, to)}/`;
  return {
    email: to.email,
    accountUuid: to.uuid,
    ...textOf(to, data, site, link),
    headers: subscription === null ? {} : unsubscribeHeaders(link(subscription)),
  };
}

function linkText({ purpose, token, code }: LinkMailData, email: string, site: MessageSite): MailText {
  if (purpose === 'confirm') return confirmationMail({ code: code ?? '', email, site });
  return linkMail({ purpose, token, code, email, site });
}

function textOf(
  to: MailPreferences,
  data: AccountMailData,
  site: MessageSite,
  link: (subscription: Subscription) => string,
): MailText {
  switch (data.kind) {
    case 'report':
      return reportMail({
        ...data,
        timeZone: to.tz,
        dates: to,
        email: to.email,
        site,
        unsubscribeUrl: link('reports'),
      });
    case 'reminder':
      return reminderMail({
        ...data,
        nextAt: to.nextReminderAt,
        everySeconds: to.reminderSeconds,
        email: to.email,
        reader: { ...to, timeZone: to.tz },
        site,
        unsubscribeUrl: link('reminders'),
      });
    case 'flapping':
      return flappingMail({ ...data, site });
    case 'blindness':
      return blindnessMail({ ...data, timeZone: to.tz, dates: to, site });
    case 'transfer':
      return transferMail({ ...data, site });
    case 'undelivered':
      return undeliveredMail({ ...data, site });
    case 'signal_captcha':
      return signalCaptchaMail({ ...data, site });
    case 'message_limit':
      return messageLimitMail({ ...data, site });
    case 'backup_failed':
      return backupFailedMail({ ...data, site });
    case 'channel_trouble':
      return channelTroubleMail({ ...data, reader: { ...to, timeZone: to.tz }, site });
    case 'security':
      return securityMail({ ...data, timeZone: to.tz, dates: to, site });
    default:
      return data satisfies never;
  }
}

/** Headers for unsubscribing with one click (RFC 8058), for mails that are sent regularly. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** The subscription of each kind of mail. Notices have none: they are rare and report a fault. */
const SUBSCRIPTIONS: Readonly<Record<AccountMailData['kind'], Subscription | null>> = {
  report: 'reports',
  reminder: 'reminders',
  flapping: null,
  blindness: null,
  transfer: null,
  undelivered: null,
  signal_captcha: null,
  message_limit: null,
  backup_failed: null,
  security: null,
  channel_trouble: null,
};
