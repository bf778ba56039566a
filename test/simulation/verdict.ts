import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { type Instant, type Micros, seconds, toIsoMicros, toTemporal } from '../../src/lib/instant.ts';
import type { CheckVersions } from './check-versions.ts';
import type { DryRuns } from './dry-runs.ts';
import type { Gap, Installation } from './installation.ts';
import type { Internet, Taken } from './internet.ts';
import type { Sent } from './jobs.ts';
import { deadlineSince, isTold, judgeOldNews, judgeStarts, judgeState } from './naive.ts';
import type { NaiveKept } from './naive-kept.ts';
import { NaiveParents } from './naive-parents.ts';
import { type RecordedSpan, spansWithin } from './naive-quiet.ts';
import { judgeRuns } from './naive-runs.ts';
import { judgeTelling } from './naive-telling.ts';
import { judgeStorms, namedIn, sayingOf } from './naive-together.ts';
import type { DeliveryRow, MailRow, ManyRow, Observed, PingRow } from './observed.ts';
import { type Observer, TOLERATED_LAG } from './observer.ts';
import type { Owner } from './owner.ts';
import type { PolicyOwner } from './policy-owner.ts';
import { Violation } from './violation.ts';

/** A message is given up only after this, or when the provider says that it is pointless. */
const GIVE_UP_AFTER: Micros = seconds(24 * 3600);
/** Messages queued so shortly before the end need not be sent yet. */
const BARELY: Micros = seconds(120);
/** Shorter ones may or may not be noticed. */
const PERHAPS_BLIND: Micros = seconds(20);
const SURELY_BLIND: Micros = seconds(36);

export interface History {
  readonly observed: Observed;
  readonly observer: Observer;
  readonly owner: Owner;
  readonly versions: CheckVersions;
  readonly policies: PolicyOwner | null;
  /** Null: nobody asks. */
  readonly dryRuns: DryRuns | null;
  readonly channels: readonly Channel[];
  readonly taps: number;
  readonly installation: Installation;
  readonly internet: Internet;
  readonly sent: readonly Sent[];
  /** Null: nothing is removed. */
  readonly kept: NaiveKept | null;
  readonly end: Instant;
}

export interface Counts {
  readonly pings: number;
  /** Pings that came late. */
  readonly late: number;
  readonly flips: number;
  readonly deliveries: number;
  readonly mails: number;
  readonly gaps: number;
  /** Taps of buttons that were answered. */
  readonly taps: number;
  /** Dry runs whose answers could be held against what followed. */
  readonly foretold: number;
  /** Failures and warnings that have outlived their pings. */
  readonly kept: number;
}

/** After a whole run: looks whether every promise was kept. */
export async function judge(history: History): Promise<Counts> {
  const { observed, installation } = history;
  const [checks, pings, flips, deliveries] = await Promise.all([
    observed.checks(),
    observed.pings(),
    observed.flips(),
    observed.deliveries(),
  ]);
  judgePings(history.sent, checks, pings);
  const pingsByCheck = Map.groupBy(pings, ({ checkId }) => checkId);
  const flipsByCheck = Map.groupBy(flips, ({ checkId }) => checkId);
  const sent = new Map(history.sent.map((one) => [one.mark, one]));
  for (const check of checks) {
    const own = { pings: pingsByCheck.get(check.id) ?? [], flips: flipsByCheck.get(check.id) ?? [] };
    judgeNumbers(check, own.pings);
    judgeOrder(check, own.pings, sent);
    judgeChain(check, own.flips);
    judgeStarts(check, own.pings, own.flips);
    const known = history.observer.knownOf(check);
    judgeState(check, own.pings, own.flips, known);
    judgeOldNews(check, own.pings, own.flips, known);
    judgeStopped(history, check, own.pings, own.flips);
    judgeOutages(history, check, own.pings, own.flips);
  }
  const many = await observed.many();
  judgeDeliveries(history, checks, flips, deliveries, many);
  judgeCollecting(history, checks, deliveries, many);
  await judgeWhoIsTold(history, checks, pingsByCheck, flipsByCheck, deliveries);
  const { skew } = installation.climate;
  const course = {
    ...{ pings: pingsByCheck, flips: flipsByCheck, sent: history.sent, end: history.end },
    deliveries: Map.groupBy(deliveries, ({ checkId }) => checkId),
    blindSpans: await observed.blindSpans(),
    ...{ slack: TELLING_SLACK + skew, lag: TOLERATED_LAG + skew },
  };
  const firsts = await observed.firstPings();
  for (const check of checks) {
    const [own, changes] = [pingsByCheck.get(check.id) ?? [], flipsByCheck.get(check.id) ?? []];
    const { blindSpans, end } = course;
    const stored = own.filter(({ n }) => n >= (firsts.get(check.id) ?? 1));
    await judgeRuns(observed, { check, pings: stored, flips: changes, blindSpans, end });
  }
  await history.kept?.judge(checks, pings, history.end);
  const foretold = history.dryRuns?.judge(course) ?? 0;
  const mails = await observed.mails();
  judgeMails(history, mails);
  await judgeBlindness(history, mails);
  return {
    pings: pings.length,
    late: pings.filter(({ occurredAt }) => occurredAt !== null).length,
    flips: flips.length,
    deliveries: deliveries.length,
    mails: mails.length,
    gaps: installation.gaps.length,
    taps: history.taps,
    foretold,
    kept: history.kept?.count ?? 0,
  };
}

