import { newMail } from '../../domain/alert/mail.ts';
import type { CheckSummary } from '../../domain/check/check.ts';
import { deadlineOf, TOLERATED_AHEAD } from '../../domain/check/status.ts';
import { answerOf } from '../../domain/history/answer.ts';
import { nextDue } from '../../domain/history/run.ts';
import { standingOf } from '../../domain/history/standing.ts';
import { type MailPreferences, REMINDER_SECONDS } from '../../domain/people/account.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { StoredOutage } from '../../storage/store.ts';
import type { DownCheck, Reminder } from '../../wire/mail/reminder-mail.ts';
import { shownStatus } from '../check/reported-checks.ts';
import type { Deps } from '../core/deps.ts';
import { readDown } from '../history/alert-stories.ts';
import { openOutagesOf, wholeAnswersTo } from '../history/outage-answers.ts';
import { type MailReadingDeps, SILENCE } from './reports.ts';

/** Accounts handled in one tick. */
const MAX_AT_ONCE = 100;
/** A date later than this comes from a clock that was wrong. Other nodes' clocks may be a little ahead. */
const MAX_WAIT = seconds(REMINDER_SECONDS.daily) + TOLERATED_AHEAD;

/**
 * Queues the reminders that are due. If several nodes try, the one that moves the date queues the mail, in the same
 * transaction. When no mail is sent, only the dates move. Returns whether any was due.
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
    // This comes first because it locks the account. A check that goes down meanwhile waits, and then sees the new
    // date.
    if (!(await tx.mailPreferences.moveReminder(due, next))) return;
    const isWanted =
      (await tx.mailPreferences.hasDown(accountId, now)) &&
      (await tx.mailPreferences.wasPinged(accountId, now - SILENCE));
    if (!isWanted) {
      await tx.mailPreferences.moveReminder({ ...due, nextReminderAt: next }, null);
      return;
    }
    // A reminder that is still queued says the same. So reminders do not pile up while the mail server is away.
    if (!sendsMail || (await tx.mails.hasOpen(accountId, 'reminder'))) return;
    await tx.mails.insertMany([
      newMail(accountId, { kind: 'reminder', parameters: {} }, deps.random.uuid(), now),
    ]);
  });
}

/** Checks that a reminder lists. */
const MAX_TOLD = 20;
/** Recovered checks that a reminder lists. */
const MAX_RECOVERED = 5;

export interface ReminderData
  extends Pick<Reminder, 'now' | 'lastAt' | 'projects' | 'total' | 'checks' | 'recovered'> {
  readonly kind: 'reminder';
}

/**
 * Returns null when nothing is down any more, or when the account wants no reminders. It yields between reads, so that
 * other work can run.
 */
export async function* readReminder(
  deps: MailReadingDeps,
  { accountId, reminderSeconds }: MailPreferences,
): AsyncGenerator<void, ReminderData | null> {
  if (reminderSeconds === 0) return null;
  const { store, clock } = deps;
  const now = clock.now();
  const sentAt = await store.mails.lastSentAt(accountId, 'reminder');
  const lastAt = sentAt !== null && sentAt > now - 2 * seconds(reminderSeconds) ? sentAt : null;
  const projects: ReminderData['projects'][number][] = [];
  const down: { readonly check: CheckSummary; readonly outage: StoredOutage | null }[] = [];
  const recovered: ReminderData['recovered'][number][] = [];
  for (const { id, name, uuid } of await store.projects.accessibleTo(accountId)) {
    const checks = await remindedOf(deps, id, now);
    if (checks.length > 0) projects.push({ name, uuid });
    down.push(...checks);
    if (lastAt !== null) recovered.push(...(await store.checks.recoveredSince(id, lastAt, MAX_RECOVERED)));
    yield;
  }
  if (down.length === 0) return null;
  const checks: DownCheck[] = [];
  const newestFirst = down.toSorted((a, b) => downSince(b.check) - downSince(a.check)).slice(0, MAX_TOLD);
  const told = newestFirst.map(({ check }) => check);
  const open = newestFirst.flatMap(({ check, outage }) =>
    outage === null ? [] : [[check.id, outage] as const],
  );
  const answers = await wholeAnswersTo(store, told, new Map(open), now);
  for (const check of told) {
    const answer = answers.get(check.id) ?? null;
    const nextDueAt = check.kind === 'simple' ? null : nextDue(check, now);
    checks.push(...(await readDown(deps, [check], now)).map((one) => ({ ...one, nextDueAt, answer })));
    yield;
  }
  const newest = recovered.toSorted((a, b) => b.at - a.at).slice(0, MAX_RECOVERED);
  return { kind: 'reminder', now, lastAt, projects, total: down.length, checks, recovered: newest };
}

/** The checks of a project that are down, without those that are silent on purpose. */
async function remindedOf({ store }: Pick<Deps, 'store'>, projectId: number, now: Instant) {
  const down = (await store.checks.downOfProject(projectId, now)).filter(
    (check) => shownStatus(check, now) === 'down',
  );
  const outages = await openOutagesOf(store, down);
  return down
    .map((check) => {
      const outage = outages.get(check.id) ?? null;
      return { check, outage, answer: answerOf({ check, isDown: true, outage }, now) };
    })
    .filter(({ answer }) => standingOf({ ...DOWN, answer }) !== 'silent');
}

const DOWN = { status: 'down', slow: false, neverCame: false, ready: false } as const;

/** The deadline loop may not have noticed yet. */
function downSince(check: CheckSummary): Instant {
  return check.status === 'down' ? (check.lastFlipAt ?? 0) : (deadlineOf(check) ?? 0);
}
