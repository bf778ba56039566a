import type { MailPreferences, ReminderSeconds } from '../../domain/people/account.ts';
import { differences } from '../../domain/people/audit.ts';
import { nextReportAt, type ReportPeriod } from '../../domain/people/report.ts';
import type { Instant } from '../../lib/instant.ts';
import { chance } from '../../lib/random.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { accountSubject } from './account-actor.ts';

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

/** Stops such mails. A link that is used once more changes nothing. */
export async function cancelSubscription(
  deps: Pick<Deps, 'store' | 'clock'>,
  subscription: Subscription,
  { accountId }: MailPreferences,
  remoteAddr: string,
): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(accountId);
    const before = account && (await tx.mailPreferences.ofAccount(accountId));
    if (before === null) return;
    const after: MailPreferences =
      subscription === 'reports' ? { ...before, reports: 'off' } : { ...before, reminderSeconds: 0 };
    const details = differences(settingsOf(before), settingsOf(after));
    if (details === null) return;
    if (subscription === 'reports') await tx.mailPreferences.setReports(accountId, after.reports, after.tz);
    else await tx.mailPreferences.setReminders(accountId, after.reminderSeconds);
    const by = { accountId, name: before.email, means: 'link', remoteAddr } as const;
    await recordAct(deps, tx, by, { action: 'account.edited', subject: accountSubject(before), details });
  });
}

/** Their names in the audit log. */
function settingsOf({ reports, reminderSeconds }: MailPreferences): Readonly<Record<string, unknown>> {
  return { reports, reminder_seconds: reminderSeconds };
}

/** Only sets the date. A report sent at once would cover a time before the account existed. */
export async function setReportDate(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  preferences: MailPreferences,
): Promise<void> {
  const { reports } = preferences;
  if (reports !== 'off')
    await tx.mailPreferences.moveReport(preferences, nextReportDate(deps, preferences, reports));
}

export function nextReportDate(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  { tz }: MailPreferences,
  period: ReportPeriod,
): Instant {
  return nextReportAt(period, tz, clock.now(), chance(random));
}

/** Sets how often reminders come. If anything is down, the first comes one interval from now. */
export async function setReminders(
  tx: Writes,
  accountId: number,
  reminderSeconds: ReminderSeconds,
  now: Instant,
): Promise<void> {
  await tx.mailPreferences.setReminders(accountId, reminderSeconds);
  if (reminderSeconds > 0) await tx.mailPreferences.updateReminderDates([accountId], now);
}
