import type { MailPreferences } from '../domain/account.ts';
import type { CheckSummary, Status } from '../domain/check.ts';
import { type Downtime, downtimes } from '../domain/downtime.ts';
import { type MailSubject, newMail } from '../domain/mail.ts';
import { nextReportAt, type ReportPeriod, reportBoundaries } from '../domain/report.ts';
import { statusAt } from '../domain/status.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import { chance } from '../lib/random.ts';
import type { BlindSpan } from '../storage/store.ts';
import { summaryPages } from './check-list.ts';
import type { Deps } from './deps.ts';

/** Whoever has not had a ping for so long has no use for mails about checks. */
export const SILENCE = seconds(180 * 86_400);

/** Accounts looked at in one tick. */
const MAX_AT_ONCE = 100;
/** More than a month and the hours of any zone. */
const MAX_WAIT = seconds(33 * 86_400);

/**
 * Finds the dates of first reports, and queues reports that are due: of several nodes, the one that moves the
 * date does so, in the same transaction. Where no mail is sent, only the dates move. Says whether there was any.
 */
export async function queueReports(deps: Deps, sendsMail: boolean): Promise<boolean> {
  const latest = deps.clock.now() + MAX_WAIT;
  const dateless = await deps.store.mailPreferences.withoutReportDate(latest, MAX_AT_ONCE);
  if (dateless.length > 0) await scheduleFirst(deps, dateless);
  const due = await deps.store.mailPreferences.dueReports(deps.clock.now(), MAX_AT_ONCE);
  for (const one of due) await queueReport(deps, one, sendsMail);
  return dateless.length + due.length > 0;
}

/** Nobody gets a report at once: the first is about a time that the account has seen. */
async function scheduleFirst(deps: Deps, dateless: readonly MailPreferences[]): Promise<void> {
  await deps.store.transaction(async (tx) => {
    for (const one of dateless) {
      if (one.reports !== 'off') await tx.mailPreferences.moveReport(one, next(deps, one, one.reports));
    }
  });
}

async function queueReport(deps: Deps, due: MailPreferences, sendsMail: boolean): Promise<void> {
  const { accountId, reports: period } = due;
  if (period === 'off') return;
  const now = deps.clock.now();
  const isWanted = sendsMail && (await deps.store.mailPreferences.wasPinged(accountId, now - SILENCE));
  await deps.store.transaction(async (tx) => {
    const isOurs = await tx.mailPreferences.moveReport(due, next(deps, due, period));
    if (!isOurs || !isWanted) return;
    // Not the date: after a long absence people want to know about the latest time.
    const subject: MailSubject = { kind: 'report', parameters: { period, at: now } };
    await tx.mails.insertMany([newMail(accountId, subject, deps.random.uuid(), now)]);
  });
}

function next({ clock, random }: Deps, { tz }: MailPreferences, period: ReportPeriod): Instant {
  return nextReportAt(period, tz, clock.now(), chance(random));
}

/** How the checks of one project did. */
export interface ReportedProject {
  readonly id: number;
  readonly name: string;
  readonly checks: readonly ReportedCheck[];
}

export interface ReportedCheck {
  readonly name: string;
  readonly tags: string;
  readonly uniqueKey: string;
  readonly status: Status;
  readonly downtimes: readonly (Downtime | null)[];
}

export interface ReportData {
  readonly kind: 'report';
  readonly period: ReportPeriod;
  readonly boundaries: readonly Instant[];
  readonly projects: readonly ReportedProject[];
}

/** Null where the account wants no reports any more, or has no checks. */
export async function readReport(
  deps: Deps,
  { accountId, tz, reports }: MailPreferences,
  { period, at }: { readonly period: ReportPeriod; readonly at: Instant },
  giveWay: () => Promise<void>,
): Promise<ReportData | null> {
  if (reports === 'off') return null;
  const boundaries = reportBoundaries(period, tz, at);
  const since = boundaries.at(-1) ?? at;
  const blind = await deps.store.liveness.blindSpansSince(since);
  const projects: ReportedProject[] = [];
  for (const project of await deps.store.projects.accessibleTo(accountId)) {
    const checks: ReportedCheck[] = [];
    for await (const page of summaryPages(deps, project.id)) {
      checks.push(...(await reportPage(deps, page, boundaries, blind)));
      await giveWay();
    }
    projects.push({ id: project.id, name: project.name, checks });
  }
  if (projects.every(({ checks }) => checks.length === 0)) return null;
  return { kind: 'report', period, boundaries, projects };
}

async function reportPage(
  { store, clock }: Deps,
  page: readonly CheckSummary[],
  boundaries: readonly Instant[],
  blind: readonly BlindSpan[],
): Promise<ReportedCheck[]> {
  const now = clock.now();
  const since = boundaries.at(-1) ?? now;
  const flips = await store.flips.ofChecks(
    page.map(({ id }) => id),
    since,
  );
  const byCheck = Map.groupBy(flips, ({ checkId }) => checkId);
  return page.map((check) => ({
    name: check.name,
    tags: check.tags,
    uniqueKey: check.uniqueKey,
    status: shownStatus(check, now),
    downtimes: downtimes(boundaries, check, byCheck.get(check.id) ?? [], blind, now),
  }));
}

/** One check that cannot be evaluated must not keep the mail about all others from being sent. */
export function shownStatus(check: CheckSummary, now: Instant): Status {
  try {
    return statusAt(check, now);
  } catch {
    return check.status;
  }
}
