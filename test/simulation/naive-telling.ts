import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import type { Span as TimeSpan } from '../../src/domain/check/status.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { type Answer, agreed, either, sure } from './answer.ts';
import type { Version } from './check-versions.ts';
import type { Gap } from './installation.ts';
import { isTold } from './naive.ts';
import { isSteadySince, NaiveBadRuns, type Threshold } from './naive-bad-runs.ts';
import { hasHours, isDropping, isOutside } from './naive-channel-hours.ts';
import { NaiveGroups, type Passed } from './naive-groups.ts';
import { NaiveHearers, wordsOf } from './naive-hearers.ts';
import { type Hours, isWithin } from './naive-hours.ts';
import type { NaiveParents } from './naive-parents.ts';
import { type QuietRow, quietSpans } from './naive-quiet.ts';
import { goodRunsSince } from './naive-recovery.ts';
import { KEEPS_RHYTHM, mostOf, type RepeatRules, Rhythm } from './naive-rhythm.ts';
import type { DeliveryRow, OutageRow, PingRow } from './observed.ts';
import type { AlertingVersion } from './policy-owner.ts';
import type { Switches } from './switches.ts';
import { Violation } from './violation.ts';

/** The rules of a policy, as they are stored. */
interface Rules extends Threshold, RepeatRules {
  readonly wait?: number;
  /** The UUID of a calendar. */
  readonly hours?: string;
  readonly always_tags?: string;
  readonly each_failure?: boolean;
  readonly good_runs?: number;
  readonly then?: readonly { readonly after: number; readonly tell: readonly string[] }[];
}

/** All that says who should have been told of the outages of a check. */
export interface TellingHistory {
  readonly check: Check;
  readonly flips: readonly Flip[];
  readonly pings: readonly PingRow[];
  readonly outages: readonly OutageRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly channels: readonly Channel[];
  readonly switches: Switches;
  versionsIn(from: Instant, until: Instant): readonly Version[];
  alertingIn(from: Instant, until: Instant): readonly AlertingVersion[];
  readonly parents: NaiveParents;
  /** When the flip was recorded, which may tell of an earlier time. */
  recordedAt(flip: Flip): Instant;
  /** Times that are on record as those in which nobody watched. */
  readonly blindSpans: readonly Gap[];
  /** Times in which nobody may have watched. */
  readonly gaps: readonly Gap[];
  /** The most by which a row may be older or younger than what it tells of. */
  readonly slack: Micros;
  /** The longest delay in noticing anything while a node watches. */
  readonly lag: Micros;
  readonly end: Instant;
}

/** The model looks so often. */
const STEP: Micros = seconds(5);
/** What was due while nobody watched comes so long after the return. */
const AFTER_BLINDNESS: Micros = seconds(300);

/** An outage of the check, from one flip to another one. */
interface Span {
  readonly flip: Flip;
  /** All later flips until it was over, or until now. Those to up before the last did not end it. */
  readonly later: readonly Flip[];
  /** The last of them, if that ended it. Null: it lasts. */
  readonly end: Flip | null;
}

/** Looks whether the right channels were told of the outages of the check, and none too early, too late or in vain. */
export function judgeTelling(history: TellingHistory): void {
  const { check, flips, outages, deliveries, slack } = history;
  // A check that its owner does not know of: nobody answered when it was made.
  if (history.versionsIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY).length === 0) return;
  judgeOrder(history);
  const rows = Map.groupBy(deliveries, ({ flipId }) => flipId);
  const spans: Span[] = [];
  for (const [index, flip] of flips.entries()) {
    const outage = outages.find(({ flipId }) => flipId === flip.id) ?? null;
    const last = spans.at(-1);
    const isCovered = last?.later.includes(flip) === true;
    if (isCovered && flip !== last?.end && (rows.get(flip.id) ?? []).length > 0)
      throw new Violation(
        `somebody is told of flip ${flip.id}, which ends no outage and begins none`,
        check.uuid,
      );
    const at = history.recordedAt(flip);
    const alerting = history.alertingIn(at - slack, at + slack);
    const isPlanned = alerting.every(({ isUsed }) => isUsed);
    const mayBePlanned = alerting.some(({ isUsed }) => isUsed);
    if (flip.newStatus !== 'down' || !isTold(flip)) {
      if (outage !== null) throw new Violation(`flip ${flip.id} is no failure and has an outage`, check.uuid);
      continue;
    }
    if (isCovered && outage !== null)
      throw new Violation(`flip ${flip.id} has an outage of its own, and an earlier one lasts`, check.uuid);
    if (isCovered) continue;
    if (isPlanned && outage === null) throw new Violation(`flip ${flip.id} has no outage`, check.uuid);
    if (outage === null) continue;
    const span = spanOf(outage, flip, flips.slice(index + 1), check);
    spans.push(span);
    if (!mayBePlanned && !wasAnswered(history, flip, span.end))
      throw new Violation(`flip ${flip.id} has an outage, and nobody has used any`, check.uuid);
    const telling = new NaiveTelling(history, span, outage, rows.get(flip.id) ?? []);
    if (!isPlanned) continue;
    telling.judgeRecoveries();
    telling.replay();
    if (span.end !== null) telling.judgeEnd(span.end, rows.get(span.end.id) ?? []);
  }
}

