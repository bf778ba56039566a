/** Everything about one check, on its page. */
import { type Channel, TOLD_EVENTS } from '../domain/alert/channel.ts';
import type { Check } from '../domain/check/check.ts';
import { listed } from '../domain/check/check-links.ts';
import { crontabTime } from '../domain/check/crontab.ts';
import type { Flip } from '../domain/check/flip.ts';
import { namesOf } from '../domain/check/quiet-time.ts';
import { areUnknownRules } from '../domain/check/run-rules.ts';
import { scheduleWords, scheduleZone } from '../domain/check/schedule-words.ts';
import { deadlineOf, expectedAt, statusAt } from '../domain/check/status.ts';
import { splitTags } from '../domain/check/tags.ts';
import { hintSentence } from '../domain/check/timing-hint.ts';
import { type Answer, answerOf, withParent, withTelling } from '../domain/history/answer.ts';
import { badRunsOf } from '../domain/history/check-row.ts';
import { downtimes, uptimes } from '../domain/history/downtime.ts';
import { type FuseStation, fuseOf } from '../domain/history/fuse.ts';
import { recoveryOf } from '../domain/history/recovery.ts';
import { nextDue, type Run } from '../domain/history/run.ts';
import { runFigures } from '../domain/history/run-figures.ts';
import { numbersOver, type RunNumber } from '../domain/history/run-numbers.ts';
import { type StatusStory, tellStatus } from '../domain/history/status-sentence.ts';
import type { MailPreferences } from '../domain/people/account.ts';
import { isAllowed } from '../domain/people/permission.ts';
import { periodStarts } from '../domain/people/report.ts';
import { accepts, PING_DIALECTS } from '../domain/ping/dialect.ts';
import { MAX_NUMBER_LINE, type Numbers, readNumbers } from '../domain/ping/numbers.ts';
import type { Ping } from '../domain/ping/ping.ts';
import { type PingAddress, pingAddress } from '../domain/ping/ping-address.ts';
import { type FirstTold, firstToldIfDown } from '../domain/policy/coming.ts';
import { AT_ONCE } from '../domain/policy/policy.ts';
import { policyRules } from '../domain/policy/rules.ts';
import { labelOf, takesAnyWords } from '../integrations/registry.ts';
import { oneOf } from '../lib/fields.ts';
import { type Instant, seconds, toIsoMicros, toIsoSeconds } from '../lib/instant.ts';
import { lastLines } from '../lib/text/output-lines.ts';
import { answersFor } from '../services/alert/provider-answers.ts';
import { findById } from '../services/check/checks.ts';
import { type Origins, readOrigins, readTimingHint } from '../services/check/origins.ts';
import { runningQuietTimes } from '../services/check/quiet-times.ts';
import { type Actor, ownCheck } from '../services/core/actor.ts';
import { shownActor } from '../services/core/audit.ts';
import { addressMask } from '../services/core/hidden-addresses.ts';
import { awaitedParents } from '../services/core/parents.ts';
import { policiesOf } from '../services/core/policies.ts';
import { pastQuietTimes } from '../services/core/quiet-spans.ts';
import { hearersAmong, tellingOf } from '../services/core/telling.ts';
import { type OutageTelling, readOutageTelling } from '../services/history/coming-messages.ts';
import { keptRun } from '../services/history/run-list.ts';
import { flipsOf, readRunsOf } from '../services/history/watched-runs.ts';
import { askWhy } from '../services/history/why.ts';
import { readProfile } from '../services/people/profile.ts';
import { listCheckAliases, readDialects } from '../services/ping/aliases.ts';
import { readAddressing } from '../services/ping/ping-addresses.ts';
import { pingLimitOf } from '../services/ping/pings.ts';
import { readProject } from '../services/project/projects.ts';
import type { DeliveryRecord, StoredOutage } from '../storage/store.ts';
import { SUPPOSED_AT, suppositionOf } from '../wire/api/why-input.ts';
import { whyJson } from '../wire/api/why-output.ts';
import { optional } from '../wire/dashboard/input.ts';
import { markdownJson } from '../wire/dashboard/markdown-output.ts';
import { aliasJson } from './alias-json.ts';
import {
  addressText,
  answerJson,
  causeJson,
  recoveryJson,
  sentenceJson,
  staysDownJson,
  toldChannels,
} from './board-json.ts';
import { secondsOrNull } from './event-json.ts';
import { MAX_EARLIER_TROUBLES, MAX_PAGE_RUNS, MAX_TROUBLE_PINGS } from './limits.ts';
import { checkView, JsonText, type ViewDeps } from './view.ts';

