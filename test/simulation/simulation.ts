import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { SqliteDriver } from '../../src/storage/sqlite/driver.ts';
import { accountRecord, projectRecord } from '../records.ts';
import { Breakdowns } from './breakdowns.ts';
import { sendBurst } from './burst.ts';
import { CheckVersions } from './check-versions.ts';
import { ComingPings } from './coming-pings.ts';
import { DryRuns } from './dry-runs.ts';
import { anyClimate, Faults } from './faults.ts';
import { Installation } from './installation.ts';
import { Internet } from './internet.ts';
import { Job, type JobWorld, type Sent } from './jobs.ts';
import { type Keeping, NaiveKept } from './naive-kept.ts';
import { Observed } from './observed.ts';
import { Observer, TOLERATED_LAG } from './observer.ts';
import { Owner } from './owner.ts';
import { PolicyOwner } from './policy-owner.ts';
import { type Abilities, anyChannels, HOSTS, MAIL_HOST } from './population.ts';
import { Readers } from './readers.ts';
import { ReadersOfMany } from './readers-of-many.ts';
import { Habits } from './ruled-runs.ts';
import { Switches } from './switches.ts';
import { Timeline } from './timeline.ts';
import { Trace } from './trace.ts';
import { type Counts, judge } from './verdict.ts';
import { Violation } from './violation.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  readonly checks: number;
}

export interface SimulationResult {
  readonly seed: number;
  /** Null when every promise was kept. */
  readonly violation: { readonly message: string; readonly trace: readonly string[] } | null;
  readonly counts: Counts | null;
  /** Equal for equal courses of events. */
  readonly digest: string;
}

/** Days on which clocks change somewhere are ahead of each. */
const STARTS = ['2024-03-04', '2024-10-14', '2025-01-20', '2025-06-02'];
/** After the last fault: long enough for the last try of the last message. */
const AFTERMATH = seconds(27 * 3600);