/** The flips of an outage. It is over at a flip that somebody has noted, and lasts until then. */
function spanOf(outage: OutageRow, flip: Flip, following: readonly Flip[], { uuid }: Check): Span {
  const name = `the outage of flip ${flip.id}`;
  if (outage.endedAt === null) {
    const other = following.find(({ newStatus }) => newStatus !== 'up' && newStatus !== 'down');
    if (other !== undefined) throw new Violation(`${name} is still open after flip ${other.id}`, uuid);
    return { flip, later: following, end: null };
  }
  const index = following.findIndex(({ id }) => id === outage.endedBy);
  const end = following[index];
  if (end === undefined) throw new Violation(`${name} is over, and no flip has ended it`, uuid);
  if (end.newStatus === 'down') throw new Violation(`${name} is over, and it is down`, uuid);
  return { flip, later: following.slice(0, index + 1), end };
}

/** Of each outage a channel hears the end before it hears of the next one. Groups may take a little longer. */
function judgeOrder({ check: { uuid }, deliveries, alertingIn }: TellingHistory): void {
  const groups = alertingIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY).flatMap(
    ({ groups }) => groups,
  );
  const members = new Set(groups.flatMap((group) => group.members));
  const last = new Map<number, DeliveryRow>();
  for (const row of deliveries.filter(({ channelId }) => !members.has(channelId))) {
    const before = last.get(row.channelId);
    if (before !== undefined && before.flipId > row.flipId)
      throw new Violation(
        `message ${row.uuid} came after ${before.uuid}, and tells of what was before`,
        uuid,
      );
    last.set(row.channelId, row);
  }
}

/** Whether an outage that began before the project used anything may have been acknowledged. */
function wasAnswered({ versionsIn, end }: TellingHistory, flip: Flip, last: Flip | null): boolean {
  return versionsIn(flip.createdAt, last?.createdAt ?? end).length > 1;
}

/** What people may have made of the check and its project at a time, each possibility with its policy. */
interface Possible {
  readonly version: Version;
  readonly alerting: AlertingVersion;
  readonly rules: Rules;
  /** Null: always. */
  readonly hours: Hours | null;
  readonly quietTimes: readonly QuietRow[];
}

/** One channel that a step tells. */
interface Step {
  readonly after: number;
  /** The UUID of the channel. */
  readonly tell: string;
}

/** A repeat, or a further failure. */
interface Further {
  readonly ordinal: number;
  readonly at: Instant;
  /** Without those that groups have passed on. */
  readonly rows: readonly DeliveryRow[];
}

/** Follows one outage step by step, with what people have made of the check and its project at that time. */
class NaiveTelling {
  readonly #history: TellingHistory;
  readonly #flip: Flip;
  readonly #later: readonly Flip[];
  readonly #outage: OutageRow;
  readonly #until: Instant;
  readonly #toldAt: Instant | null;
  readonly #rows: readonly DeliveryRow[];
  /** The first message to each channel. */
  readonly #firsts: readonly DeliveryRow[];
  readonly #groups: NaiveGroups;
  readonly #hearers: NaiveHearers;
  #possible: { from: Instant; until: Instant; list: readonly Possible[] } = { from: 1, until: 0, list: [] };
  readonly #badRuns: NaiveBadRuns;
  readonly #edges: readonly Instant[];
  readonly #gaps: readonly Gap[];
  readonly #blindSpans: readonly Gap[];
  /** Those that have hours at some time. */
  readonly #withHours: ReadonlySet<number>;
  /** The steps that its rules have at some time. */
  readonly #steps: readonly Step[];
  /** How long something has surely been due with nothing in its way, by what it is. */
  readonly #dueFor = new Map<string, number>();

