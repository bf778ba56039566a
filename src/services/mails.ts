import { type MailPreferences, PLACEHOLDER_EMAIL } from '../domain/account.ts';
import { afterAttempt, LEASE_SPAN, type Outcome } from '../domain/delivery.ts';
import type { MailSubject, QueuedMail } from '../domain/mail.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import { chance } from '../lib/random.ts';
import type { Deps } from './deps.ts';
import { type FlappingData, readFlapping } from './flapping.ts';
import { type ReminderData, readReminder } from './reminders.ts';
import { type ReportData, readReport } from './reports.ts';

/** About as long as flips are kept. */
const MAILS_KEPT = seconds(93 * 86_400);
/** Rows removed in one transaction, so that pings never wait long for their turn. */
const MAX_AT_ONCE = 500;

/** What a mail tells, read when it is sent. */
export type MailData =
  | ReportData
  | ReminderData
  | FlappingData
  | ({ readonly kind: 'blindness' } & (MailSubject & { kind: 'blindness' })['parameters']);

/** A leased mail with its reader and all that it tells. */
export interface AccountMessage {
  readonly to: MailPreferences;
  readonly data: MailData;
}

export async function nextMailAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.mails.nextAttemptAt();
}

/** Leases what is due: nobody else tries it until the lease runs out, and whoever dies loses nothing. */
export async function leaseMails(deps: Deps, limit: number): Promise<QueuedMail[]> {
  const now = deps.clock.now();
  return deps.store.transaction((tx) => tx.mails.lease({ now, until: now + LEASE_SPAN, limit }));
}

/** Puts off the end of leases whose tries are still under way. */
export async function extendMailLeases(deps: Deps, mails: readonly QueuedMail[]): Promise<void> {
  const until = deps.clock.now() + LEASE_SPAN;
  await deps.store.transaction((tx) => tx.mails.extend(mails, until));
}

/** Gives back what an earlier process of the only node had leased, so that nothing waits for leases to run out. */
export async function releaseMailLeases(deps: Deps): Promise<number> {
  return deps.store.transaction((tx) => tx.mails.releaseAll());
}

/**
 * What the mail tells as things are now; null where there is nothing left to tell, or nobody to tell it to.
 * `giveWay` is awaited again and again, so that others have their turn while much is read.
 */
export async function openMail(
  deps: Deps,
  { accountId, subject }: QueuedMail,
  giveWay: () => Promise<void>,
): Promise<AccountMessage | null> {
  const to = await deps.store.mailPreferences.ofAccount(accountId);
  if (to === null || to.email === PLACEHOLDER_EMAIL) return null;
  const data = await readData(deps, to, subject, giveWay);
  return data && { to, data };
}

async function readData(
  deps: Deps,
  to: MailPreferences,
  subject: MailSubject,
  giveWay: () => Promise<void>,
): Promise<MailData | null> {
  switch (subject.kind) {
    case 'report':
      return readReport(deps, to, subject.parameters, giveWay);
    case 'reminder':
      return readReminder(deps, to, giveWay);
    case 'flapping':
      return readFlapping(deps, to, subject.parameters);
    case 'blindness':
      return { kind: 'blindness', ...subject.parameters };
    default:
      return subject satisfies never;
  }
}

/** Records how a try went, unless its lease ran out meanwhile and somebody else has taken over. */
export async function settleMail(deps: Deps, mail: QueuedMail, outcome: Outcome): Promise<void> {
  const settled = afterAttempt(mail, outcome, deps.clock.now(), chance(deps.random));
  await deps.store.transaction((tx) => tx.mails.settle([settled]));
}

/** There is nothing to tell any more. */
export async function skipMail(deps: Deps, mail: QueuedMail): Promise<void> {
  const finishedAt = deps.clock.now();
  await deps.store.transaction((tx) =>
    tx.mails.settle([{ ...mail, state: 'skipped', nextAttemptAt: null, leasedUntilAt: null, finishedAt }]),
  );
}

/** Removes mails that were over long ago, a bounded piece at a time. Says whether there may be more. */
export async function pruneMails(deps: Pick<Deps, 'store' | 'clock'>): Promise<boolean> {
  const before = deps.clock.now() - MAILS_KEPT;
  const removed = await deps.store.transaction((tx) => tx.mails.prune(before, MAX_AT_ONCE));
  return removed === MAX_AT_ONCE;
}
