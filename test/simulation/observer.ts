import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import type { Span } from '../../src/domain/check/status.ts';
import { SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import { openChannel } from '../../src/integrations/registry.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createVault } from '../../src/lib/vault.ts';
import type { CheckVersions, Version } from './check-versions.ts';
import type { Gap, Installation } from './installation.ts';
import type { Internet } from './internet.ts';
import { indexOf, type Sent } from './jobs.ts';
import {
  causeAt,
  firstOf,
  isTold,
  judgedHistory,
  judgeState,
  type Known,
  NaiveCheck,
  type NaiveDeadline,
  naiveDeadlines,
  sinceOf,
  type Waiting,
} from './naive.ts';
import { isSteadySince, mayBeEarly, missedBetween } from './naive-bad-runs.ts';
import type { NaiveKept } from './naive-kept.ts';
import type { SeenFlip } from './naive-parents.ts';
import { dueOutside, spansWithin } from './naive-quiet.ts';
import { rulesIn } from './naive-rules.ts';
import type { QueuedRow } from './naive-together.ts';
import type { DeliveryRow, Due, Observed } from './observed.ts';
import type { Owner } from './owner.ts';
import type { PolicyOwner } from './policy-owner.ts';
import { hostOf, SECRET } from './population.ts';
import { QuietRecord } from './quiet-record.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/** The longest delay in noticing anything while a node watches, with a slow database and a few failures. */
export const TOLERATED_LAG: Micros = seconds(20);
/** No try is put off for longer: an hour, spread, and the time of a claim. */
const MAX_PAUSE: Micros = seconds(3600 * 1.25 + 60);
/** Longer than loops take to say that they watch. */
const LOOKING_AROUND: Micros = seconds(10);
/** A quiet time that began while nobody watched covers its checks so soon after. */
const AFTER_GAP: Micros = seconds(300);
/** What is changed about quiet times has covered their checks by then. */
const QUIET_SETTLES: Micros = seconds(65);
/** Loops look at least so often, whatever is due. */
const MAX_QUIET: Micros = seconds(3600);
/** It only reads. */
const VAULT = createVault(SECRET, systemRandom);
/** The least extra time of checks after a time in which no node watched. */
const MIN_EXCUSE: Micros = seconds(300);
/** A gap of this length is surely noticed: half a minute after the last sign of life. */
const SURELY_BLIND: Micros = seconds(31);
/** A shorter one is surely not noticed. */
const PERHAPS_BLIND: Micros = seconds(20);

/** A check with the model that follows it, and how far it has followed. */
interface Followed {
  readonly model: NaiveCheck;
  lastPing: number;
  lastFlipId: number;
}

/** What a check may have waited for. */
interface Possible {
  readonly version: Version;
  readonly deadlines: readonly NaiveDeadline[];
  /** The quiet times that count. */
  readonly spans: readonly Span[];
}

/** Looks after every step whether a promise is broken. */
export class Observer {
  readonly #timeline: Timeline;
  readonly #installation: Installation;
  readonly #internet: Internet;
  readonly #observed: Observed;
  readonly #owner: Owner;
  readonly #versions: CheckVersions;
  /** Null: nothing decides who is told when. */
  readonly #policies: PolicyOwner | null;
  readonly #trace: Trace;
  readonly #channels: ReadonlyMap<number, Channel>;
  #lastFlipId = 0;
  #lastLookAt: Instant;
  /** The work of the loops in the last version of the database. */
  #work: { readonly version: number; readonly due: Due } | null = null;
  /** The earliest deadline, and since when it has been that. */
  #deadline: { at: Instant | null; seenAt: Instant };
  /** The same for decisions about outages. */
  #wake: { at: Instant | null; seenAt: Instant };
  /** The same for quiet times that have to cover their checks. */
  #quiet: { at: Instant | null; seenAt: Instant };
  readonly #quietRecord: QuietRecord;
  /** Checks whose quiet time has changed, and when that is to be judged. */
  readonly #unsettled = new Map<number, Instant>();
  /** Messages that nothing keeps from being sent, and since when that has been so. */
  #waiting = new Map<string, Instant>();
  readonly #changed = new Set<number>();
  /** When flips were recorded, at the latest. Some tell of an earlier time. */
  readonly recordedAt = new Map<number, Instant>();
  readonly #flips = new Map<string, SeenFlip[]>();
  /** All messages that were ever queued where something decides who is told when, in order. */
  readonly queued: QueuedRow[] = [];
  /** What jobs have told; null unless there are rules for runs, by which it is judged. */
  readonly #sent: readonly Sent[] | null;
  readonly #followed = new Map<number, Followed>();
  /** Null: nothing is removed. */
  readonly #kept: NaiveKept | null;

  constructor(parts: {
    timeline: Timeline;
    installation: Installation;
    internet: Internet;
    observed: Observed;
    owner: Owner;
    versions: CheckVersions;
    policies: PolicyOwner | null;
    trace: Trace;
    channels: readonly Channel[];
    sent: readonly Sent[] | null;
    kept: NaiveKept | null;
  }) {
    this.#timeline = parts.timeline;
    this.#kept = parts.kept;
    this.#sent = parts.sent;
    this.#installation = parts.installation;
    this.#internet = parts.internet;
    this.#observed = parts.observed;
    this.#owner = parts.owner;
    this.#versions = parts.versions;
    this.#policies = parts.policies;
    this.#trace = parts.trace;
    this.#channels = new Map(parts.channels.map((channel) => [channel.id, channel]));
    this.#lastLookAt = parts.timeline.now;
    this.#deadline = { at: null, seenAt: parts.timeline.now };
    this.#wake = this.#deadline;
    this.#quiet = this.#deadline;
    this.#quietRecord = new QuietRecord(parts.observed, parts.installation.climate.skew);
  }

  /** Something was done to the check: its row has to make sense afterwards. */
  judgeSoon(checkId: number): void {
    this.#changed.add(checkId);
  }

  /** The flips of a check, which may be gone by now. */
  flipsOf(uuid: string): readonly SeenFlip[] {
    return this.#flips.get(uuid) ?? [];
  }

  /** Returns until when loops would look in vain. */
  async look(): Promise<Instant> {
    const { now } = this.#timeline;
    this.#installation.noteWatch();
    const [bug] = this.#installation.bugs;
    if (bug !== undefined) throw new Violation(`a loop failed: ${bug instanceof Error ? bug.stack : bug}`);
    const due = await this.#lookForChanges();
    if (due.deadline !== this.#deadline.at) this.#deadline = { at: due.deadline, seenAt: now };
    if (this.#isLate(due.deadline, this.#deadline.seenAt)) await this.#judgeDeadline(due.deadline);
    if (due.wake !== this.#wake.at) this.#wake = { at: due.wake, seenAt: now };
    if (this.#isLate(due.wake, this.#wake.seenAt))
      throw new Violation(`an outage was to be decided about at ${toIsoMicros(due.wake)}`);
    if (due.quiet !== this.#quiet.at) this.#quiet = { at: due.quiet, seenAt: now };
    if (this.#isLate(due.quiet, this.#quiet.seenAt))
      throw new Violation(`a quiet time was to cover its checks at ${toIsoMicros(due.quiet)}`);
    if (this.#isLate(due.next, due.next) || this.#isLate(due.many, due.many)) await this.#judgeDeliveries();
    if (due.last !== null && due.last > now + MAX_PAUSE) {
      throw new Violation(`a message is put off until ${toIsoMicros(due.last)}`);
    }
    this.#lastLookAt = now;
    // Claims have to be kept, and a node that has just come back has to look around.
    if (this.#internet.isBusy || now - (this.#installation.watchedSince ?? 0) < LOOKING_AROUND) return now;
    const { deadline, wake, quiet, next, many, mail, report, reminder } = due;
    const times = [deadline, wake, quiet, next, many, mail, report, reminder].filter((at) => at !== null);
    return Math.min(now + MAX_QUIET, ...times) - this.#installation.climate.skew;
  }

  /** Judges what has changed since the last look. Most looks come after nothing was written. */
  async #lookForChanges(): Promise<Due> {
    const version = await this.#observed.version();
    const isNew = version !== this.#work?.version;
    if (this.#policies?.hasQuietTimes === true) await this.#lookForQuietTimes(isNew);
    if (isNew)
      for (const flip of await this.#observed.flipsAfter(this.#lastFlipId)) await this.#judgeFlip(flip);
    for (const checkId of this.#changed) await this.#judgeRow(checkId);
    this.#changed.clear();
    if (isNew && this.#policies !== null) {
      await this.#noteQueued();
      await this.#judgeNotes();
    }
    if (isNew) await this.#kept?.look(this.#lastLookAt, this.#timeline.now);
    if (this.#work === null || isNew) this.#work = { version, due: await this.#observed.due() };
    return this.#work.due;
  }

  /** A check is judged when its quiet time has changed, and once that is settled. */
  async #lookForQuietTimes(isNew: boolean): Promise<void> {
    const { now } = this.#timeline;
    for (const id of isNew ? await this.#quietRecord.look(now) : []) {
      this.#changed.add(id);
      this.#unsettled.set(id, now + QUIET_SETTLES);
    }
    for (const [id, at] of this.#unsettled) {
      if (now < at) continue;
      this.#unsettled.delete(id);
      this.#changed.add(id);
    }
  }

  /** What the model may know about a check. */
  knownOf({ id, uuid }: Pick<Check, 'id' | 'uuid'>): Known {
    return { timingAt: this.#owner.timingAt(uuid), quietSpans: () => this.#quietRecord.of(id) };
  }

  async #noteQueued(): Promise<void> {
    const seenAt = this.#timeline.now;
    for (const row of await this.#observed.deliveriesAfter(this.queued.at(-1)?.row.id ?? 0))
      this.queued.push({ row, uuid: (await this.#uuidOf(row.checkId)) ?? '', seenAt });
  }

  /** Ends of its runs are planned exactly while its outage is open. What is told with others ends with them. */
  async #judgeNotes(): Promise<void> {
    const left = await this.#observed.rowLeftOpen();
    if (left !== null) throw new Violation(`message ${left} is open, and what was to tell it is over`);
    const uuid = await this.#observed.checkNotedWrong();
    if (uuid !== null) throw new Violation('it is not noted whether its outage is open', uuid);
  }

  /** An edit may bring about a deadline that has passed already: what counts is when that could be known. */
  async #judgeRow(checkId: number): Promise<void> {
    const check = await this.#observed.check(checkId);
    if (check === null) return;
    this.#judgeQuiet(check);
    await this.#judgeBadRuns(check);
    if (this.#sent !== null) return this.#follow(check, this.#sent);
    const pings = await this.#observed.pingsBefore(checkId, Number.MAX_SAFE_INTEGER);
    const flips = await this.#observed.flipsOf(checkId);
    judgeState(check, pings, flips, this.knownOf(check));
  }

  /** It is in a quiet time exactly if there is one. */
  #judgeQuiet(check: Check): void {
    const { now } = this.#timeline;
    const { watchedSince } = this.#installation;
    const hasSettled = watchedSince !== null && now - watchedSince > AFTER_GAP;
    const fault = hasSettled ? this.#policies?.faultOfQuiet(check, now) : null;
    if (fault != null) throw new Violation(fault, check.uuid);
    this.#judgeExcuse(check);
  }

  /** A deadline is put off by a time in which nobody watched, or by quiet times, and not for longer than they say. */
  #judgeExcuse(check: Check): void {
    const { id, uuid, excusedUntilAt } = check;
    const { gaps, watchedSince } = this.#installation;
    if (excusedUntilAt === null || watchedSince === null) return;
    const slack = TOLERATED_LAG + this.#installation.climate.skew;
    const versions = this.#owner.versionsIn(uuid, 0, this.#timeline.now);
    const timings = [check, ...versions.map((version) => version.check)];
    const limits = timings.map((timing) => {
      const { begin_within: begin = 0, end_within: end = 0 } = rulesIn(timing);
      return seconds(Math.max(timing.graceSeconds, begin, end));
    });
    const limit = Math.max(MIN_EXCUSE, ...limits);
    const latest = [
      ...gaps.map((gap) => gap.until + limit + slack),
      ...this.#quietRecord
        .of(id)
        .flatMap((span) =>
          timings.map((timing) => (dueOutside(span.from, timing, [span]) ?? span.until) + limit),
        ),
    ];
    if (excusedUntilAt > Math.max(0, ...latest))
      throw new Violation(`nothing puts its deadline off until ${toIsoMicros(excusedUntilAt)}`, uuid);
  }

  /** Bad runs in a row are the failures since the last success, with the runs that were missed before each. */
  async #judgeBadRuns(check: Check): Promise<void> {
    const { id, uuid, status, badCount, quietFromAt } = check;
    if (status === 'paused' || quietFromAt !== null || mayBeEarly(check)) return;
    const [success, ...later] = await this.#observed.pingsSinceSuccess(id);
    const isLate = [success, ...later].some((ping) => ping?.occurredAt != null);
    if (success === undefined || isLate) return;
    const { createdAt: since } = success;
    const versions = this.#owner.versionsIn(uuid, since - TOLERATED_LAG, this.#timeline.now);
    if (!isSteadySince([check, ...versions.map((version) => version.check)], since)) return;
    const flips = await this.#observed.flipsOf(id);
    const isBegunAnew = flips.some(
      ({ createdAt, newStatus }) => createdAt >= since && (newStatus === 'paused' || newStatus === 'new'),
    );
    if (isBegunAnew) return;
    const { gaps } = this.#installation;
    const unwatched = { blindSpans: await this.#observed.blindSpans(), gaps };
    const failures = later.filter(({ signal }) => signal === 'fail');
    const ends = [success, ...failures];
    const missed = failures.map((end, index) => missedBetween(check, ends[index] ?? end, end, unwatched));
    const least = missed.reduce((sum, one) => sum + one.least, failures.length);
    const most = missed.reduce((sum, one) => sum + one.most, failures.length);
    if (badCount < least || badCount > most)
      throw new Violation(`it has ${badCount} bad runs in a row, not ${least} to ${most}`, uuid);
  }

  /** Every start, progress and end belongs to one run, and the row of the check has the run that is open. */
  async #follow(check: Check, sent: readonly Sent[]): Promise<void> {
    const { id, uuid } = check;
    const known = this.knownOf(check);
    const followed = this.#followed.getOrInsertComputed(id, () => ({
      model: new NaiveCheck(uuid, {
        ...known,
        reportOf: (mark) => sent[indexOf(mark)]?.report,
        isWatched: (from, until) => this.#isWatched(uuid, from, until),
      }),
      lastPing: 0,
      lastFlipId: 0,
    }));
    const pings = await this.#observed.pingsAfter(id, followed.lastPing);
    const flips = await this.#observed.flipsOf(id, followed.lastFlipId);
    followed.lastPing = pings.at(-1)?.n ?? followed.lastPing;
    followed.lastFlipId = flips.at(-1)?.id ?? followed.lastFlipId;
    followed.model.take(pings, flips);
    followed.model.requireRow(check);
  }

  /** Whether the check had one timing, and no time without watch may have put its deadline off. */
  #isWatched(uuid: string, from: Instant, until: Instant): boolean {
    const { watchedSince } = this.#installation;
    return (
      watchedSince !== null &&
      watchedSince <= until &&
      !this.#mayBeBlind(from, until) &&
      this.#owner.versionsIn(uuid, from, until).length === 1
    );
  }

  /** Whether a time without watch may have put off a deadline between these times. */
  #mayBeBlind(from: Instant, until: Instant): boolean {
    const isBlind = (gap: Gap) =>
      gap.until - gap.from >= PERHAPS_BLIND && gap.from <= until && gap.until >= from - seconds(3_700);
    return this.#installation.gaps.some(isBlind);
  }

  #isLate(due: Instant | null, knownAt: Instant | null): due is Instant {
    const { watchedSince } = this.#installation;
    if (due === null || knownAt === null || watchedSince === null) return false;
    const lag = TOLERATED_LAG + this.#installation.climate.skew;
    return this.#timeline.now - Math.max(due, knownAt, watchedSince) > lag;
  }

  async #judgeDeadline(deadline: Instant): Promise<void> {
    const check = (await this.#observed.checks()).find(({ deadlineAt }) => deadlineAt === deadline);
    throw new Violation(
      `check ${check?.id} should have gone down at ${toIsoMicros(deadline)} and has not`,
      check?.uuid ?? null,
    );
  }

  /** A message waits only for an earlier one to the same channel, or for a provider that is in trouble. */
  async #judgeDeliveries(): Promise<void> {
    const { now } = this.#timeline;
    const lag = TOLERATED_LAG + this.#installation.climate.skew;
    const waiting = new Map<string, Instant>();
    const overdue = [
      ...(await this.#observed.overdueDeliveries(now - lag)),
      ...(await this.#observed.overdueMany(now - lag)),
    ];
    for (const message of overdue) {
      const host = hostOf(this.#channels.get(message.channelId)?.name ?? '');
      const wellSince = this.#internet.wellSince(host);
      if (wellSince === null || now - wellSince < seconds(120)) continue;
      if (message.checkId !== null && (await this.#observed.isHeldBack(message))) continue;
      const since = this.#waiting.get(message.uuid) ?? now;
      waiting.set(message.uuid, since);
      if (now - Math.max(since, this.#installation.watchedSince ?? now) < lag) continue;
      const about = message.checkId === null ? null : await this.#uuidOf(message.checkId);
      throw new Violation(`message ${message.uuid} to ${host} is not sent`, about);
    }
    this.#waiting = waiting;
  }

  async #uuidOf(checkId: number): Promise<string | null> {
    return (await this.#observed.check(checkId))?.uuid ?? null;
  }

  async #judgeFlip(flip: Flip): Promise<void> {
    this.#lastFlipId = flip.id;
    this.recordedAt.set(flip.id, this.#timeline.now);
    const check = await this.#observed.check(flip.checkId);
    if (check === null) return;
    const seen = { flip, recordedAt: this.#timeline.now };
    this.#flips.getOrInsertComputed(check.uuid, () => []).push(seen);
    const { oldStatus, newStatus, reason, createdAt } = flip;
    const text = `${oldStatus} to ${newStatus} ${reason} at ${toIsoMicros(createdAt)}`;
    this.#trace.tell(this.#timeline.now, `flip ${flip.id}: ${text}`, check.uuid);
    const versions = await this.#versions.possible(check.uuid, this.#lastLookAt, this.#timeline.now);
    if (reason === 'timeout') await this.#judgeTimeout(flip, check, versions);
    if (this.#policies?.hasQuietTimes === true) this.#changed.add(check.id);
    const since = createdAt - TOLERATED_LAG;
    if (isTold(flip) && this.#policies?.mayBeUsed(since, this.#timeline.now) !== true)
      await this.#judgeOutbox(flip, check.uuid, versions);
  }

  /** A check goes down for being silent only if it was, for as long as its configuration allows. */
  async #judgeTimeout(flip: Flip, check: Check, versions: readonly Version[]): Promise<void> {
    const { uuid } = check;
    const wasWatched = !this.#installation.gaps.some(
      ({ from, until }) => from <= flip.createdAt && until >= flip.createdAt - AFTER_GAP,
    );
    // An edit may bring about a deadline in a quiet time that is long over, and that the check does not know any more.
    const isEdited = versions.some(({ since }) => since > flip.createdAt);
    if (wasWatched && !isEdited && this.#policies?.isSurelyQuiet(uuid, flip.createdAt) === true)
      throw new Violation('it went down for being silent in a quiet time', uuid);
    const possible: Possible[] = [];
    for (const version of versions)
      for (const before of this.#judgedBy(flip, version)) {
        const waiting = await this.#waitingBefore(flip, check, before);
        if (waiting === null || waiting.isReported === null) return;
        const spans = this.#spansFor(waiting, check);
        if (spans === null) return;
        const excuse = { spans, until: null };
        const deadlines = naiveDeadlines(waiting, flip.oldStatus === 'up', version.check, excuse);
        possible.push({ version, deadlines, spans });
      }
    const deadlines = possible.map((one) => firstOf(one.deadlines)?.at ?? null);
    const isDue = deadlines.some((deadline) => deadline !== null && deadline <= flip.createdAt);
    if (!isDue) {
      const expected = deadlines.map((deadline) => (deadline === null ? 'none' : toIsoMicros(deadline)));
      throw new Violation(`a false alarm: the deadline was ${expected.join(' or ')}`, uuid);
    }
    const causes: string[] = possible.map((one) => causeAt(one.deadlines, flip.createdAt));
    const isPlain = possible.every(
      ({ spans: [first, ...others] }) =>
        first === undefined || (others.length === 0 && !this.#mayBeBlind(first.from, flip.createdAt)),
    );
    if (isPlain && !causes.includes(flip.cause))
      throw new Violation(`it went down for ${flip.cause}, not for ${causes.join(' or ')}`, uuid);
    for (const [index, { version }] of possible.entries()) {
      const { check, since } = version;
      const deadline = deadlines[index] ?? null;
      const gap = deadline === null ? undefined : this.#gapAt(deadline);
      // An edit made later that makes the check overdue is told as it is.
      if (gap === undefined || since > gap.until) return;
      const excused = gap.until + Math.max(seconds(check.graceSeconds), MIN_EXCUSE);
      if (flip.createdAt >= excused - TOLERATED_LAG) return;
    }
    throw new Violation('an alarm for a deadline that passed while nobody watched', uuid);
  }

  /**
   * The pings that tell what the check waited for came before one of these times: before its deadline, as one that came at that very
   * instant came too late. An edit that brings about a deadline in the past finds signs of life that came after it.
   */
  #judgedBy({ createdAt }: Flip, { since }: Version): readonly Instant[] {
    return since > createdAt ? [since, this.#timeline.now + 1] : [createdAt];
  }

  /** What the check waited for by the pings that came before that time. Null: it cannot be told. */
  async #waitingBefore({ id, checkId }: Flip, check: Check, before: Instant): Promise<Waiting | null> {
    const pings = await this.#observed.pingsBefore(checkId, before);
    const earlier = (await this.#observed.flipsOf(checkId)).filter((other) => other.id < id);
    return judgedHistory(pings, earlier, this.knownOf(check))?.waiting ?? null;
  }

  /**
   * The quiet times that count for what a check has waited for until now. Null: it cannot be told which do. A check knows the
   * last one, and of the one before only how long that has put its deadline off.
   */
  #spansFor(waiting: Waiting, { id, uuid }: Check): readonly Span[] | null {
    const since = sinceOf(waiting);
    const spans = spansWithin(this.#quietRecord.of(id), since, this.#timeline.now);
    if (spans.some(({ isSure }) => !isSure)) return null;
    if (spans.length <= 1) return spans;
    const isEdited = this.#owner.versionsIn(uuid, since, this.#timeline.now).length > 1;
    return spans.length > 2 || isEdited || spans.some(({ isExtended }) => isExtended) ? null : spans;
  }

  /** The time without anybody who watched that the instant lies in, but for its very end. */
  #gapAt(at: Instant): { until: Instant } | undefined {
    const edge = seconds(1) + this.#installation.climate.skew;
    return this.#installation.gaps.find(
      ({ from, until }) => from < at && at <= until - edge && until - from >= SURELY_BLIND,
    );
  }

  /** There is a message for each channel that was assigned, in the transaction of the flip. */
  async #judgeOutbox(flip: Flip, uuid: string, versions: readonly Version[]): Promise<void> {
    const deliveries = await this.#observed.deliveriesOfFlip(flip.id);
    const told = deliveries.map(({ channelId }) => channelId).sort((a, b) => a - b);
    const hasGroups = deliveries.some(({ channelId }) => this.#channels.get(channelId)?.kind === 'group');
    const isRight = versions.some(({ channelIds }) => {
      // A group may have passed it on already.
      const own = hasGroups ? told.filter((id) => channelIds.includes(id)) : told;
      return String(channelIds) === String(own);
    });
    if (isRight) return;
    const assigned = versions.map(({ channelIds }) => `[${channelIds}]`).join(' or ');
    throw new Violation(`channels ${assigned} were assigned, [${told}] are told`, uuid);
  }

  /** Whether the channel is told of that at all. */
  wants(channelId: number, status: string): boolean {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) return false;
    return openChannel(channel, SERVER, VAULT).wants(status === 'up' ? 'up' : 'down_timeout');
  }
}

export type { DeliveryRow };
