import { type MailPreferences, REMINDER_SECONDS, type ReminderSeconds } from '../domain/account.ts';
import type { NewFlip } from '../domain/flip.ts';
import { newMail } from '../domain/mail.ts';
import { TOLERATED_AHEAD } from '../domain/status.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import type { Writes } from '../storage/store.ts';
import type { Deps } from './deps.ts';
import { SILENCE, shownStatus } from './reports.ts';

/** Accounts looked at in one tick. */
const MAX_AT_ONCE = 100;
/** Another node may have dated it by a clock that is a little ahead. */
const MAX_WAIT = seconds(REMINDER_SECONDS.daily) + TOLERATED_AHEAD;

/**
 * Gives a date to whoever has something down since these changes, and takes it from whoever has nothing down any
 * more; a date that is there stays. In the transaction of the change, and after all else that it holds: accounts
 * come last, in the same order on every node.
 */
export async function reviewReminders(tx: Writes, flips: readonly NewFlip[], now: Instant): Promise<void> {
  const concerned = flips.filter(({ oldStatus, newStatus }) => oldStatus === 'down' || newStatus === 'down');
  if (concerned.length === 0) return;
  const reminded = await holdReminded(tx, [...new Set(concerned.map(({ checkId }) => checkId))]);
  await reviewHeld(tx, reminded, now);
}

/** Who is to be reminded of these checks, held until the transaction ends. */
export async function holdReminded(tx: Writes, checkIds: readonly number[]): Promise<number[]> {
  return tx.mailPreferences.lockReminded(checkIds);
}

export async function reviewHeld(tx: Writes, accountIds: readonly number[], now: Instant): Promise<void> {
  if (accountIds.length > 0) await tx.mailPreferences.reviewReminders(accountIds, now);
}

/** From now on reminders come so often; the first as long from now, if anything is down. */
export async function setReminders(
  tx: Writes,
  accountId: number,
  reminderSeconds: ReminderSeconds,
  now: Instant,
): Promise<void> {
  await tx.mailPreferences.setReminders(accountId, reminderSeconds);
  if (reminderSeconds > 0) await tx.mailPreferences.reviewReminders([accountId], now);
}

/**
 * Queues reminders that are due: of several nodes, the one that moves the date does so, in the same transaction.
 * Where no mail is sent, only the dates move. Says whether there was any.
 */
export async function queueReminders(deps: Deps, sendsMail: boolean): Promise<boolean> {
  const now = deps.clock.now();
  const due = await deps.store.mailPreferences.dueReminders(now, now + MAX_WAIT, MAX_AT_ONCE);
  for (const one of due) await queueReminder(deps, one, sendsMail);
  return due.length > 0;
}

async function queueReminder(deps: Deps, due: MailPreferences, sendsMail: boolean): Promise<void> {
  const { accountId, reminderSeconds } = due;
  await deps.store.transaction(async (tx) => {
    const now = deps.clock.now();
    const next = now + seconds(reminderSeconds);
    // First, since it holds the account: what goes down from here on waits, and finds the date as we leave it.
    if (!(await tx.mailPreferences.moveReminder(due, next))) return;
    const isWanted =
      (await tx.mailPreferences.hasDown(accountId, now)) &&
      (await tx.mailPreferences.wasPinged(accountId, now - SILENCE));
    if (!isWanted) {
      await tx.mailPreferences.moveReminder({ ...due, nextReminderAt: next }, null);
      return;
    }
    // One that could not be sent yet tells the same: no heap of them waits for a mail server to come back.
    if (!sendsMail || (await tx.mails.hasOpen(accountId, 'reminder'))) return;
    await tx.mails.insertMany([
      newMail(accountId, { kind: 'reminder', parameters: {} }, deps.random.uuid(), now),
    ]);
  });
}

export interface ReminderData {
  readonly kind: 'reminder';
  readonly now: Instant;
  readonly projects: readonly DownProject[];
}

/** Those checks of a project that are down. */
export interface DownProject {
  readonly id: number;
  readonly name: string;
  readonly checks: readonly DownCheck[];
}

export interface DownCheck {
  readonly name: string;
  readonly tags: string;
  readonly uniqueKey: string;
  readonly lastPingAt: Instant | null;
}

/** Null where nothing is down any more, or the account wants no reminders. */
export async function readReminder(
  { store, clock }: Deps,
  { accountId, reminderSeconds }: MailPreferences,
  giveWay: () => Promise<void>,
): Promise<ReminderData | null> {
  if (reminderSeconds === 0) return null;
  const now = clock.now();
  const projects: DownProject[] = [];
  for (const { id, name } of await store.projects.accessibleTo(accountId)) {
    const checks = (await store.checks.downOfProject(id, now)).filter(
      (check) => shownStatus(check, now) === 'down',
    );
    if (checks.length > 0) projects.push({ id, name, checks: checks.map(told) });
    await giveWay();
  }
  return projects.length === 0 ? null : { kind: 'reminder', now, projects };
}

function told({ name, tags, uniqueKey, lastPingAt }: DownCheck): DownCheck {
  return { name, tags, uniqueKey, lastPingAt };
}
