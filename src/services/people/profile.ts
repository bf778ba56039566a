import { AppError } from '../../domain/errors.ts';
import {
  type Account,
  type MailPreferences,
  REMINDER_SECONDS,
  type ReminderPeriod,
  type Theme,
} from '../../domain/people/account.ts';
import type { ClockFormat, DateFormat } from '../../lib/text/date-style.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { type AccountActor, accountSubject, actorsAccount, requireOnAccount } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';
import { setReminders, setReportDate } from './mail-preferences.ts';

/** An account with its settings. */
export interface Profile {
  readonly account: Account;
  readonly preferences: MailPreferences;
}

export async function readProfile(deps: Pick<AccountDeps, 'store'>, actor: AccountActor): Promise<Profile> {
  requireOnAccount(actor, 'account.view');
  return profileOf(deps.store, actor);
}

/** Absent fields stay as they are. */
export interface ProfileEdit {
  readonly name?: string | undefined;
  readonly theme?: Theme | undefined;
  readonly tz?: string | undefined;
  readonly reports?: MailPreferences['reports'] | undefined;
  readonly reminders?: ReminderPeriod | undefined;
  readonly language?: string | undefined;
  readonly dateFormat?: DateFormat | undefined;
  readonly clock?: ClockFormat | undefined;
}

export async function editProfile(
  deps: AccountDeps,
  actor: AccountActor,
  edit: ProfileEdit,
): Promise<Profile> {
  requireOnAccount(actor, 'account.edit');
  return deps.store.transaction(async (tx) => {
    const account = (await tx.accounts.lock(actor.accountId)) ?? gone();
    const before = await profileOf(tx, actor);
    await tx.accounts.save({
      ...account,
      name: edit.name ?? account.name,
      theme: edit.theme ?? account.theme,
    });
    await saveMailPreferences(deps, tx, before.preferences, edit);
    const after = await profileOf(tx, actor);
    await recordAct(deps, tx, actor.by, {
      action: 'account.edited',
      subject: accountSubject(account),
      details: differences(before, after),
    });
    return after;
  });
}

/** Saving the zone or the reports sets the date of the next report anew, so it is done only if one of them changes. */
async function saveMailPreferences(
  deps: AccountDeps,
  tx: Writes,
  before: MailPreferences,
  edit: ProfileEdit,
): Promise<void> {
  const { accountId } = before;
  const { tz = before.tz, reports = before.reports, reminders } = edit;
  const { language = before.language, dateFormat = before.dateFormat, clock = before.clock } = edit;
  await tx.mailPreferences.setDateStyle(accountId, { language, dateFormat, clock });
  if (tz !== before.tz || reports !== before.reports) {
    await tx.mailPreferences.setReports(accountId, reports, tz);
    // The page shows at once when the next one comes.
    await setReportDate(deps, tx, (await tx.mailPreferences.ofAccount(accountId)) ?? gone());
  }
  const seconds = reminders === undefined ? before.reminderSeconds : REMINDER_SECONDS[reminders];
  if (seconds !== before.reminderSeconds) await setReminders(tx, accountId, seconds, deps.clock.now());
}

async function profileOf(
  store: Pick<Reads, 'accounts' | 'mailPreferences'>,
  actor: AccountActor,
): Promise<Profile> {
  const account = await actorsAccount(store, actor);
  return { account, preferences: (await store.mailPreferences.ofAccount(account.id)) ?? gone() };
}

function settingsOf({ account, preferences }: Profile): Readonly<Record<string, unknown>> {
  const { name, theme } = account;
  const { tz, reports, reminderSeconds, language, dateFormat, clock } = preferences;
  return {
    ...{ name, theme, tz, reports, reminder_seconds: reminderSeconds },
    ...{ language, date_format: dateFormat, clock },
  };
}

/** The settings that differ. */
function differences(before: Profile, after: Profile): { before: object; after: object } {
  const [old, now] = [settingsOf(before), settingsOf(after)];
  const changed = Object.keys(old).filter((name) => old[name] !== now[name]);
  const pick = (from: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((name) => [name, from[name]]));
  return { before: pick(old), after: pick(now) };
}

function gone(): never {
  throw new AppError('not_signed_in');
}
