import { alertMail } from '../integrations/email/message.ts';
import type { OutboundMail } from '../integrations/kind/kind.ts';
import type { TimeReader } from '../lib/text/clock-text.ts';
import type { Deps } from '../services/core/deps.ts';
import type { QuestionOf } from '../services/core/reads.ts';

/** Writes an alert for the owner of the address. */
export async function writeAlert(
  deps: Pick<Deps, 'store'>,
  { event, to, unsubscribeUrl }: QuestionOf<'alert_mail'>,
): Promise<OutboundMail> {
  return alertMail(event, to, unsubscribeUrl, await readerOf(deps, to));
}

/** The style of times of the person with that address. Null if nobody with an account has it. */
async function readerOf({ store }: Pick<Deps, 'store'>, email: string): Promise<TimeReader | null> {
  const account = await store.accounts.byEmail(email);
  if (account === null || !account.isActive) return null;
  const preferences = await store.mailPreferences.ofAccount(account.id);
  return preferences && { ...preferences, timeZone: preferences.tz };
}
