import type { MailPreferences } from '../domain/account.ts';
import type { Deps } from './deps.ts';

/** What an account gets regularly, and can stop by a link in each mail. */
export type Subscription = 'reports' | 'reminders';

const TOKEN_LENGTH = 32;

/** Lets whoever reads the mail stop it, without a login; nobody else can make it up. */
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

/** Whose link it is; null when it is not right. */
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