/** Pings from which they are put together: three for each, a start, a log and an end. */
const READ_PINGS = 3 * MAX_PAGE_RUNS;
const READ_FLIPS = 2 * MAX_PAGE_RUNS;
/** Due times that are told in advance. */
const NEXT_DUE_TIMES = 10;
/** Full months for which the downtime is shown, besides the current one. */
const FULL_MONTHS = 2;
/** The most time between the entry of an act and the change of status that it made. */
const ACT_SPAN = seconds(2);
const READ_ACTS = 50;
/** Characters of the last line of a run's output. */
const MAX_TROUBLE_LINE = 200;

export const checkPage = checkView({
  permission: 'checks.view',
  read: async (deps, asked) => {
    const { preferences } = await readProfile(deps, asked.person);
    const page = await readPage(deps, asked.actor, asked.checkId, preferences);
    const mask = addressMask(asked.actor.caller, page.check);
    // A description may contain the address of the check.
    return new JsonText<typeof page.shown>(mask(JSON.stringify(page.shown)));
  },
});

/** Who is told of the check, and why: as it is or, with an event, what would be. */
export const checkWhy = checkView({
  permission: 'policies.view',
  input: {
    event: optional(oneOf(TOLD_EVENTS, 'What is supposed to happen.')),
    at: optional(SUPPOSED_AT),
  },
  read: async (deps, { actor, checkId, input: { event = null, at = null } }) => {
    const now = deps.clock.now();
    const check = await findById(deps, actor, checkId);
    const supposition = suppositionOf(event, at, now);
    const { if: supposed = null, ...why } = whyJson(await askWhy(deps, actor, check, supposition), now);
    return { ...why, supposed };
  },
});