/** Where something decides who is told when, it is as the model says. Elsewhere there are no outages. */
async function judgeWhoIsTold(
  { observed, observer, owner, versions, policies, channels, installation, end }: History,
  checks: readonly Check[],
  pingsByCheck: ReadonlyMap<number, readonly PingRow[]>,
  flipsByCheck: ReadonlyMap<number, readonly Flip[]>,
  deliveries: readonly DeliveryRow[],
): Promise<void> {
  const outages = await observed.outages();
  if (policies === null) {
    if (outages.length > 0) throw new Violation('there is an outage, and nobody has used any');
    return;
  }
  const blindSpans = await observed.blindSpans();
  const { skew } = installation.climate;
  const slack = TELLING_SLACK + skew;
  const lag = TOLERATED_LAG + skew;
  const parents = new NaiveParents({
    checks: versions,
    flipsOf: (uuid) => observer.flipsOf(uuid),
    pingsOf: (checkId) => pingsByCheck.get(checkId) ?? [],
    ...{ slack, lag },
  });
  const deliveriesByCheck = Map.groupBy(deliveries, ({ checkId }) => checkId);
  for (const check of checks)
    judgeTelling({
      check,
      pings: pingsByCheck.get(check.id) ?? [],
      flips: flipsByCheck.get(check.id) ?? [],
      outages: outages.filter(({ checkId }) => checkId === check.id),
      deliveries: deliveriesByCheck.get(check.id) ?? [],
      channels,
      switches: owner.switches,
      versionsIn: (from, until) => versions.in(check.uuid, from, until),
      alertingIn: (from, until) => policies.alertingIn(from, until),
      parents,
      recordedAt: ({ id, createdAt }) => observer.recordedAt.get(id) ?? createdAt,
      blindSpans,
      gaps: installation.gaps,
      slack,
      lag,
      end,
    });
}

/** Between the time of a change and those of the rows that follow from it. */
const TELLING_SLACK: Micros = seconds(2);

/** Every acknowledged ping is there once; no other more than once. */
function judgePings(sent: readonly Sent[], checks: readonly Check[], pings: readonly PingRow[]): void {
  const alive = new Set(checks.map(({ uuid }) => uuid));
  const stored = Map.groupBy(pings, ({ mark }) => mark);
  for (const { mark, checkUuid, acknowledgedAt } of sent) {
    if (!alive.has(checkUuid)) continue;
    const count = stored.get(mark)?.length ?? 0;
    if (count > 1) throw new Violation(`${mark} is stored ${count} times`, checkUuid);
    if (count === 0 && acknowledgedAt !== null)
      throw new Violation(
        `${mark} was acknowledged at ${toIsoMicros(acknowledgedAt)} and is lost`,
        checkUuid,
      );
  }
}

