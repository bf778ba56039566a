import type { MailPreferences } from '../domain/account.ts';
import type { Deps } from '../services/deps.ts';
import { type Subscription, subscriptionToken } from '../services/mail-preferences.ts';
import { type AccountMessage, mailBytes, openMail } from '../services/mails.ts';
import type { QuestionOf, WrittenMail } from '../services/reads.ts';
import type { MailReadingDeps } from '../services/reports.ts';
import { blindnessMail } from '../wire/mail/blindness-mail.ts';
import { flappingMail } from '../wire/mail/flapping-mail.ts';
import type { MailText } from '../wire/mail/mail-text.ts';
import { reminderMail } from '../wire/mail/reminder-mail.ts';
import { reportMail } from '../wire/mail/report-mail.ts';
import type { MessageSite } from '../wire/site.ts';

type AccountMailDeps = MailReadingDeps & Pick<Deps, 'vault'>;

/** The last piece is the mail. A piece before it is empty: it only lets other work run. */
export async function* accountMailPieces(
  deps: AccountMailDeps,
  { mail }: QuestionOf<'account_mail'>,
  site: MessageSite,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reading = openMail(deps, mail);
  for (;;) {
    const { done, value } = await reading.next();
    yield done ? mailBytes(value && write(deps, value, site)) : new Uint8Array();
    if (done) return;
  }
}

function write({ vault }: AccountMailDeps, message: AccountMessage, site: MessageSite): WrittenMail {
  const { uuid, email } = message.to;
  const subscription = SUBSCRIPTIONS[message.data.kind];
  const link = (one: Subscription, to: MailPreferences) =>
    `${site.root}/accounts/${to.uuid}/unsubscribe/${one}/${subscriptionToken({ vault }, one, to)}/`;
  return {
    account: { uuid, email },
    ...textOf(message, site, link),
    headers: subscription === null ? {} : unsubscribeHeaders(link(subscription, message.to)),
  };
}

function textOf(
  { to, data }: AccountMessage,
  site: MessageSite,
  link: (subscription: Subscription, to: MailPreferences) => string,
): MailText {
  switch (data.kind) {
    case 'report':
      return reportMail({ ...data, timeZone: to.tz, site, unsubscribeUrl: link('reports', to) });
    case 'reminder':
      return reminderMail({ ...data, site, unsubscribeUrl: link('reminders', to) });
    case 'flapping':
      return flappingMail({ ...data, site });
    case 'blindness':
      return blindnessMail({ ...data, timeZone: to.tz, site });
    default:
      return data satisfies never;
  }
}

/** Headers for unsubscribing with one click (RFC 8058), for mails that are sent regularly. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** The subscription of each kind of mail. Notices have none: they are rare and report a fault. */
const SUBSCRIPTIONS: Readonly<Record<AccountMessage['data']['kind'], Subscription | null>> = {
  report: 'reports',
  reminder: 'reminders',
  flapping: null,
  blindness: null,
};