/** Months begin in the time zone of the person. */
async function readPage(
  deps: ViewDeps,
  actor: Actor,
  checkId: number,
  { tz, nextReminderAt }: Pick<MailPreferences, 'tz' | 'nextReminderAt'>,
) {
  const { store, site } = deps;
  const now = deps.clock.now();
  const check = ownCheck(actor, await store.checks.byId(checkId));
  const { pings, runs, lastFlips } = await readRuns(deps, check, now);
  const shownRuns = runs.slice(-MAX_PAGE_RUNS);
  const flip = lastFlips[0] ?? null;
  const [blind] = await store.liveness.blindSpansSince(check.lastPingAt ?? check.createdAt);
  const by = await changedBy(deps, check, flip);
  const [outage = null] = check.status === 'down' ? await store.outages.openOf([check.id]) : [];
  const telling = outage && (await readOutageTelling(deps, check.id, outage, now));
  const coming = telling?.coming ?? [];
  const plain = await readAnswer(deps, check, outage, telling, now);
  const quietTimes = plain?.kind === 'quiet' ? await runningQuietTimes(deps, check) : [];
  const answer = plain && (quietTimes.length > 0 ? { ...plain, by: namesOf(quietTimes) } : plain);
  const story = tellStatus({ check, flip, runs, now, by, blind: blind ?? null, answer });
  const assigned = new Set(await store.checks.channelsOf(check.id));
  const channels = await store.channels.ofProject(check.projectId);
  const ifDown = await readFirstTold(deps, check, channels, [...assigned]);
  const told = flip === null ? [] : await store.deliveries.ofFlips([flip.id]);
  const reached = await store.deliveries.lastReached(check);
  const recovery = recoveryOf(lastFlips, runs, now);
  const toldThen = recovery === null ? [] : await store.deliveries.ofFlips([...recovery.flipIds]);
  const answers = answersFor(actor.caller);
  const shownTold = told.map(answers.delivery);
  const project = await readProject(deps, actor);
  const address = await readAddress(deps, actor, check);
  const figures = runFigures(shownRuns);
  const reported = await readRunNumbers(deps, check, pings, shownRuns);
  const hint = await readTimingHint(deps, check, now);
  const seesAddresses = isAllowed(actor.caller, 'checks.view_addresses');
  const shown = {
    /** Names the check to everybody, also where its UUID must not be shown. */
    key: check.uniqueKey,
    /** Null for a reader who may not ping. */
    uuid: seesAddresses ? check.uuid : null,
    project: { id: project.uuid, name: project.name },
    may: {
      edit: isAllowed(actor.caller, 'checks.edit'),
      ping: seesAddresses,
      retry: isAllowed(actor.caller, 'channels.test'),
      answer: isAllowed(actor.caller, 'outages.answer'),
    },
    name: check.name,
    slug: check.slug,
    tags: splitTags(check.tags),
    /** Empty if there is none. */
    description: markdownJson(check.description),
    status: story.state,
    running: story.isRunning,
    slow: story.isSlow,
    /** Why nothing is told of it now. Null if that is not so. */
    answer: answer && answerJson(answer),
    /** Those in which it is now. */
    quietTimes: quietTimes.map(({ uuid, name }) => ({ uuid, name })),
    since: toIsoSeconds(story.since),
    sentence: sentenceJson(story.sentence),
    cause: story.cause && causeJson(story.cause, null),
    /** While it is down: the number of the ping whose body tells most about it. Null if there is none. */
    output: story.state === 'down' ? outputOf(pings, runs, story) : null,
    /** The outage that is over. Null if there was none in the last hours. */
    recovery: recovery && recoveryJson(recovery, toldThen),
    /** What ends the outage. Null if it is not down. */
    staysDown: story.state === 'down' ? staysDownJson(story.cause, told, coming.length > 0) : null,
    /** When the person is reminded of checks that are down. */
    reminder: toIsoSeconds(nextReminderAt),
    usual: secondsOrNull(story.usual),
    /** When the open run began, and by when it has to end. */
    started: toIsoMicros(check.lastStartAt),
    deadline: toIsoMicros(deadlineOf(check)),
    created: toIsoSeconds(check.createdAt),
    /** The number of the last ping. */
    pings: check.pingCount,
    fuse: fuseOf({ check, story, runs, deliveries: told, answer, coming, ifDown, now }).map(stationJson),
    /** The oldest first. */
    runs: shownRuns.map(runJson),
    /** Failed and warned runs before them, the newest first. */
    earlier: await readEarlier(deps, check, shownRuns),
    /** When a run last succeeded. Null unless the last one has failed. */
    lastSuccess: check.lastResult === 'fail' ? toIsoSeconds(check.lastSuccessAt) : null,
    /** What these runs reported, a value or null for each run. Empty if none reports numbers. */
    numbers: reported.numbers,
    /** Runs whose bodies are in object storage, where this does not look for numbers. */
    numbersAway: reported.away,
    figures: {
      median: secondsOrNull(figures.median),
      p95: secondsOrNull(figures.p95),
      trendPerWeek: secondsOrNull(figures.trendPerWeek),
      good: figures.good,
      ended: figures.ended,
    },
    /** When its outages are told. */
    whenToTell: await readWhenToTell(deps, check),
    /** All integrations of the project, and whether they are told of this check. */
    channels: channels.map((channel) => ({
      ...channelJson(answers.channel(channel), assigned, shownTold, reached, check),
      ...hearingJson(channel, telling),
    })),
    schedule: {
      kind: check.kind,
      words: scheduleWords(check),
      /** Null for a period. */
      expression: check.kind === 'simple' ? null : check.schedule,
      tz: scheduleZone(check),
      grace: check.graceSeconds,
      /** A newer version has written rules for its runs that this one does not know. It is watched without them. */
      hasUnknownRules: areUnknownRules(check.runRules),
      due: dueTimes(check, now).map((at) => toIsoSeconds(at)),
      /** The time part of a line of a crontab. Null if none fits. */
      crontab: crontabTime(check),
    },
    /** The current month first. Empty as long as the job has not pinged: nothing is known then. */
    months: await readMonths(deps, check, tz, now),
    /** Null for a reader who may not ping, and if there is no address of the form that the project shows. */
    pingUrl: address && addressText(address, site),
    /** The form of the address, and why it does not work. Null for a reader who may not ping. */
    address: address && { form: address.form, problem: address.problem },
    foreign: seesAddresses ? await readForeign(deps, actor, check) : null,
    onlyPost: check.methods === 'POST',
    origins: originsJson(await readOrigins(deps, check, now)),
    /** Null if its pings do not contradict its timing. */
    hint: hint && {
      sentence: hintSentence(hint),
      timeout: hint.timeoutSeconds,
      grace: hint.graceSeconds,
      words: scheduleWords({ kind: 'simple', timeoutSeconds: hint.timeoutSeconds, schedule: '' }),
    },
    now: toIsoMicros(now),
  };
  return { check, shown };
}