/** Pings of a burst are numbered in the order in which they were received. */
function judgeOrder({ uuid }: Check, pings: readonly PingRow[], sent: ReadonlyMap<string, Sent>): void {
  const last = new Map<number, number>();
  for (const { n, mark } of pings) {
    const burst = sent.get(mark)?.burst ?? null;
    if (burst === null) continue;
    if (burst.place < (last.get(burst.id) ?? 0))
      throw new Violation(`ping ${n}, ${mark}, was overtaken by a later one`, uuid);
    last.set(burst.id, burst.place);
  }
}

function judgeNumbers({ uuid, pingCount }: Check, pings: readonly PingRow[]): void {
  for (const [index, { n, createdAt }] of pings.entries()) {
    if (n !== index + 1) throw new Violation(`ping ${index + 1} has the number ${n}`, uuid);
    if (createdAt < (pings[index - 1]?.createdAt ?? 0))
      throw new Violation(`ping ${n} goes back in time`, uuid);
  }
  if (pings.length !== pingCount)
    throw new Violation(`${pings.length} of ${pingCount} pings are there`, uuid);
}

/** Each change begins where the one before it ended, and not earlier. */
function judgeChain({ uuid, status }: Check, flips: readonly Flip[]): void {
  let last: Pick<Flip, 'newStatus' | 'createdAt'> = { newStatus: 'new', createdAt: 0 };
  for (const flip of flips) {
    if (flip.oldStatus !== last.newStatus)
      throw new Violation(`flip ${flip.id} begins at ${flip.oldStatus}, after ${last.newStatus}`, uuid);
    if (flip.createdAt < last.createdAt) throw new Violation(`flip ${flip.id} goes back in time`, uuid);
    last = flip;
  }
  if (status !== last.newStatus)
    throw new Violation(`it is ${status}, its last flip says ${last.newStatus}`, uuid);
}

/** Whether two numbers say when it goes down. The model follows those that have rules for runs. */
function isPlain({ kind, runRules }: Check): boolean {
  return kind === 'simple' && runRules === '';
}

/** Silence between two pings that was longer than allowed is an outage, noticed by any node. */
function judgeOutages(
  { owner, observer, installation }: History,
  check: Check,
  pings: readonly PingRow[],
  flips: readonly Flip[],
): void {
  const known = observer.knownOf(check);
  for (const [index, ping] of pings.entries()) {
    const next = pings[index + 1];
    if (next === undefined || ping.signal !== 'success' || check.kind !== 'simple') continue;
    // Whether it counts is judged elsewhere. But a late one that comes next takes nothing back.
    if (ping.occurredAt !== null) continue;
    const versions = owner.versionsIn(check.uuid, ping.createdAt, next.createdAt);
    const [only, ...others] = versions;
    if (only === undefined || others.length > 0 || !isPlain(only.check)) continue;
    const spans = spansWithin(known.quietSpans(), ping.createdAt, next.createdAt);
    if (!areKnownToCheck(spans)) continue;
    if (next.createdAt < deadlineSince(ping.createdAt, only.check, spans)) continue;
    if (installation.gaps.some((gap) => overlaps(gap, ping.createdAt, next.createdAt))) continue;
    const isRecorded = flips.some(
      ({ newStatus, createdAt }) =>
        newStatus !== 'up' && createdAt >= ping.createdAt && createdAt <= next.createdAt,
    );
    if (!isRecorded) throw new Violation(`the outage before ping ${next.n} is not recorded`, check.uuid);
  }
}

/** Of several quiet times a check knows the last one, and only how long the others have put its deadline off. */
function areKnownToCheck(spans: readonly RecordedSpan[]): boolean {
  return spans.length <= 1 && spans.every(({ isSure }) => isSure);
}