/** Runs an installation with all its mishaps through virtual days, and says whether every promise was kept. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tocsin-simulation-'));
  const trace = new Trace();
  try {
    await using driver = new SqliteDriver(join(folder, 'tocsin.db'));
    const counts = await run(options, driver, trace);
    return { seed: options.seed, violation: null, counts, digest: trace.digest };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const violation = { message: error.message, trace: trace.about(error.check, error.until) };
    return { seed: options.seed, violation, counts: null, digest: trace.digest };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(
  { seed, days, checks }: SimulationOptions,
  driver: SqliteDriver,
  trace: Trace,
): Promise<Counts> {
  const chance = new Chance(seed);
  const start: Instant = Date.parse(`${chance.pick(STARTS)}T00:00:00Z`) * 1000;
  const faultsEnd = start + seconds(days * 86_400);
  const timeline = new Timeline(start);
  await migrate(driver, { now: () => start, monotonic: () => 0 });
  const observed = new Observed(driver);
  // Some have room for few pings.
  const losing = new Chance(`${seed}/loses pings`);
  const isLosing = losing.happens(0.25);
  const keeping: Keeping = isLosing
    ? { pings: losing.pick([10, 30, 100]), days: losing.pick([1, 93]) }
    : { pings: 1_000_000, days: 93 };
  if (isLosing) await observed.rememberRemoved();
  const internet = new Internet(timeline, chance.fork('internet'), trace);
  const climate = anyClimate(chance.fork('climate'));
  trace.tell(start, `seed ${seed}: ${JSON.stringify(climate)}`);
  const installation = new Installation({
    climate,
    timeline,
    chance: chance.fork('installation'),
    trace,
    driver,
    internet,
    keptDays: keeping.days,
  });
  // Half of all seeds have no rules for runs, and take the course that they took without them.
  const ruling = new Chance(`${seed}/has rules`);
  const hasRules = ruling.happens(0.5);
  // Half of them have nothing that decides who is told when.
  const telling = new Chance(`${seed}/has policies`);
  const hasPolicies = telling.happens(0.5);
  // Half of these have hours, parents, and messages that tell of several changes.
  const hasSettings = hasPolicies && new Chance(`${seed}/has children`).happens(0.5);
  const hasQuietTimes = hasSettings && new Chance(`${seed}/has quiet times`).happens(0.5);
  // Half of these have some that begin just in time for a check.
  const justInTime = new Chance(`${seed}/has quiet times near deadlines`);
  const isJustInTime = hasQuietTimes && justInTime.happens(0.5);
  const hasChannelHours = hasSettings && new Chance(`${seed}/has hours of integrations`).happens(0.5);
  const hasGroups = hasPolicies && new Chance(`${seed}/has groups`).happens(0.5);
  // Many of their jobs fail together now and then.
  const breaking = new Chance(`${seed}/common trouble`);
  const hasBreakdowns = hasSettings && breaking.happens(0.3);
  const { projectId, channels } = await populate(observed, chance.fork('population'), start, keeping, {
    hasPolicies,
    hasSettings,
    hasBreakdowns,
    groups: hasGroups ? new Chance(`${seed}/groups`) : null,
  });
  const versions = new CheckVersions(timeline, observed, (id) => observer.judgeSoon(id));
  const switches = new Switches();
  const common = { timeline, installation, observed, trace };
  const policies = hasPolicies
    ? new PolicyOwner({
        ...common,
        chance: telling,
        projectId,
        channels,
        checks: versions,
        hasSettings,
        hasQuietTimes,
        justInTime: isJustInTime ? justInTime.fork('acts') : null,
        hasChannelHours,
        hasGroups,
        hasGoodRuns: new Chance(`${seed}/has good runs`).happens(0.5),
        hasThresholds: hasSettings && new Chance(`${seed}/needs several bad runs`).happens(0.3),
        switches,
      })
    : null;
  const pings = new ComingPings();
  const reading = { ...common, checks: versions, pings };
  const readers =
    policies === null ? null : new Readers({ ...reading, chance: telling.fork('readers'), owner: policies });
  // Half of those that get such messages answer them.
  const tapping = new Chance(`${seed}/taps of many`);
  const readersOfMany =
    policies !== null && hasSettings && tapping.happens(0.5)
      ? new ReadersOfMany({ ...reading, chance: tapping, owner: policies })
      : null;
  const sent: Sent[] = [];
  const slack = TOLERATED_LAG + climate.skew;
  const kept = isLosing ? new NaiveKept(observed, keeping, sent, slack) : null;
  const jobChance = chance.fork('jobs');
  const owner: Owner = new Owner({
    timeline,
    installation,
    versions,
    trace,
    chance: chance.fork('owner'),
    ruling: hasRules ? ruling : null,
    switches,
    projectId,
    channels,
    onCreated: ({ uuid }) => {
      const line = new Chance(`${seed}/${uuid}/line`);
      const habits = hasRules ? new Habits(new Chance(`${seed}/${uuid}/runs`)) : null;
      void new Job(world, uuid, habits, jobChance.fork(uuid), line).live(faultsEnd + AFTERMATH);
    },
  });
  const world: JobWorld = {
    timeline,
    installation,
    trace,
    sent,
    hasOutput: isLosing,
    configOf: (uuid) => owner.configOf(uuid),
    deadlineOf: async (id) => (await observed.check(id))?.deadlineAt ?? null,
    beforeSending: (...ping) => dryRuns?.beforePing(...ping) ?? null,
    onSending: (uuid) => pings.note(uuid),
    onSent(uuid) {
      const id = hasRules ? owner.configOf(uuid)?.id : undefined;
      if (id !== undefined) observer.judgeSoon(id);
    },
  };
  const observer: Observer = new Observer({
    timeline,
    installation,
    internet,
    observed,
    owner,
    versions,
    policies,
    trace,
    channels,
    sent: hasRules ? sent : null,
    kept,
  });
  // Half of them ask before they act.
  const asking = new Chance(`${seed}/asks dry runs`);
  const dryRuns =
    policies !== null && asking.happens(0.5)
      ? new DryRuns({
          ...{ ...common, chance: asking, projectId, versions, policies, observer },
          switches: owner.switches,
        })
      : null;
  /** What people have found to be wrong. */
  const broken: unknown[] = [];
  const noting = (work: Promise<void>) => void work.catch((error: unknown) => broken.push(error));
  internet.onTaken = (message) => {
    if (readers !== null) noting(readers.read(message));
    if (readersOfMany !== null) noting(readersOfMany.read(message));
  };
  const advance = async (until: Instant) => {
    while (timeline.now < until) {
      await timeline.settle();
      if (await dryRuns?.ask()) continue;
      const quietUntil = await observer.look();
      if (broken.length > 0) throw broken[0];
      await timeline.advance(installation.isDatabaseAway ? until : quietUntil, async (to) => {
        if (installation.watchedSince === null) return;
        await observed.keepWatching(timeline.now - seconds(15), to - seconds(1));
      });
    }
  };
  for (const name of installation.names) installation.start(name);
  await advance(start + seconds(10));
  while (owner.uuids.length < checks) await beside(timeline, observer, owner.create());
  if (policies !== null) await beside(timeline, observer, policies.begin());
  const breakdowns =
    policies !== null && hasBreakdowns
      ? new Breakdowns({ world, observed, owner, policies, chance: breaking })
      : null;
  if (breakdowns !== null) await beside(timeline, observer, breakdowns.begin());
  const faults = new Faults({
    timeline,
    installation,
    internet,
    chance: chance.fork('faults'),
    until: faultsEnd,
  });
  faults.start();
  nowAndThen(timeline, MEAN_ACT_SPAN, chance.fork('acts'), faultsEnd, () => noting(owner.act()));
  if (policies !== null) {
    const acts = [
      [MEAN_POLICY_SPAN, () => policies.act()],
      [MEAN_ANSWER_SPAN, () => policies.answer()],
      ...(hasSettings ? ([[MEAN_SETTING_SPAN, () => policies.actOnSettings()]] as const) : []),
      ...(hasQuietTimes ? ([[MEAN_QUIET_SPAN, () => policies.actOnQuietTimes()]] as const) : []),
      ...(hasChannelHours ? ([[MEAN_SETTING_SPAN, () => policies.actOnHoursOfChannels()]] as const) : []),
      ...(hasGroups ? ([[MEAN_SETTING_SPAN, () => policies.actOnGroups()]] as const) : []),
      ...(isJustInTime ? ([[MEAN_JUST_IN_TIME_SPAN, () => policies.quietenJustInTime()]] as const) : []),
    ] as const;
    for (const [span, act] of acts)
      nowAndThen(timeline, span, telling.fork('acts'), faultsEnd, () => noting(act()));
  }
  if (breakdowns !== null)
    nowAndThen(timeline, MEAN_BREAKDOWN_SPAN, breaking.fork('acts'), faultsEnd, () =>
      noting(breakdowns.act()),
    );
  const bursts = chance.fork('bursts');
  nowAndThen(timeline, MEAN_BURST_SPAN, bursts, faultsEnd, () =>
    noting(sendBurst(world, owner.uuids, bursts)),
  );
  await advance(faultsEnd);
  installation.calm();
  for (const host of HOSTS) internet.setMood(host, 'well');
  await advance(faultsEnd + AFTERMATH);
  // Nothing in the database says when housekeeping has work. So it has missed the times that were skipped.
  if (kept !== null)
    await beside(timeline, observer, new Promise((resolve) => timeline.after(HOUSEKEEPING_TIME, resolve)));
  await timeline.settle();
  const taps = (readers?.count ?? 0) + (readersOfMany?.count ?? 0);
  const history = {
    observed,
    observer,
    owner,
    versions,
    policies,
    dryRuns,
    channels,
    installation,
    internet,
    sent,
    kept,
    taps,
  };
  return judge({ ...history, end: timeline.now });
}

