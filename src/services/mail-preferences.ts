import type { MailPreferences } from '../domain/account.ts';
import type { Deps } from './deps.ts';

/** Mails that an account gets regularly. A link in each mail stops them. */
export type Subscription = 'reports' | 'reminders';

const TOKEN_LENGTH = 32;

/** Lets the reader of a mail stop such mails without signing in. Nobody else can make it up. */
export function subscriptionToken(
  { vault }: Pick<Deps, 'vault'>,
  subscription: Subscription,
  { uuid }: Pick<MailPreferences, 'uuid'>,
): string {
  return vault.sign(purposeOf(subscription), uuid, TOKEN_LENGTH);
}

function purposeOf(subscription: Subscription): string {
  return `unsubscribe ${subscription}`;
}

/** Returns the account of the link, or null when the link is wrong. */
export async function findBySubscriptionLink(
  deps: Deps,
  subscription: Subscription,
  uuid: string,
  token: string,
): Promise<MailPreferences | null> {
  if (!deps.vault.isSigned(token, purposeOf(subscription), uuid, TOKEN_LENGTH)) return null;
  return deps.store.mailPreferences.byUuid(uuid);
}

export async function cancelSubscription(
  deps: Deps,
  subscription: Subscription,
  { accountId, tz }: MailPreferences,
): Promise<void> {
  await deps.store.transaction((tx) =>
    subscription === 'reports'
      ? tx.mailPreferences.setReports(accountId, 'off', tz)
      : tx.mailPreferences.setReminders(accountId, 0),
  );
}