/** A job whose last result came late and that stopped then is told of no later than if it had come in time. */
function judgeStopped(
  { owner, observer, installation, end }: History,
  check: Check,
  pings: readonly PingRow[],
  flips: readonly Flip[],
): void {
  const quiet = observer.knownOf(check).quietSpans();
  for (const ping of pings.filter(({ signal, occurredAt }) => signal === 'success' && occurredAt !== null)) {
    const at = ping.occurredAt ?? ping.createdAt;
    const [only, ...others] = owner.versionsIn(check.uuid, at, end);
    if (only === undefined || others.length > 0 || !isPlain(only.check)) continue;
    const deadline = deadlineSince(at, only.check, spansWithin(quiet, at, end));
    const until = Math.max(deadline, ping.createdAt) + TOLERATED_LAG;
    if (until > end || installation.gaps.some((gap) => overlaps(gap, at, until))) continue;
    if (!areKnownToCheck(spansWithin(quiet, at, until))) continue;
    const isFollowed = pings.some(
      (other) => other.createdAt <= until && (other.occurredAt ?? other.createdAt) > at && other !== ping,
    );
    const status = flips.findLast(({ createdAt }) => createdAt <= until)?.newStatus;
    if (!isFollowed && status === 'up')
      throw new Violation(`it stopped after what ping ${ping.n} told of, and is up`, check.uuid);
  }
}

function overlaps({ from, until }: Gap, start: number, end: number): boolean {
  return until - from >= PERHAPS_BLIND && from <= end && until >= start - seconds(3600);
}

/** Every message was taken by its provider, in order, or there is a reason why not. */
function judgeDeliveries(
  history: History,
  checks: readonly Check[],
  flips: readonly Flip[],
  deliveries: readonly DeliveryRow[],
  many: readonly ManyRow[],
): void {
  const { internet, observer, installation, end } = history;
  const manyById = new Map(many.map((message) => [message.id, message]));
  const uuids = new Map(checks.map(({ id, uuid }) => [id, uuid]));
  const flipsById = new Map(flips.map((flip) => [flip.id, flip]));
  const taken = Map.groupBy(internet.taken, ({ deliveryUuid }) => deliveryUuid);
  const firstTakenAt = (uuid: string) => taken.get(uuid)?.[0]?.at ?? null;
  const groups = new Set(history.channels.filter(({ kind }) => kind === 'group').map(({ id }) => id));
  for (const message of many) judgeRepetitions(taken.get(message.uuid) ?? [], installation.troubles, null);
  const lastOfPair = new Map<string, { at: number; uuid: string }>();
  for (const delivery of deliveries) {
    const check = uuids.get(delivery.checkId) ?? null;
    const flip = flipsById.get(delivery.flipId);
    if (flip === undefined || !isTold(flip))
      throw new Violation(`message ${delivery.uuid} tells of nothing`, check);
    const together = manyById.get(delivery.messageId ?? 0) ?? null;
    const isGroup = groups.has(delivery.channelId);
    // What a group passes on nobody takes from it.
    const passedOnAt = delivery.state === 'delivered' ? delivery.finishedAt : null;
    const takenAt = isGroup ? passedOnAt : firstTakenAt(together?.uuid ?? delivery.uuid);
    const wants = observer.wants(delivery.channelId, delivery.status);
    judgeSwitches(delivery, wants, history, check);
    // Messages withheld from a channel that is off were not wanted there.
    const isWanted = wants && !(delivery.state === 'skipped' && delivery.error !== '');
    if (together === null) judgeEnd(delivery, takenAt, isWanted, end, check);
    else judgeTogether(delivery, together, takenAt, isWanted, end, check);
    for (const message of taken.get(delivery.uuid) ?? []) {
      if (together !== null) throw new Violation(`message ${delivery.uuid} went out by itself, too`, check);
      if (message.status !== delivery.status || (message.checkUuid !== '' && message.checkUuid !== check))
        throw new Violation(`message ${delivery.uuid} says ${message.status} of ${message.checkUuid}`, check);
    }
    judgeRepetitions(taken.get(delivery.uuid) ?? [], installation.troubles, check);
    if (takenAt === null) continue;
    const pair = `${delivery.checkId}/${delivery.channelId}`;
    const last = lastOfPair.get(pair);
    // Nodes date what groups pass on, each by its own clock.
    if (last !== undefined && last.at > takenAt + (isGroup ? seconds(1) + installation.climate.skew : 0))
      throw new Violation(`message ${delivery.uuid} was taken before ${last.uuid}, which is older`, check);
    lastOfPair.set(pair, { at: takenAt, uuid: delivery.uuid });
  }
}