/** Why nothing is told now, with the check that this one waits for, or the bad runs so far. */
async function readAnswer(
  { store }: ViewDeps,
  check: Check,
  outage: StoredOutage | null,
  telling: OutageTelling | null,
  now: Instant,
): Promise<Answer | null> {
  const answer = answerOf({ check, isDown: statusAt(check, now) === 'down', outage }, now);
  if (answer === null || outage === null || telling === null) return answer;
  if (answer.kind !== 'held') return withTelling(answer, outage, telling, telling.check, now);
  return withParent(answer, awaitedParents(await store.checkParents.ofChecks([check.id]), now));
}

/** Who is told first if the check goes down at its deadline. Null: those that are assigned, at once. */
async function readFirstTold(
  { store }: ViewDeps,
  check: Check,
  channels: readonly Channel[],
  assigned: readonly string[],
): Promise<FirstTold | null> {
  const deadline = check.status === 'down' ? null : deadlineOf(check);
  if (deadline === null) return null;
  const telling = (await tellingOf(store, [check])).get(check.id);
  if (telling === undefined || telling.policy === AT_ONCE) return null;
  return firstToldIfDown(deadline, telling, badRunsOf(check), hearersAmong(channels, assigned));
}

/** Who has set the fields, and the declarations of the job. */
function originsJson({ fields, kept, refused, dispute }: Origins) {
  return {
    fields: fields.map(({ field, mark: { by, at, name } }) => ({ field, by, name, at: toIsoSeconds(at) })),
    /** What the job declares otherwise than it was set. */
    kept,
    /** Why the last declaration was refused. Null if it was not. */
    refused: refused && { reason: refused.reason, from: refused.from, at: toIsoSeconds(refused.at) },
    /** Jobs that disagree: their addresses, and what they declare otherwise. */
    dispute: dispute.map(({ from, declared }) => ({ from, declared })),
  };
}

/** A station of the fuse. Stations after `now` are still to come. */
function stationJson(station: FuseStation) {
  return {
    kind: station.kind,
    at: toIsoSeconds(station.at),
    isGood: station.kind === 'last_ping' ? station.isGood : true,
    /** The UUIDs of integrations that were told, that will be, and that were not. */
    told:
      station.kind === 'told'
        ? { told: station.told, waiting: station.waiting, missed: station.missed }
        : null,
    /** The UUIDs of integrations that are told then. */
    tells: 'channels' in station ? station.channels : [],
    /** How many further runs have to be missed until then, of a check that is not down. Null: of one that is. */
    misses: 'misses' in station ? (station.misses ?? null) : null,
    /** The UUID of the integration that is tried again, and which try it is. */
    channel: station.kind === 'retry' ? station.channel : null,
    attempt: station.kind === 'retry' ? station.attempt : null,
    /** Who has acknowledged it. */
    by: station.kind === 'acknowledged' ? station.by : null,
  };
}

function runJson({ result, at, duration, exitStatus, endN, startN, count }: Run) {
  return {
    result,
    at: toIsoSeconds(at),
    duration: secondsOrNull(duration),
    exitStatus,
    /** The ping that ended the run, or began it. */
    n: endN ?? startN,
    /** The number of runs one after the other that did not come. Zero for a run that came. */
    count,
  };
}