async function populate(
  observed: Observed,
  chance: Chance,
  start: Instant,
  { pings }: Keeping,
  abilities: Abilities,
) {
  return observed.store.transaction(async (tx) => {
    const limits = { checks: 1_000_000, pings };
    const person = (name: string) =>
      tx.accounts.insert(accountRecord({ email: `${name}@${MAIL_HOST}`, limits, createdAt: start }));
    const owner = await person('owner');
    const member = await person('member');
    const project = await tx.projects.insert(projectRecord(owner.id, { createdAt: start }));
    await tx.projects.addMember(project.id, member.id, 'member', start);
    await tx.mailPreferences.setReports(owner.id, 'daily', 'Europe/Riga');
    await tx.mailPreferences.setReminders(owner.id, 3_600);
    await tx.mailPreferences.setReports(member.id, 'weekly', 'America/New_York');
    await tx.mailPreferences.setReminders(member.id, 86_400);
    const channels = [];
    for (const channel of anyChannels(chance, project.id, start, abilities))
      channels.push(await tx.channels.insert(channel));
    return { projectId: project.id, channels };
  });
}

/** Housekeeping removes hundreds of rows every few seconds. */
const HOUSEKEEPING_TIME = seconds(60);

/** Waits for the work while virtual time passes for it. */
async function beside(timeline: Timeline, observer: Observer, work: Promise<void>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  for (;;) {
    await timeline.settle();
    if (isDone) return done;
    await observer.look();
    await timeline.advance(Number.NEGATIVE_INFINITY, async () => undefined);
  }
}

const MEAN_ACT_SPAN = seconds(2 * 3600);
const MEAN_POLICY_SPAN = seconds(5 * 3600);
const MEAN_QUIET_SPAN = seconds(3 * 3600);
const MEAN_JUST_IN_TIME_SPAN = seconds(1200);
const MEAN_SETTING_SPAN = seconds(3 * 3600);
const MEAN_ANSWER_SPAN = seconds(2 * 3600);
const MEAN_BURST_SPAN = seconds(6 * 3600);
const MEAN_BREAKDOWN_SPAN = seconds(3600);

function nowAndThen(timeline: Timeline, mean: Micros, chance: Chance, until: Instant, act: () => void): void {
  const next = () => {
    if (timeline.now >= until) return;
    act();
    timeline.after(chance.wait(mean), next);
  };
  timeline.after(chance.wait(mean), next);
}