/** What is told with others ends as the message that tells it. */
function judgeTogether(
  { uuid, state, channelId }: DeliveryRow,
  message: ManyRow,
  takenAt: Instant | null,
  isWanted: boolean,
  end: Instant,
  check: string | null,
): void {
  if (channelId !== message.channelId) throw new Violation(`message ${uuid} is told elsewhere`, check);
  if (state !== message.state)
    throw new Violation(`message ${uuid} is ${state}, that which tells it ${message.state}`, check);
  judgeEnd(message, takenAt, isWanted, end, check);
}

/** Messages about many are there for a reason, and each tells of its changes, and of no others. */
function judgeCollecting(
  { policies, observer, versions, channels, internet, installation }: History,
  checks: readonly Check[],
  deliveries: readonly DeliveryRow[],
  many: readonly ManyRow[],
): void {
  if (policies === null) return;
  judgeStorms({
    ...{ queued: observer.queued, many, deliveries, channels, checks: versions },
    alertingIn: (from, until) => policies.alertingIn(from, until),
    flipsOf: (uuid) => observer.flipsOf(uuid),
    slack: TELLING_SLACK + installation.climate.skew,
  });
  const taken = Map.groupBy(internet.taken, ({ deliveryUuid }) => deliveryUuid);
  const rows = Map.groupBy(deliveries, ({ messageId }) => messageId ?? 0);
  for (const message of many)
    judgeNamed(message, rows.get(message.id) ?? [], taken.get(message.uuid) ?? [], checks);
}

/** What a message says when it goes out again is the same. It names checks that are gone by now, too. */
function judgeNamed(
  { uuid }: ManyRow,
  rows: readonly DeliveryRow[],
  taken: readonly Taken[],
  checks: readonly Check[],
): void {
  const copies = taken.map(({ lines }) => namedIn(lines));
  const byCheck = Map.groupBy(rows, ({ checkId }) => checkId);
  for (const { id, name, uuid: check } of checks) {
    const own = byCheck.get(id) ?? [];
    if (own.length === 0 && copies.some((copy) => copy.has(name)))
      throw new Violation(`message ${uuid} names ${name}, of which it does not tell`, check);
    const told = own.filter(({ state }) => state === 'delivered').map(({ status }) => status);
    const saying = sayingOf(told);
    if (told.length > 0 && !copies.some((copy) => copy.get(name) === saying))
      throw new Violation(`message ${uuid} does not say of ${name}: ${saying}`, check);
  }
}

/** A message is withheld, with a reason, exactly when its channel is off. */
function judgeSwitches(
  { uuid, channelId, state, error, createdAt, finishedAt }: DeliveryRow,
  isWanted: boolean,
  { owner: { switches }, installation, end }: History,
  check: string | null,
): void {
  const slack = SWITCH_SLACK + installation.climate.skew;
  const isWithheld = state === 'skipped' && error !== '';
  if (isWithheld && !switches.wasPossiblyOff(channelId, createdAt - slack, (finishedAt ?? end) + slack))
    throw new Violation(`message ${uuid} was withheld from a channel that was on: ${error}`, check);
  if (isWanted && !isWithheld && switches.wasSurelyOff(channelId, createdAt - slack, createdAt + slack))
    throw new Violation(`message ${uuid} is ${state} though its channel was off`, check);
}

/** The longest time of a change between its first statement and its commit. */
const SWITCH_SLACK: Micros = seconds(60);

/** The longest time that a node may not know that its claim is gone, or that its provider has answered. */
const CONFUSION: Micros = seconds(60);

/** A message goes out again only when something kept its sender from knowing that it had arrived. */
function judgeRepetitions(taken: readonly Taken[], troubles: readonly Instant[], check: string | null): void {
  for (const [index, { at, deliveryUuid }] of taken.entries()) {
    const before = taken[index - 1];
    if (before === undefined || before.isAnswerLost) continue;
    const isExplained = troubles.some((trouble) => trouble >= before.at - CONFUSION && trouble <= at);
    if (!isExplained) throw new Violation(`message ${deliveryUuid} was sent again for no reason`, check);
  }
}

