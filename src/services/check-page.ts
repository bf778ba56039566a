import type { Channel } from '../domain/alert/channel.ts';
import type { Check } from '../domain/check/check.ts';
import type { Flip } from '../domain/check/flip.ts';
import { expectedAt } from '../domain/check/status.ts';
import { type Downtime, downtimes } from '../domain/history/downtime.ts';
import { type FuseStation, fuseOf } from '../domain/history/fuse.ts';
import { nextDue, type Run, runsOf } from '../domain/history/run.ts';
import { type RunFigures, runFigures } from '../domain/history/run-figures.ts';
import { type StatusStory, tellStatus } from '../domain/history/status-sentence.ts';
import { isAllowed } from '../domain/people/permission.ts';
import type { Project } from '../domain/people/project.ts';
import { periodStarts } from '../domain/people/report.ts';
import { type PingAddress, pingAddress } from '../domain/ping/ping-address.ts';
import { labelOf } from '../integrations/registry.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { DeliveryRecord } from '../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from './actor.ts';
import { lastLine } from './check-board.ts';
import type { Deps } from './deps.ts';
import { readAddressing } from './ping-addresses.ts';
import { readProject } from './projects.ts';
import { answersFor } from './provider-answers.ts';

/** Runs that the page shows. */
const PAGE_RUNS = 100;
/** Pings from which they are put together: three for each, a start, a log and an end. */
const READ_PINGS = 3 * PAGE_RUNS;
const READ_FLIPS = 2 * PAGE_RUNS;
/** Due times that are told in advance. */
export const NEXT_DUE_TIMES = 10;
/** Full months of which the downtime is told, besides the current one. */
const FULL_MONTHS = 2;
/** How far apart the entry of an act and the change of status that it made may lie. */
const ACT_SPAN = seconds(2);
const READ_ACTS = 50;

type PageDeps = Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** A calendar month, and how long the check was down in it. */
export interface MonthOfCheck {
  readonly from: Instant;
  /** The time of the month that is over, and in which the check existed. */
  readonly length: Micros;
  /** Null if the check did not exist. */
  readonly downtime: Downtime | null;
}

/** What people want to know about one check. */
export interface CheckPage {
  readonly check: Check;
  readonly project: Project;
  /** Null for whoever may not ping. */
  readonly address: PingAddress | null;
  readonly story: StatusStory;
  /** The last line of what the failed run has said. */
  readonly line: string | null;
  readonly fuse: readonly FuseStation[];
  /** The oldest first. */
  readonly runs: readonly Run[];
  readonly figures: RunFigures;
  /** All integrations of the project. */
  readonly channels: readonly (Channel & { readonly label: string })[];
  readonly assigned: ReadonlySet<string>;
  /** What was told of the present status. */
  readonly told: readonly DeliveryRecord[];
  readonly due: readonly Instant[];
  /** The current month first. Empty as long as the job has not pinged: nothing is known then. */
  readonly months: readonly MonthOfCheck[];
  readonly now: Instant;
}

/** `tz` is the time zone of whoever looks, in which months begin. */
export async function readCheckPage(
  deps: PageDeps,
  actor: Actor,
  checkId: number,
  tz: string,
): Promise<CheckPage> {
  requirePermission(actor, 'checks.view');
  const { store } = deps;
  const now = deps.clock.now();
  const check = ownCheck(actor, await store.checks.byId(checkId));
  const { runs, flip } = await readRuns(deps, check, now);
  const [blind] = await store.liveness.blindSpansSince(check.lastPingAt ?? check.createdAt);
  const by = await whoChanged(deps, check, flip);
  const story = tellStatus({ check, flip, runs, now, by, blind: blind ?? null });
  const assigned = new Set(await store.checks.channelsOf(check.id));
  const told = flip === null ? [] : await store.deliveries.ofFlips([flip.id]);
  const answers = answersFor(actor.caller);
  return {
    check,
    project: await readProject(deps, actor),
    address: await readAddress(deps, actor, check),
    story,
    line: await lastLine(deps, check, runs, story),
    fuse: fuseOf({ check, story, runs, assigned: assigned.size, deliveries: told, now }),
    runs: runs.slice(-PAGE_RUNS),
    figures: runFigures(runs.slice(-PAGE_RUNS)),
    channels: (await store.channels.ofProject(check.projectId)).map((channel) => ({
      ...answers.channel(channel),
      label: labelOf(channel.kind),
    })),
    assigned,
    told: told.map(answers.delivery),
    due: dueTimes(check, now),
    months: await readMonths(deps, check, tz, now),
    now,
  };
}