  constructor(
    history: TellingHistory,
    { flip, later, end }: Span,
    outage: OutageRow,
    rows: readonly DeliveryRow[],
  ) {
    this.#history = history;
    this.#flip = flip;
    this.#later = later;
    this.#outage = outage;
    this.#until = end?.createdAt ?? history.end;
    this.#toldAt = outage.toldAt;
    this.#badRuns = new NaiveBadRuns(flip, this.#until, {
      ...history,
      quietIn: (from, until) => this.#quietIn(from, Math.min(until, this.#toldAt ?? until)),
    });
    this.#rows = rows;
    this.#firsts = rows.filter(({ ordinal }) => ordinal === 0);
    const { slack, alertingIn } = history;
    this.#groups = new NaiveGroups({
      rows: history.deliveries,
      groupsIn: (from, until) => alertingIn(from, until).map(({ groups }) => groups),
      slack,
    });
    const ever: [Instant, Instant] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    this.#edges = [...history.versionsIn(...ever), ...history.alertingIn(...ever)]
      .flatMap(({ since, seenAt }) => [since - slack, seenAt + slack + 1])
      .sort((one, other) => one - other);
    const concerns = (gap: Gap) => gap.until > flip.createdAt - seconds(3600);
    this.#gaps = history.gaps.filter(concerns);
    this.#blindSpans = history.blindSpans.filter(concerns);
    this.#withHours = new Set(
      history
        .alertingIn(...ever)
        .flatMap(({ channelHours }) => channelHours.map(({ channelId }) => channelId)),
    );
    this.#steps = stepsBetween(history, flip.createdAt, this.#until);
    this.#hearers = new NaiveHearers({
      ...{ rows, slack, groups: this.#groups, withHours: this.#withHours },
      ...{ lag: history.lag, switches: history.switches },
      isAssigned: (id, from, until) => this.#isAssigned(id, from, until),
      isOutside: (id, at) => this.#isOutside(id, at),
    });
  }

  replay(): void {
    for (const row of this.#rows) this.#judgeRow(row);
    const passed = this.#groups.passedOf(this.#flip.id);
    for (const one of passed) this.#judgePassed(one, this.#rows);
    if (this.#toldAt !== null) {
      this.#judgeFirsts(this.#toldAt);
      this.#judgeSteps(this.#toldAt);
      this.#judgeRepeats(this.#toldAt);
      this.#judgeFurtherFailures(this.#toldAt);
    }
    const repeats = this.#furtherOf('again').map(({ at }) => at);
    const rhythm = new Rhythm(this.#toldAt ?? 0, repeats, this.#history.slack);
    for (let at = this.#history.recordedAt(this.#flip); at < this.#until; at += STEP) {
      const isShut = this.#isShut(at);
      const isFree = isShut === 'no' && !this.#isExcused(at);
      if (this.#toldAt === null || at < this.#toldAt) {
        this.#require('it', at, isFree);
        continue;
      }
      this.#requireWaiting(this.#toldAt, at, isFree);
      for (const one of passed) this.#requireMembers(one, at, isFree);
      this.#requireSteps(this.#toldAt, at, isFree);
      this.#requireRepeat(rhythm, at, isShut, isFree);
    }
  }

  /**
   * Each step comes in time that the rules of the time have, whatever they were before. Whoever has a message is not told again, such as
   * a member to whom its group has passed a repeat on.
   */
  #requireSteps(toldAt: Instant, at: Instant, isFree: boolean): void {
    for (const { after, tell } of this.#steps) {
      const id = this.#idOf(tell);
      const isDue =
        isFree &&
        at >= toldAt + seconds(after) &&
        this.#possibleAt(at).every(({ rules }) => hasStep(rules, { after, tell })) &&
        this.#mayNotMiss(id, toldAt, at);
      const hasOne = () => this.#rows.some((row) => row.channelId === id && row.createdAt <= at);
      this.#require(`step ${after} to ${tell}`, at, isDue, hasOne);
    }
  }

  /** The next repeat comes in time, if somebody hears it. */
  #requireRepeat(rhythm: Rhythm, at: Instant, isShut: Answer, isFree: boolean): void {
    rhythm.passTo(at);
    const rules = this.#possibleAt(at).map((possible) => possible.rules);
    const what = `repeat after ${toIsoMicros(rhythm.lastAt)}`;
    const mayCome = isShut !== 'yes' && rhythm.mayCome(rules, at);
    const isHeard = mayCome && this.#hearers.at(at, true).length > 0;
    if (mayCome && !isHeard) rhythm.lose(rules, at);
    this.#require(what, at, isFree && isHeard && rhythm.isDue(rules, at));
  }

  /** Each time the check comes up, the outage is over after as many good runs as its policy asks for, and not before. */
  judgeRecoveries(): void {
    for (const [index, flip] of this.#later.entries())
      if (flip.newStatus === 'up') this.#judgeRecovery(flip, this.#later[index + 1] ?? null);
  }

  #judgeRecovery(up: Flip, next: Flip | null): void {
    const { slack, lag, pings, recordedAt, end } = this.#history;
    const { endedBy } = this.#outage;
    const endedAt = endedBy === up.id ? this.#outage.endedAt : null;
    const name = `flip ${up.id} to up`;
    const goodRuns = (at: Instant) => goodRunsSince(up, pings, at, slack);
    const wanted = (at: Instant) =>
      this.#toldAt === null ? [1] : this.#possibleAt(at).map(({ rules }) => rules.good_runs ?? 1);
    if (endedAt !== null && wanted(endedAt).every((count) => count > goodRuns(endedAt).most))
      this.#fail(`it was over after too few good runs since ${name}`);
    const until = endedAt ?? (next === null ? end : recordedAt(next));
    let dueFor = 0;
    for (let at = recordedAt(up); at < until; at += STEP) {
      const isDue = !this.#isExcused(at) && wanted(at).every((count) => count <= goodRuns(at).least);
      dueFor = isDue ? dueFor + STEP : 0;
      if (dueFor > lag) this.#fail(`it should have been over by ${toIsoMicros(at)}, after ${name}`);
    }
  }

  /** Whether the check is up, and the outage lasts until there are more good runs. */
  #isRecovering(at: Instant): Answer {
    const { slack, recordedAt } = this.#history;
    return either(
      this.#later.map((up, index): Answer => {
        if (up.newStatus !== 'up') return 'no';
        const next = this.#later[index + 1] ?? null;
        const [from, until] = [up.createdAt - slack, next === null ? null : recordedAt(next) + slack];
        if (at < from || (until !== null && at > until)) return 'no';
        const isSure = at > recordedAt(up) + slack && (next === null || at < next.createdAt - slack);
        return isSure ? 'yes' : 'unsure';
      }),
    );
  }

  /** What a group passes on comes to each member at once, unless it waits for its hours or has not heard of the beginning. */
  #judgePassed({ row, at }: Passed, rows: readonly DeliveryRow[]): void {
    const { slack } = this.#history;
    for (const { id, kind } of this.#history.channels) {
      const hasIt = rows.some((other) => other.channelId === id && other.ordinal === row.ordinal);
      if (kind === 'group' || hasIt || this.#groups.isMember(id, row, at) !== 'yes') continue;
      const mayNotKnow = followsFirst(row) && this.#withHours.has(id) && !this.#hasHeard(id, at - slack);
      if (this.#isOutside(id, at) === 'no' && !mayNotKnow)
        this.#fail(`group ${row.channelId} has not passed message ${row.uuid} on to channel ${id}`);
    }
  }

  /** A member that waits for its hours since then is told when they begin, while the group is told. */
  #requireMembers({ row, at: since }: Passed, at: Instant, isFree: boolean): void {
    if (row.ordinal > 0 || at < since) return;
    for (const id of this.#withHours) {
      const isDue =
        isFree &&
        !this.#hasHeard(id, at) &&
        this.#mayNotMiss(id, since, at) &&
        this.#groups.isMember(id, row, at) === 'yes' &&
        (wordsOf(row).includes('step') || this.#isAssigned(row.channelId, since, at) === 'yes');
      this.#require(`member ${id} of ${row.channelId}`, at, isDue);
    }
  }

  /** Whether a group has passed it on, at once or when the hours of its member began. */
  #isByGroup(row: DeliveryRow): boolean {
    return this.#groups
      .sourcesOf(row)
      .some(({ at }) => at === row.createdAt || this.#isOutside(row.channelId, at) !== 'no');
  }

  /** A channel that waits for its hours is told when they begin, if it has been assigned all the time. */
  #requireWaiting(toldAt: Instant, at: Instant, isFree: boolean): void {
    for (const id of this.#withHours) {
      const isDue =
        isFree &&
        !this.#hasHeard(id, at) &&
        this.#mayNotMiss(id, toldAt, at) &&
        this.#isAssigned(id, toldAt, at) === 'yes';
      this.#require(`channel ${id}`, at, isDue);
    }
  }

  #hasHeard(id: number, at: Instant): boolean {
    return this.#firsts.some(({ channelId, createdAt }) => channelId === id && createdAt <= at);
  }

  /** Whether it is surely told of what is due to it: it is within its hours, and could wait for them. */
  #mayNotMiss(id: number, toldAt: Instant, at: Instant): boolean {
    return this.#isOutside(id, at) === 'no' && this.#isDropping(id, toldAt, at) === 'no';
  }

  /** Whoever heard the beginning hears the end, with those that are assigned. Who waits for the beginning does not. */
  judgeEnd(end: Flip, rows: readonly DeliveryRow[]): void {
    const told = rows.map(({ channelId }) => channelId).sort((one, other) => one - other);
    if (end.newStatus !== 'up' || this.#toldAt === null) {
      if (told.length > 0) this.#fail(`channels [${told}] are told of an end that nobody should hear`);
      return;
    }
    const overAt = this.#outage.endedAt ?? end.createdAt;
    for (const { uuid, createdAt } of rows)
      if (createdAt < overAt - this.#history.slack) this.#fail(`message ${uuid} came before it was over`);
    const endedAt = Math.max(this.#history.recordedAt(end), overAt);
    const bySteps = this.#firsts.filter(({ why }) => words(why).includes('step'));
    const toldByStep = new Set(bySteps.map(({ channelId }) => channelId));
    const possible = this.#versionsAround(endedAt).map(({ channelIds }) =>
      [...new Set([...channelIds, ...toldByStep])].sort((one, other) => one - other),
    );
    for (const one of this.#groups.passedOf(end.id)) {
      this.#judgePassed(one, rows);
      this.#requireEndOfMembers(one, rows);
    }
    const byGroup = new Set(rows.filter((row) => this.#isByGroup(row)).map(({ channelId }) => channelId));
    const isRight = (expected: readonly number[]) =>
      told.every((id) => byGroup.has(id) || expected.includes(id)) &&
      told.every((id) => this.#isWithheld(id, endedAt) !== 'yes') &&
      expected.every((id) => told.includes(id) || this.#mayMissEnd(id, endedAt, toldByStep.has(id)));
    if (!possible.some(isRight))
      this.#fail(`channels [${told}] are told of its end, not [${possible.join('] or [')}]`);
    for (const row of rows) {
      const { uuid, channelId, createdAt } = row;
      if (!this.#mayWaitForEnd(channelId, endedAt, toldByStep.has(channelId), createdAt))
        this.#fail(`message ${uuid} about its end came late, at ${toIsoMicros(createdAt)}`);
      this.#judgeHours(row, endedAt);
      this.#judgeNews(row);
    }
  }

  /** A group passes the end on to each member at once, or when the hours of the member begin. */
  #requireEndOfMembers({ row, at: since }: Passed, rows: readonly DeliveryRow[]): void {
    const { slack, end, channels } = this.#history;
    for (const { id, kind } of channels) {
      if (kind === 'group' || this.#groups.isMember(id, row, since) !== 'yes') continue;
      if (this.#withHours.has(id) && !this.#hasHeard(id, since - slack)) continue;
      const isMeant = (at: Instant) =>
        this.#groups.isMember(id, row, at) === 'yes' &&
        (words(row.why).includes('step') || this.#isAssigned(row.channelId, since, at) === 'yes');
      const toldAt = rows.find(({ channelId }) => channelId === id)?.createdAt ?? end;
      if (this.#isOverdue(id, since, toldAt, isMeant))
        this.#fail(`member ${id} of ${row.channelId} should have been told of its end`);
    }
  }

  /** Whether it is too late by then for what was due to the channel since then, as long as it was meant for it. */
  #isOverdue(id: number, since: Instant, until: Instant, isMeant: (at: Instant) => boolean): boolean {
    const { lag } = this.#history;
    let dueFor = 0;
    for (let at = since; at < until && isMeant(at); at += STEP) {
      dueFor = !this.#isExcused(at) && this.#isOutside(id, at) === 'no' ? dueFor + STEP : 0;
      if (dueFor > lag) return true;
    }
    return false;
  }

  /** A member with hours that has not heard of the beginning hears nothing of what follows, unless it is assigned itself. */
  #judgeNews(row: DeliveryRow): void {
    const { uuid, channelId, createdAt } = row;
    if (this.#isAssigned(channelId, createdAt, createdAt) !== 'no') return;
    const isNews = followsFirst(row) && !this.#hasHeard(channelId, createdAt + this.#history.slack);
    if (isNews && this.#groups.isPassedOn(row) && this.#hasHoursAt(channelId, createdAt))
      this.#fail(`message ${uuid} is for a member that has not heard of the beginning`);
  }

  /** Whether the channel surely has hours then. */
  #hasHoursAt(id: number, at: Instant): boolean {
    return this.#possibleAt(at).every(({ alerting }) => hasHours(alerting, id));
  }

  /** Whether the channel waits for the beginning when the outage ends. */
  #isWithheld(id: number, endedAt: Instant): Answer {
    const { slack, versionsIn, alertingIn } = this.#history;
    if (!this.#withHours.has(id) || this.#toldAt === null || this.#hasHeard(id, endedAt + slack)) return 'no';
    const span = [this.#toldAt - slack, endedAt + slack] as const;
    const isNamed = combined(versionsIn(...span), alertingIn(...span)).some(({ rules }) =>
      (rules.then ?? []).some(({ tell }) => tell.some((uuid) => this.#idOf(uuid) === id)),
    );
    const byGroup = this.#isWithheldByGroup(id, endedAt);
    if (byGroup === 'yes') return 'yes';
    const wasMeant = this.#isAssigned(id, this.#toldAt, this.#toldAt);
    if (wasMeant === 'no') return isNamed ? 'unsure' : byGroup;
    return this.#isAssigned(id, this.#toldAt, endedAt) === 'yes' ? 'yes' : 'unsure';
  }

  /** Whether it waits since a group has passed the beginning on outside of its hours. It may wait for itself once it is assigned. */
  #isWithheldByGroup(id: number, endedAt: Instant): Answer {
    const { slack } = this.#history;
    return either(
      this.#groups.passedOf(this.#flip.id).map(({ row, at }): Answer => {
        const [isMember, isOutside] = [this.#groups.isMember(id, row, at), this.#isOutside(id, at)];
        if (row.ordinal > 0 || at > endedAt + slack || isMember === 'no' || isOutside === 'no') return 'no';
        const isSure =
          at < endedAt - slack &&
          isOutside === 'yes' &&
          this.#groups.isMember(id, row, endedAt) === 'yes' &&
          (wordsOf(row).includes('step') || this.#isAssigned(row.channelId, at, endedAt) === 'yes');
        if (isSure) return 'yes';
        return this.#isAssigned(id, at, endedAt) === 'no' ? 'no' : 'unsure';
      }),
    );
  }

  /** Whether a channel that nobody has told of the end may still wait for its hours, or must not hear of it. */
  #mayMissEnd(id: number, endedAt: Instant, isByStep: boolean): boolean {
    return this.#withHours.has(id) && this.#mayWaitForEnd(id, endedAt, isByStep, this.#history.end);
  }

  /** Whether a channel that nobody has told of the end by then may have waited for its hours, or must not hear of it. */
  #mayWaitForEnd(id: number, endedAt: Instant, isByStep: boolean, until: Instant): boolean {
    if (this.#isWithheld(id, endedAt) !== 'no') return true;
    const isMeant = (at: Instant) => isByStep || this.#isAssigned(id, endedAt, at) === 'yes';
    return !this.#isOverdue(id, endedAt, until, isMeant);
  }

  /** No message outside of the hours of its channel, nor right after a time in which nobody saw them begin. */
  #judgeHours(row: DeliveryRow, meantAt: Instant): void {
    const { uuid, channelId, createdAt, status, ordinal, why } = row;
    const { slack, switches } = this.#history;
    // One that is off waits for nothing.
    const mayBeOff = switches.wasPossiblyOff(channelId, createdAt - slack, createdAt + slack);
    if (this.#isOutside(channelId, createdAt) === 'yes' && !mayBeOff)
      this.#fail(`message ${uuid} came at ${toIsoMicros(createdAt)}, outside of the hours of its channel`);
    if (this.#groups.isPassedOn(row)) return;
    const hasWaited = status === 'up' || (ordinal === 0 && words(why).includes('assigned'));
    if (!hasWaited || createdAt <= meantAt + slack || this.#isOutside(channelId, meantAt) !== 'yes') return;
    let began = createdAt;
    while (began > meantAt && this.#isOutside(channelId, began) === 'no') began -= STEP;
    this.#requireRest(`message ${uuid}`, [began], createdAt);
  }

  /** Whether the channel was assigned all the time. */
  #isAssigned(id: number, from: Instant, until: Instant): Answer {
    const { slack, versionsIn } = this.#history;
    const versions = versionsIn(from - slack, until + slack);
    return agreed(versions.map(({ channelIds }) => sure(channelIds.includes(id))));
  }

  /** Whether the channel is never told of what begins outside of its hours, all the time. */
  #isDropping(id: number, from: Instant, until: Instant): Answer {
    if (!this.#withHours.has(id)) return 'no';
    const { slack, alertingIn } = this.#history;
    return agreed(alertingIn(from - slack, until + slack).map((alerting) => sure(isDropping(alerting, id))));
  }

  /** Whether that time is outside of the hours of the channel. */
  #isOutside(id: number, at: Instant): Answer {
    if (!this.#withHours.has(id)) return 'no';
    const { slack } = this.#history;
    return agreed(
      this.#possibleAt(at).flatMap(({ alerting }) =>
        [at - slack, at + slack].map((time) => sure(isOutside(alerting, id, time))),
      ),
    );
  }

  /** No message while something surely keeps it back. */
  #judgeRow(row: DeliveryRow): void {
    const { uuid, createdAt, why, status } = row;
    const { slack } = this.#history;
    const name = `message ${uuid} (${why})`;
    if (status !== 'down') this.#fail(`${name} says ${status}`);
    this.#judgeHours(row, this.#toldAt ?? createdAt);
    this.#judgeNews(row);
    // The message to the group is judged, however long it took to pass it on.
    if (this.#groups.isPassedOn(row)) return;
    if (createdAt < this.#flip.createdAt - slack) this.#fail(`${name} came before it`);
    if (createdAt > this.#until + slack) this.#fail(`${name} came after it was over`);
    if (this.#isShut(createdAt) === 'yes')
      this.#fail(`${name} came at ${toIsoMicros(createdAt)}, when it is held`);
  }

  /**
   * Those that are assigned when the gates open are told then, with those that a step adds at once. No others. Outside of its
   * hours a channel waits for them, or is never told.
   */
  #judgeFirsts(toldAt: Instant): void {
    const { slack } = this.#history;
    const assigned = this.#firsts.filter(({ why }) => words(why).includes('assigned'));
    for (const row of assigned) {
      const { createdAt, uuid, channelId, why } = row;
      if (Math.abs(createdAt - toldAt) <= slack || this.#groups.isPassedOn(row)) continue;
      const waited = this.#isByGroup(row) ? 'yes' : this.#isOutside(channelId, toldAt);
      if (waited === 'no') this.#fail(`message ${uuid} was not queued with the first ones`);
      const isDropped = waited === 'yes' && this.#isDropping(channelId, toldAt, createdAt) === 'yes';
      if (isDropped && !words(why).includes('step'))
        this.#fail(`message ${uuid} tells of what began outside of the hours of its channel`);
    }
    const atOnce = this.#firsts.filter(({ createdAt }) => Math.abs(createdAt - toldAt) <= slack);
    // A group may pass it on at that very time.
    const byGroup = new Set(
      atOnce.filter((row) => this.#groups.isPassedOn(row)).map(({ channelId }) => channelId),
    );
    const told = atOnce.map(({ channelId }) => channelId).sort((one, other) => one - other);
    const possible = this.#possibleAt(toldAt).map(({ version, rules }) => {
      const first = (rules.then ?? []).filter(({ after }) => after === 0).flatMap(({ tell }) => tell);
      const ids = [...version.channelIds, ...first.map((uuid) => this.#idOf(uuid))];
      return [...new Set(ids)].sort((one, other) => one - other);
    });
    const isRight = (expected: readonly number[]) =>
      told.every((id) => expected.includes(id) || byGroup.has(id)) &&
      expected.every((id) => told.includes(id) || this.#isOutside(id, toldAt) !== 'no');
    if (!possible.some(isRight))
      this.#fail(`channels [${told}] were told first, not [${possible.join('] or [')}]`);
  }

  /** Steps keep their times, as the rules of the time say. */
  #judgeSteps(toldAt: Instant): void {
    const { slack } = this.#history;
    const waits = this.#rulesAbout(toldAt).map(({ wait = 0 }) => wait);
    if (!waits.includes(0))
      this.#requireRest(
        'it',
        waits.map((wait) => this.#flip.createdAt + seconds(wait)),
        toldAt,
      );
    for (const row of this.#firsts) {
      const { channelId, createdAt, uuid } = row;
      if (wordsOf(row).includes('assigned') || this.#groups.isPassedOn(row)) continue;
      const dueAt = this.#rulesAbout(createdAt)
        .flatMap(stepsOf)
        .filter(({ tell }) => this.#idOf(tell) === channelId)
        .map(({ after }) => toldAt + seconds(after))
        .filter((at) => at <= createdAt + slack);
      if (dueAt.length === 0) this.#fail(`message ${uuid} is of no step, or came before it`);
      this.#requireRest(`message ${uuid}`, dueAt, createdAt);
    }
  }

  /** Repeats keep their times, as the rules of the time say, and there are not too many of them. */
  #judgeRepeats(toldAt: Instant): void {
    const { slack } = this.#history;
    let last = toldAt;
    for (const [index, repeat] of this.#furtherOf('again').entries()) {
      const { at } = repeat;
      const text = `the repeat of ${toIsoMicros(at)}`;
      const possible = this.#rulesAbout(at).filter((rules) => mostOf(rules) > index);
      if (possible.length === 0) this.#fail(`${text} was one too many`);
      const early = index === 0 ? 0 : KEEPS_RHYTHM;
      const dueAt = possible.map(({ again = 0 }) => last + seconds(again));
      if (dueAt.every((due) => at < due - early - slack)) this.#fail(`${text} came too early`);
      this.#requireRest(text, [...dueAt, ...dueAt.map((due) => due - early)], at);
      this.#judgeHearers(repeat, true);
      last = at;
    }
  }

  /** Each run that failed while it was told is told, if the rules of the time say so, and nothing else is. */
  #judgeFurtherFailures(toldAt: Instant): void {
    const { slack, lag, pings } = this.#history;
    const failures = pings.filter(({ signal }) => signal === 'fail');
    const told = this.#furtherOf('further_failure');
    for (const further of told) {
      const { at } = further;
      const name = `the further failure of ${toIsoMicros(at)}`;
      if (this.#rulesAbout(at).every(({ each_failure }) => each_failure !== true))
        this.#fail(`${name} is told, and no policy wants that`);
      const causes = failures.filter(({ createdAt }) => Math.abs(createdAt - at) <= slack);
      if (told.filter((other) => other.at === at).length > causes.length)
        this.#fail(`${name} is told, and no run failed then`);
      this.#judgeHearers(further, false);
    }
    for (const { createdAt: at, occurredAt } of failures) {
      const isTold = occurredAt === null && at > toldAt + lag + slack && at < this.#until - slack;
      if (!isTold || this.#isShut(at) !== 'no') continue;
      const isWanted = this.#rulesAbout(at).every(({ each_failure }) => each_failure === true);
      if (!isWanted || this.#hearers.at(at, false).length === 0) continue;
      const count = failures.filter(({ createdAt }) => createdAt === at).length;
      if (told.filter((further) => Math.abs(further.at - at) <= slack).length < count)
        this.#fail(`a run failed at ${toIsoMicros(at)}, and nobody is told of that`);
    }
  }

  /** All who hear it, and nobody else. */
  #judgeHearers({ ordinal, at, rows }: Further, isRepeat: boolean): void {
    for (const row of rows) {
      if (row.createdAt !== at) this.#fail(`message ${row.uuid} was not queued with the others like it`);
      const objection = this.#hearers.objectionTo(row);
      if (objection !== null) this.#fail(`message ${row.uuid} (${row.why}) ${objection}`);
    }
    // A message that was queued while the repeat was decided about may be open by then.
    const isAbout = (row: DeliveryRow) =>
      row.ordinal === ordinal || (isRepeat && row.createdAt >= at && row.createdAt <= at + this.#history.lag);
    const hasOne = (id: number) => this.#rows.some((row) => row.channelId === id && isAbout(row));
    const missing = this.#hearers.at(at, isRepeat).filter((id) => !hasOne(id));
    const what = isRepeat ? 'repeat' : 'further failure';
    if (missing.length > 0) this.#fail(`the ${what} of ${toIsoMicros(at)} is not for channels [${missing}]`);
  }

  /**
   * What was due while nobody watched does not come within minutes of the return. Such a time is on record from the last sign of
   * life on: what came before its end was told by somebody who still watched.
   */
  #requireRest(what: string, dueAt: readonly Instant[], at: Instant): void {
    const { slack } = this.#history;
    const isRash = this.#blindSpans.some(
      ({ from, until }) =>
        at > until - slack &&
        at < until + AFTER_BLINDNESS - slack &&
        dueAt.every((due) => due > from + slack && due < until - slack && this.#wasFree(due, at)),
    );
    if (isRash) this.#fail(`${what} was due while nobody watched, and was told at once on the return`);
  }

  /** Whether nothing kept it back all the time. */
  #wasFree(from: Instant, until: Instant): boolean {
    for (let at = from; at <= until; at += STEP) if (this.#isShut(at) !== 'no') return false;
    return true;
  }

  /** The repeats, or the further failures, in order. */
  #furtherOf(why: 'again' | 'further_failure'): Further[] {
    const rows = this.#rows.filter((row) => wordsOf(row).includes(why) && !this.#groups.isPassedOn(row));
    const byOrdinal = [...Map.groupBy(rows, ({ ordinal }) => ordinal)];
    return byOrdinal
      .map(([ordinal, own]) => ({ ordinal, at: own[0]?.createdAt ?? 0, rows: own }))
      .sort((one, other) => one.ordinal - other.ordinal);
  }

  /** It comes within the lag once it is due and nothing is in its way. */
  #require(what: string, at: Instant, isDue: boolean, isThere: () => boolean = () => false): void {
    if (!isDue) {
      this.#dueFor.delete(what);
      return;
    }
    const dueFor = (this.#dueFor.get(what) ?? 0) + STEP;
    this.#dueFor.set(what, dueFor);
    if (dueFor > this.#history.lag && !isThere())
      this.#fail(`${what} should have been told by ${toIsoMicros(at)}`);
  }

  /** Whether nobody may have watched then, or what was due then may still wait. */
  #isExcused(at: Instant): boolean {
    const { lag, slack } = this.#history;
    const covers = ({ from, until }: Gap, more: Micros) => at >= from - slack && at <= until + more + slack;
    return (
      this.#gaps.some((gap) => covers(gap, lag)) ||
      this.#blindSpans.some((span) => covers(span, AFTER_BLINDNESS + lag))
    );
  }

  /** Whether something keeps the outage from being told. */
  #isShut(at: Instant): Answer {
    const { slack } = this.#history;
    const isFirst = this.#toldAt === null || at < this.#toldAt + slack;
    const recovers = this.#isRecovering(at);
    return agreed(
      this.#possibleAt(at).flatMap(({ version: { check, taking }, rules, hours, quietTimes }) => {
        const isTaken = taking !== null && taking.flipId === this.#flip.id;
        const byParents = this.#history.parents.hold(check, this.#flip.createdAt, isFirst, at);
        const isSteady = isFirst && this.#isSteadySince(this.#badRuns.firstAt, at);
        return [at - slack, at + slack].map((time) =>
          either([
            recovers,
            sure(isTaken && time < (taking.acknowledgedUntilAt ?? Number.POSITIVE_INFINITY)),
            sure(time < (check.snoozedUntilAt ?? 0)),
            sure(isFirst && time < this.#flip.createdAt + seconds(rules.wait ?? 0)),
            sure(hours !== null && !isWithin(hours, time)),
            byParents,
            isFirst ? this.#badRuns.hold(rules, check, isSteady, time) : 'no',
            this.#isQuiet(check, quietTimes, time),
          ]),
        );
      }),
    );
  }

  #isSteadySince(from: Instant | null, at: Instant): boolean {
    if (from === null) return false;
    const { slack, versionsIn } = this.#history;
    const checks = versionsIn(from - slack, at + slack).map(({ check }) => check);
    return isSteadySince(checks, from);
  }

  /** Quiet times that may have covered the check. */
  #quietIn(from: Instant, until: Instant): TimeSpan[] {
    const { slack, versionsIn, alertingIn } = this.#history;
    const checks = versionsIn(from - slack, until + slack).map(({ check }) => check);
    return alertingIn(from - slack, until + slack).flatMap(({ quietTimes }) =>
      checks.flatMap((check) => quietSpans(quietTimes, check, { from, until })),
    );
  }

  /** A quiet time that began while perhaps nobody watched covers the check a little later. */
  #isQuiet(check: Check, quietTimes: readonly QuietRow[], at: Instant): Answer {
    const { lag, slack } = this.#history;
    const spans = quietSpans(quietTimes, check, { from: at, until: at });
    if (spans.length === 0) return 'no';
    const isBegun = spans.some(
      ({ from }) =>
        at > from + lag + slack && !this.#gaps.some((gap) => gap.until + lag + slack > from && gap.from < at),
    );
    return isBegun ? 'yes' : 'unsure';
  }

  /** All rules by which messages of that time may have been planned. It may take a while until they are written. */
  #rulesAbout(at: Instant): Rules[] {
    const { slack, lag, versionsIn, alertingIn } = this.#history;
    const span = [at - slack, at + lag] as const;
    return combined(versionsIn(...span), alertingIn(...span)).map(({ rules }) => rules);
  }

  #versionsAround(at: Instant): readonly Version[] {
    const { slack, versionsIn } = this.#history;
    return versionsIn(at - slack, at + slack);
  }

  #possibleAt(at: Instant): readonly Possible[] {
    if (at < this.#possible.from || at >= this.#possible.until) {
      const { slack, alertingIn } = this.#history;
      const list = combined(this.#versionsAround(at), alertingIn(at - slack, at + slack));
      const from = this.#edges.findLast((edge) => edge <= at) ?? Number.NEGATIVE_INFINITY;
      const until = this.#edges.find((edge) => edge > at) ?? Number.POSITIVE_INFINITY;
      this.#possible = { from, until, list };
    }
    return this.#possible.list;
  }

  #idOf(uuid: string): number {
    return this.#history.channels.find((channel) => channel.uuid === uuid)?.id ?? 0;
  }

  #fail(text: string): never {
    const { id, createdAt } = this.#flip;
    throw new Violation(`outage of flip ${id}, ${toIsoMicros(createdAt)}: ${text}`, this.#history.check.uuid);
  }
}

function combined(versions: readonly Version[], alertings: readonly AlertingVersion[]): Possible[] {
  return versions.flatMap((version) =>
    alertings.map((alerting) => {
      const rules = nearestRules(version.check, alerting);
      return {
        version,
        alerting,
        rules,
        hours: hoursFor(version.check, rules, alerting),
        quietTimes: alerting.quietTimes,
      };
    }),
  );
}

/** Outside of which the check is not told. Those of a tag are told at any time. */
function hoursFor({ tags }: Check, rules: Rules, { calendars }: AlertingVersion): Hours | null {
  const always = words(rules.always_tags ?? '');
  if (words(tags).some((tag) => always.includes(tag))) return null;
  return calendars.find(({ uuid }) => uuid === rules.hours) ?? null;
}

/** Those of the check's own policy, or of the first tag in the list that it has, or else the project's. */
function nearestRules({ policy, tags }: Check, { rules: listed, named }: AlertingVersion): Rules {
  const own = named.find(({ name }) => name === policy);
  if (policy !== '') return own === undefined ? {} : (JSON.parse(own.rules) as Rules);
  for (const { tag, rules } of listed)
    if (tag === null || words(tags).includes(tag)) return JSON.parse(rules) as Rules;
  return {};
}

/** The steps of all rules that counted at some time between. */
function stepsBetween(
  { versionsIn, alertingIn }: Pick<TellingHistory, 'versionsIn' | 'alertingIn'>,
  from: Instant,
  until: Instant,
): Step[] {
  const rules = combined(versionsIn(from, until), alertingIn(from, until)).map((possible) => possible.rules);
  const steps = rules.flatMap(stepsOf);
  return [...new Map(steps.map((step) => [JSON.stringify(step), step])).values()];
}

/** Each channel that a step of the rules tells. */
function stepsOf({ then = [] }: Rules): Step[] {
  return then.flatMap(({ after, tell }) => tell.map((uuid) => ({ after, tell: uuid })));
}

function hasStep(rules: Rules, { after, tell }: Step): boolean {
  return stepsOf(rules).some((one) => one.after === after && one.tell === tell);
}

/** Whether the message tells of the end, or is a repeat or a further failure. */
function followsFirst({ status, ordinal }: DeliveryRow): boolean {
  return status === 'up' || ordinal > 0;
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