function judgeEnd(
  { uuid, state, createdAt, finishedAt, error }: Omit<MailRow, 'accountId' | 'kind'>,
  takenAt: number | null,
  isWanted: boolean,
  end: Instant,
  check: string | null,
): void {
  switch (state) {
    case 'delivered':
      if (takenAt === null)
        throw new Violation(`message ${uuid} is called delivered, and nobody has it`, check);
      return;
    case 'skipped':
      if (isWanted) throw new Violation(`message ${uuid} was skipped`, check);
      return;
    case 'given_up':
      if (error === '') throw new Violation(`message ${uuid} was given up without a reason`, check);
      if ((finishedAt ?? 0) - createdAt < GIVE_UP_AFTER)
        throw new Violation(`message ${uuid} was given up too early`, check);
      return;
    default:
      if (createdAt < end - BARELY) throw new Violation(`message ${uuid} is still ${state}`, check);
  }
}

/** There is one report a day at the most, however late one was. */
function isTooSoon({ kind, createdAt }: MailRow, before: Instant): boolean {
  if (kind !== 'report') return createdAt - before < seconds(3599);
  const day = (at: Instant) => toTemporal(at).toZonedDateTimeISO('Europe/Riga').toPlainDate().toString();
  return day(createdAt) === day(before);
}

/** Mails that are not sent when what they tell of is over. */
const LAPSING = ['reminder', 'channel_trouble'];
/** Mails about one thing of several, so that two may come at once. */
const OF_THINGS = ['blindness', 'flapping', 'channel_trouble'];

/** Reports of days and weeks, and reminders, come neither twice nor too often; and what is queued is sent. */
function judgeMails({ internet, installation, end }: History, mails: readonly MailRow[]): void {
  const taken = Map.groupBy(internet.taken, ({ deliveryUuid }) => deliveryUuid);
  const last = new Map<string, Instant>();
  for (const mail of mails) {
    const own = taken.get(mail.uuid) ?? [];
    judgeEnd(mail, own[0]?.at ?? null, !LAPSING.includes(mail.kind), end, null);
    judgeRepetitions(own, installation.troubles, null);
    if (OF_THINGS.includes(mail.kind)) continue;
    const key = `${mail.kind} of account ${mail.accountId}`;
    const before = last.get(key);
    if (before !== undefined && isTooSoon(mail, before))
      throw new Violation(`a ${key} came too early, at ${toIsoMicros(mail.createdAt)}`);
    last.set(key, mail.createdAt);
  }
}

/** A node that dies right after it has recorded a time of blindness leaves the rest to the next one. */
function merged(spans: readonly Gap[]): Gap[] {
  const result: Gap[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.until + seconds(10)) {
      result[result.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
    } else result.push(span);
  }
  return result;
}

/** The first sign of life comes within this time. */
const FIRST_BEAT = seconds(1);

/** Times in which nobody watched are on record, and no others. */
async function judgeBlindness({ observed, installation }: History, mails: readonly MailRow[]): Promise<void> {
  const recorded = await observed.blindSpans();
  const told = mails.filter(({ kind }) => kind === 'blindness').length;
  // Owner and member, each once.
  if (told > 2 * recorded.length) throw new Violation('somebody was told twice that nobody watched');
  if (recorded.length > 0 && told === 0) throw new Violation('nobody was told that nobody watched');
  const spans = merged(recorded);
  const slack = seconds(10) + installation.climate.skew;
  const [untilFirstStart, ...gaps] = installation.gaps;
  for (const { from, until } of gaps) {
    if (until - from < SURELY_BLIND) continue;
    // A node that dies right after the first start has left no sign of life from which the time could be counted.
    if (untilFirstStart !== undefined && from - untilFirstStart.until < FIRST_BEAT) continue;
    const isKnown = spans.some(
      (span) => span.from <= from + slack && span.until >= until - slack - seconds(20),
    );
    if (!isKnown) throw new Violation(`nobody watched from ${toIsoMicros(from)}, which is not on record`);
  }
  for (const { from, until } of spans) {
    const isTrue = gaps.some((gap) => gap.from <= until + slack && gap.until >= from - slack);
    if (!isTrue)
      throw new Violation(`a blindness from ${toIsoMicros(from)} to ${toIsoMicros(until)} that was none`);
  }
}