async function readAddress(deps: PageDeps, actor: Actor, check: Check): Promise<PingAddress | null> {
  if (!isAllowed(actor.caller, 'checks.view_addresses')) return null;
  const addressing = await readAddressing(deps, actor);
  const isUnique =
    addressing.form === 'uuid' ||
    (await deps.store.checks.namedBySlug(check.projectId, check.slug)).every(({ id }) => id === check.id);
  return pingAddress(check, addressing, isUnique);
}

async function readRuns(
  { store }: PageDeps,
  check: Check,
  now: Instant,
): Promise<{ runs: Run[]; flip: Flip | null }> {
  const pings = (await store.pings.latest(check.id, READ_PINGS)).reverse();
  const page = { after: null, limit: READ_FLIPS };
  const flips = await store.flips.ofCheck(check.id, { from: null, before: null }, page);
  // A flip from before the oldest ping that was read would be a missed run out of its place.
  const from = pings.length === READ_PINGS ? (pings[0]?.createdAt ?? 0) : 0;
  const recent = flips.filter(({ createdAt }) => createdAt >= from);
  return { runs: runsOf({ check, pings, flips: recent, now }), flip: flips[0] ?? null };
}

/** Who paused the check, or edited it so that it went down. */
async function whoChanged({ store }: PageDeps, check: Check, flip: Flip | null): Promise<string | null> {
  const isByPerson = flip?.newStatus === 'paused' || (flip?.newStatus === 'down' && flip.reason === '');
  if (flip === null || !isByPerson) return null;
  const span = { from: flip.createdAt - ACT_SPAN, before: flip.createdAt + ACT_SPAN };
  const acts = await store.auditLog.page(
    { projectId: check.projectId },
    { ...span, after: null, most: READ_ACTS },
  );
  const act = acts.find(
    ({ subject, action }) => subject.id === check.uniqueKey && action.startsWith('check.'),
  );
  return act?.actor ?? null;
}

/** When runs are due. Without an expected run, such as for a paused check of a simple kind, there are none. */
function dueTimes(check: Check, now: Instant): Instant[] {
  const first = check.kind === 'simple' ? expectedAt(check) : safely(() => nextDue(check, now));
  const times: Instant[] = [];
  for (let at = first; at !== null && times.length < NEXT_DUE_TIMES; at = nextDue(check, at)) times.push(at);
  return check.status === 'paused' ? [] : times;
}

/** A schedule that cannot be evaluated has no times. */
function safely(find: () => Instant | null): Instant | null {
  try {
    return find();
  } catch {
    return null;
  }
}

async function readMonths(
  { store }: PageDeps,
  check: Check,
  tz: string,
  now: Instant,
): Promise<MonthOfCheck[]> {
  if (check.lastPingAt === null && check.lastStartAt === null && check.status !== 'down') return [];
  const starts = periodStarts('monthly', tz, now, FULL_MONTHS);
  const oldest = starts.at(-1) ?? now;
  const flips = await store.flips.ofChecks([check.id], oldest);
  const found = downtimes(starts, check, flips, await store.liveness.blindSpansSince(oldest), now);
  return starts.map((from, index) => ({
    from,
    length: Math.max(0, (starts[index - 1] ?? now) - Math.max(from, check.createdAt)),
    downtime: found[index] ?? null,
  }));
}
