import { type MailSubject, newMail } from '../../domain/alert/mail.ts';
import { type MailPreferences, PLACEHOLDER_EMAIL } from '../../domain/people/account.ts';
import type { Project } from '../../domain/people/project.ts';
import { type ReportPeriod, reportBoundaries } from '../../domain/people/report.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Report, ReportedCheck, ReportedProject } from '../../wire/mail/report-mail.ts';
import { summaryPages } from '../check/check-list.ts';
import { type ReportReadingDeps, reportPage } from '../check/reported-checks.ts';
import type { Deps } from '../core/deps.ts';
import { ofProgram, valueRead } from '../core/reads.ts';
import { nextReportDate, setReportDate } from '../people/mail-preferences.ts';

/** An account without any ping for this long gets no mails about checks. */
export const SILENCE = seconds(180 * 86_400);

/** Accounts handled in one tick. */
const MAX_AT_ONCE = 100;
/**
 * A date later than this comes from a clock that was wrong. It is longer than a month plus any offset of a time zone.
 */
const MAX_WAIT = seconds(33 * 86_400);

/**
 * Sets the date of first reports, and queues the reports that are due. The node that moves the date queues the mail, in
 * the same transaction. When no mail is sent, only the dates move. Returns whether there was any.
 */
export async function queueReports(deps: Deps, sendsMail: boolean): Promise<boolean> {
  const latest = deps.clock.now() + MAX_WAIT;
  const dateless = await deps.store.mailPreferences.withoutReportDate(latest, MAX_AT_ONCE);
  if (dateless.length > 0) await scheduleFirst(deps, dateless);
  const due = await deps.store.mailPreferences.dueReports(deps.clock.now(), MAX_AT_ONCE);
  for (const one of due) await queueReport(deps, one, sendsMail);
  return dateless.length + due.length > 0;
}

async function scheduleFirst(deps: Deps, dateless: readonly MailPreferences[]): Promise<void> {
  await deps.store.transaction(async (tx) => {
    for (const one of dateless) await setReportDate(deps, tx, one);
  });
}

export const wasPinged = valueRead(
  ofProgram,
  (
    { store }: Pick<Deps, 'store'>,
    { accountId, since }: { readonly accountId: number; readonly since: Instant },
  ) => store.mailPreferences.wasPinged(accountId, since),
);

async function queueReport(deps: Deps, due: MailPreferences, sendsMail: boolean): Promise<void> {
  const { accountId, reports: period } = due;
  if (period === 'off') return;
  const now = deps.clock.now();
  const since = now - SILENCE;
  const isWanted = sendsMail && (await deps.reads.ask(wasPinged, { accountId, since })).head;
  await deps.store.transaction(async (tx) => {
    const isOurs = await tx.mailPreferences.moveReport(due, nextReportDate(deps, due, period));
    if (!isOurs || !isWanted) return;
    // The report covers the time before now, not before its date: after a long outage people want the latest period.
    const subject: MailSubject = { kind: 'report', parameters: { period, at: now } };
    await tx.mails.insertMany([newMail(accountId, subject, deps.random.uuid(), now)]);
  });
}

export interface ReportData extends Pick<Report, 'period' | 'boundaries' | 'projects'> {
  readonly kind: 'report';
}

/** Reading for a mail needs only these. */
export type MailReadingDeps = ReportReadingDeps;

/**
 * Returns null when the account wants no reports any more, or has no checks. It yields between reads, so that other work
 * can run.
 */
export async function* readReport(
  deps: MailReadingDeps,
  { accountId, tz, reports }: MailPreferences,
  { period, at }: { readonly period: ReportPeriod; readonly at: Instant },
): AsyncGenerator<void, ReportData | null> {
  if (reports === 'off') return null;
  const boundaries = reportBoundaries(period, tz, at);
  const since = boundaries.at(-1) ?? at;
  const blind = await deps.store.liveness.blindSpansSince(since);
  const projects: ReportedProject[] = [];
  for (const project of await deps.store.projects.accessibleTo(accountId)) {
    const checks: ReportedCheck[] = [];
    for await (const page of summaryPages(deps, project.id)) {
      checks.push(...(await reportPage(deps, page, boundaries, blind)).checks);
      yield;
    }
    const owner = await ownerOf(deps, project);
    projects.push({ id: project.id, name: project.name, owner, checks });
  }
  if (projects.every(({ checks }) => checks.length === 0)) return null;
  return { kind: 'report', period, boundaries, projects };
}

async function ownerOf({ store }: MailReadingDeps, { ownerId }: Project): Promise<string | null> {
  const owner = await store.accounts.byId(ownerId);
  return owner === null || owner.email === PLACEHOLDER_EMAIL ? null : owner.email;
}
