import { alertMail as writtenAlert } from '../integrations/email/message.ts';
import type { AlertEvent } from '../integrations/registry.ts';
import type { TimeReader } from '../lib/text/clock-text.ts';
import type { Deps } from '../services/core/deps.ts';
import { ofAccount, valueRead } from '../services/core/reads.ts';

interface AskedMail {
  readonly event: AlertEvent;
  readonly to: string;
  readonly unsubscribeUrl: string;
}

/** An alert for the owner of the address. */
export const alertMail = valueRead(
  ({ event: { askedFor = null } }) => ofAccount({ ownerId: askedFor }),
  async (deps: Pick<Deps, 'store'>, { event, to, unsubscribeUrl }: AskedMail) =>
    writtenAlert(event, to, unsubscribeUrl, await readerOf(deps, to)),
);

/** The style of times of the person with that address. Null if nobody with an account has it. */
async function readerOf({ store }: Pick<Deps, 'store'>, email: string): Promise<TimeReader | null> {
  const account = await store.accounts.byEmail(email);
  if (account === null || !account.isActive) return null;
  const preferences = await store.mailPreferences.ofAccount(account.id);
  return preferences && { ...preferences, timeZone: preferences.tz };
}
