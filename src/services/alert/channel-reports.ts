import { newChannelMessage, type ToldPeriod } from '../../domain/alert/channel-message.ts';
import type { CheckSummary, Status } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import type { TimeSpan } from '../../domain/history/downtime.ts';
import { medianOf, SLOW_FROM, slowBeyond, USUAL_RUNS } from '../../domain/history/run.ts';
import { nextReportAt, reportBoundaries } from '../../domain/people/report.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import { chance } from '../../lib/random.ts';
import type { ReportedChannel } from '../../storage/store.ts';
import type { ReportedCheck } from '../../wire/mail/report-mail.ts';
import type { ToldReport } from '../../wire/notice/report-notice.ts';
import { summaryPages } from '../check/check-list.ts';
import { type ReportReadingDeps, reportPage } from '../check/reported-checks.ts';
import type { Deps } from '../core/deps.ts';
import { ofAccount, valueRead } from '../core/reads.ts';

/** Channels handled in one tick. */
const MAX_AT_ONCE = 100;
/** A date later than this comes from a clock that was wrong. It is longer than a week plus any offset of a time zone. */
const MAX_WAIT = seconds(9 * 86_400);
/** Checks that a report names. */
const MAX_NAMED = 10;
/** Pings of a check that are looked at for slow runs, the newest ones. */
const MAX_JUDGED_PINGS = 1_000;

type QueueDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/**
 * Sets the date of first reports, and queues the reports that are due. The node that moves the date queues the message, in the
 * same transaction. Returns whether there was any.
 */
export async function queueChannelReports(deps: QueueDeps): Promise<boolean> {
  const now = deps.clock.now();
  const dateless = await deps.store.channels.withoutReportDate(now + MAX_WAIT, MAX_AT_ONCE);
  if (dateless.length > 0)
    await deps.store.transaction(async (tx) => {
      for (const one of dateless) await tx.channels.moveReport(one, nextDate(deps, one, now));
    });
  const due = await deps.store.channels.dueReports(now, MAX_AT_ONCE);
  for (const one of due) await queueReport(deps, one, now);
  return dateless.length + due.length > 0;
}

/** At the time of reports by mail, in the zone of the account that owns the project. */
function nextDate({ random }: QueueDeps, { period, tz }: ReportedChannel, now: Instant): Instant {
  return nextReportAt(period, tz, now, chance(random));
}

async function queueReport(deps: QueueDeps, due: ReportedChannel, now: Instant): Promise<void> {
  const { period, tz } = due;
  await deps.store.transaction(async (tx) => {
    if (!(await tx.channels.moveReport(due, nextDate(deps, due, now)))) return;
    const [channel] = await tx.channels.lockListeners([due.id]);
    if (channel === undefined || channel.offReason !== null) return;
    const subject = { kind: 'report', parameters: { period, tz, at: now } } as const;
    await tx.channelMessages.insertMany([newChannelMessage(channel, null, subject, deps.random.uuid(), now)]);
  });
}

interface AskedReport extends ToldPeriod {
  readonly ownerId: number | null;
  readonly projectId: number;
}

/** What the report tells of the project. Null if it has no checks. */
export const reportTold = valueRead(
  ofAccount,
  async (deps: ReportReadingDeps, { projectId, period, tz, at }: AskedReport): Promise<ToldReport | null> => {
    const boundaries = reportBoundaries(period, tz, at);
    const blind = await deps.store.liveness.blindSpansSince(boundaries.at(-1) ?? at);
    const checks: ReportedCheck[] = [];
    const flips: Flip[] = [];
    const slow: SlowCheck[] = [];
    const [until = at, from = at] = boundaries;
    for await (const page of summaryPages(deps, projectId)) {
      const read = await reportPage(deps, page, boundaries, blind);
      checks.push(...read.checks);
      flips.push(...read.flips);
      slow.push(...(await slowChecks(deps, page, { from, until })));
    }
    return checks.length === 0 ? null : told(checks, flips, slow, boundaries);
  },
);

/** How many runs of a check were slow. */
type SlowCheck = ToldReport['slow']['named'][number];

/** Which of these checks had slow runs in that time, as far as their pings are kept. */
async function slowChecks(
  { store }: ReportReadingDeps,
  page: readonly CheckSummary[],
  span: TimeSpan,
): Promise<SlowCheck[]> {
  const ids = page.map(({ id }) => id);
  const long = Map.groupBy(
    await store.pings.longRuns(ids, span, SLOW_FROM, MAX_JUDGED_PINGS),
    ({ checkId }) => checkId,
  );
  const slow: SlowCheck[] = [];
  for (const { id, name } of page) {
    const runs = long.get(id);
    if (runs === undefined) continue;
    const usual = medianOf(await store.pings.lastDurations(id, span.until, USUAL_RUNS)) ?? 0;
    const count = runs.filter(({ duration }) => duration > slowBeyond(usual)).length;
    if (count > 0) slow.push({ name, count });
  }
  return slow;
}

/** The downtime of the last complete period is the second one: the current period comes first. */
function told(
  checks: readonly ReportedCheck[],
  flips: readonly Flip[],
  slow: readonly SlowCheck[],
  boundaries: readonly Instant[],
): ToldReport {
  const [until = 0, from = 0] = boundaries;
  const began = flips.filter(
    ({ newStatus, createdAt }) => newStatus === 'down' && createdAt >= from && createdAt < until,
  );
  const causes = began.map(({ reason, cause }) => (reason === 'timeout' ? cause || 'missed' : reason));
  const down = checks
    .flatMap(({ name, downtimes: [, latest] }) =>
      latest == null || latest.count === 0 ? [] : [{ name, ...latest }],
    )
    .toSorted((one, other) => other.duration - one.duration);
  return {
    boundaries,
    sum: down.reduce(
      (sum, { count, duration }) => ({ count: sum.count + count, duration: sum.duration + duration }),
      { count: 0, duration: 0 },
    ),
    missed: causes.filter((cause) => cause === 'missed').length,
    overran: causes.filter((cause) => cause === 'overran').length,
    failed: causes.filter((cause) => cause === 'fail').length,
    down: { named: down.slice(0, MAX_NAMED), more: Math.max(0, down.length - MAX_NAMED) },
    slow: {
      named: slow.toSorted((one, other) => other.count - one.count).slice(0, MAX_NAMED),
      more: Math.max(0, slow.length - MAX_NAMED),
    },
    statuses: checks.map(({ status }): Status => status),
    downNow: checks
      .filter(({ status }) => status === 'down')
      .slice(0, MAX_NAMED)
      .map(({ name }) => name),
  };
}