function channelJson(
  channel: Channel,
  assigned: ReadonlySet<string>,
  told: readonly DeliveryRecord[],
  reached: ReadonlyMap<string, Instant>,
  check: Pick<Check, 'doneChannels'>,
) {
  const { uuid, kind, name, off, verified } = channel;
  const [message = null] = toldChannels(told.filter(({ channelUuid }) => channelUuid === uuid));
  return {
    id: uuid,
    /** The name of the kind. */
    label: labelOf(kind),
    name,
    assigned: assigned.has(uuid),
    /** Whether it is told of each success. Null: it cannot be. */
    done: takesAnyWords(channel) ? listed(check.doneChannels).includes(uuid) : null,
    state: off !== null ? ('off' as const) : verified ? ('on' as const) : ('unconfirmed' as const),
    offReason: off?.reason ?? null,
    /** When the last message about this check has reached it. Null if none has. */
    reached: toIsoSeconds(reached.get(uuid) ?? null),
    /** The message about the present status. */
    told: message,
  };
}

/** When the integration is told next of the present outage, if nothing happens. */
function hearingJson({ id }: Channel, telling: OutageTelling | null) {
  const next = telling?.coming.find(({ recipient, status }) => recipient.id === id && status === 'down');
  return {
    /** `again`: it was told before. Null: it is not told of the present outage from now on. */
    next: next === undefined ? null : { at: toIsoSeconds(next.at), isAgain: next.ordinal > 0 },
    /** Whether it is not told now because of its hours. */
    isOutsideHours:
      telling?.waits.some(({ channelId, status }) => channelId === id && status === 'down') ?? false,
  };
}

/** The policy that counts for the check, with its calendar by name and its integrations by UUIDs. */
async function readWhenToTell({ store }: ViewDeps, check: Check) {
  const { name, because, rules, isUnknown } = (await policiesOf(store, [check]))(check);
  const shown = isUnknown ? {} : policyRules(rules);
  const { hours } = shown;
  const calendars = hours === undefined ? [] : await store.calendars.ofProject(check.projectId);
  const calendar = calendars.find(({ uuid }) => uuid === hours)?.name;
  return {
    /** `at-once` if there is none. */
    name,
    /** What has chosen it: `check`, `tag db`, `project` or `default`. */
    because,
    rules: { ...shown, ...(calendar !== undefined && { hours: calendar }) },
    /** A newer version has written it. Outages are told at once. */
    isUnknown,
  };
}

/** Addresses of other programs. Null if there are none and the project accepts none. */
async function readForeign(deps: ViewDeps, actor: Actor, { id }: Check) {
  const dialects = await readDialects(deps, actor);
  const accepted = PING_DIALECTS.filter((dialect) => accepts(dialects, dialect));
  const aliases = (await listCheckAliases(deps, actor, id)).map(aliasJson);
  return accepted.length + aliases.length === 0 ? null : { accepted, aliases };
}

async function readAddress(deps: ViewDeps, actor: Actor, check: Check): Promise<PingAddress | null> {
  if (!isAllowed(actor.caller, 'checks.view_addresses')) return null;
  const addressing = await readAddressing(deps, actor);
  const isUnique =
    addressing.form === 'uuid' ||
    (await deps.store.checks.namedBySlug(check.projectId, check.slug)).every(({ id }) => id === check.id);
  return pingAddress(check, addressing, isUnique);
}

async function readRuns(
  { store }: ViewDeps,
  check: Check,
  now: Instant,
): Promise<{ pings: readonly Ping[]; runs: Run[]; lastFlips: readonly Flip[] }> {
  const pings = (await store.pings.latest(check.id, READ_PINGS)).reverse();
  const page = { after: null, limit: READ_FLIPS };
  const flips = await store.flips.ofCheck(check.id, { from: null, before: null }, page);
  return {
    pings,
    runs: await readRunsOf({ store }, { check, pings, flips: flipsOf(pings, flips), now }),
    lastFlips: flips.slice(0, 2),
  };
}

/** Failures and warnings that are too old for the strip, whether or not their pings are there. */
async function readEarlier(deps: ViewDeps, check: Check, runs: readonly Run[]) {
  const first = runs.find(({ startN, endN }) => startN !== null || endN !== null);
  const below = first?.startN ?? first?.endN ?? check.pingCount + 1;
  const ever = { from: 0, until: Number.MAX_SAFE_INTEGER };
  const pings = { above: below - MAX_TROUBLE_PINGS, upTo: below };
  const found = await deps.store.keptRuns.troubles(check.id, below, ever, pings, MAX_EARLIER_TROUBLES);
  const gone = found.length === 0 ? 0 : check.pingCount - (await pingLimitOf(deps, check));
  return found.map((kept) => ({
    ...runJson(keptRun(kept)),
    /** Whether its ping is gone. */
    isKept: kept.n <= gone,
    /** The last line of its output. Null if there is none. */
    line: kept.excerpt && (lastLines(kept.excerpt, 1, MAX_TROUBLE_LINE)[0] ?? null),
  }));
}

/** Reads the first bytes of the bodies that ended the runs. Bodies in object storage are not fetched, but counted. */
async function readRunNumbers(
  { store }: ViewDeps,
  { id }: Check,
  pings: readonly Ping[],
  runs: readonly Run[],
): Promise<{ readonly numbers: RunNumber[]; readonly away: number }> {
  const ends = new Set(runs.map(({ endN }) => endN));
  const ended = pings.filter(({ n }) => ends.has(n));
  const told = ended.filter(({ bodySize }) => bodySize > 0).map(({ n }) => n);
  const part = { end: 'first', most: MAX_NUMBER_LINE } as const;
  const heads = told.length === 0 ? new Map<number, Uint8Array>() : await store.pings.bodies(id, told, part);
  const reported = new Map(ended.map(({ n, runNumbers }) => [n, allNumbers(runNumbers, heads.get(n))]));
  return { numbers: numbersOver(runs, reported), away: told.length - heads.size };
}

/** The numbers that the check declares, and those in the first line. */
function allNumbers(declared: string | null, head: Uint8Array | undefined): Numbers {
  const numbers = new Map(
    declared === null ? [] : Object.entries(JSON.parse(declared) as Record<string, number>),
  );
  for (const [name, value] of head === undefined ? [] : readNumbers(head))
    if (!numbers.has(name)) numbers.set(name, value);
  return numbers;
}

/** The ping by which the last run failed, if the check is down for that, else the last ping with a body. */
function outputOf(pings: readonly Ping[], runs: readonly Run[], { cause }: StatusStory): number | null {
  const failed = cause?.kind === 'failed' ? runs.findLast(({ result }) => result === 'failed') : undefined;
  const withBody = pings.filter(({ bodySize }) => bodySize > 0);
  return (withBody.find(({ n }) => n === failed?.endN) ?? withBody.at(-1))?.n ?? null;
}

/** The person who paused the check, or edited it so that it went down. */
async function changedBy({ store }: ViewDeps, check: Check, flip: Flip | null): Promise<string | null> {
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
  return act === undefined ? null : shownActor(store, act);
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

async function readMonths({ store }: ViewDeps, check: Check, tz: string, now: Instant) {
  if (check.lastPingAt === null && check.lastStartAt === null && check.status !== 'down') return [];
  const starts = periodStarts('monthly', tz, now, FULL_MONTHS);
  const oldest = starts.at(-1) ?? now;
  const flips = await store.flips.ofChecks([check.id], oldest);
  const blind = await store.liveness.blindSpansSince(oldest);
  const quiet = (await pastQuietTimes(store, [check], oldest))(check);
  const unseen = [...blind, ...quiet];
  const found = downtimes(starts, check, flips, unseen, now);
  const shares = uptimes(starts, check, flips, found, unseen, now);
  return starts.map((from, index) => {
    const downtime = found[index] ?? null;
    return {
      from: toIsoSeconds(from),
      /** Null if the check did not exist. */
      down: downtime && {
        count: downtime.count,
        seconds: Math.floor(downtime.duration / 1_000_000),
        /** Null if nobody watched it then. */
        uptime: percentText(shares[index] ?? null),
      },
    };
  });
}

/** Cut to two decimals, not rounded: an outage is never rounded away. */
function percentText(share: number | null): string | null {
  if (share === null) return null;
  const hundredths = Math.floor(share * 10_000);
  return hundredths === 10_000 ? '100' : (hundredths / 100).toFixed(2);
}
