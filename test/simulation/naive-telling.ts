import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { type Answer, agreed, either, sure } from './answer.ts';
import type { Version } from './check-versions.ts';
import type { Gap } from './installation.ts';
import { isTold } from './naive.ts';
import { NaiveBadRuns, type Threshold } from './naive-bad-runs.ts';
import { type Hours, isWithin } from './naive-hours.ts';
import type { NaiveParents } from './naive-parents.ts';
import { type QuietRow, quietSpans } from './naive-quiet.ts';
import type { DeliveryRow, OutageRow, PingRow } from './observed.ts';
import type { AlertingVersion } from './policy-owner.ts';
import type { Switches } from './switches.ts';
import { Violation } from './violation.ts';

/** The rules of a policy, as they are stored. */
interface Rules extends Threshold {
  readonly wait?: number;
  /** The UUID of a calendar. */
  readonly hours?: string;
  readonly always_tags?: string;
  readonly again?: number;
  readonly again_most?: number;
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
/** A repeat that is so late keeps the rhythm, and may be followed so much sooner by the next. */
const KEEPS_RHYTHM: Micros = seconds(60);

/** An outage of the check, from one flip to the next. */
interface Span {
  readonly flip: Flip;
  /** The flip that ended it; null: it lasts. */
  readonly next: Flip | null;
}

/** Looks whether the right channels were told of the outages of the check, and none too early, too late or in vain. */
export function judgeTelling(history: TellingHistory): void {
  const { check, flips, outages, deliveries, slack } = history;
  // A check that its owner does not know of: nobody answered when it was made.
  if (history.versionsIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY).length === 0) return;
  const rows = Map.groupBy(deliveries, ({ flipId }) => flipId);
  for (const [index, flip] of flips.entries()) {
    const next = flips[index + 1] ?? null;
    const outage = outages.find(({ flipId }) => flipId === flip.id) ?? null;
    const at = history.recordedAt(flip);
    const alerting = history.alertingIn(at - slack, at + slack);
    const isPlanned = alerting.every(({ isUsed }) => isUsed);
    const mayBePlanned = alerting.some(({ isUsed }) => isUsed);
    if (flip.newStatus !== 'down' || !isTold(flip)) {
      if (outage !== null) throw new Violation(`flip ${flip.id} is no failure and has an outage`, check.uuid);
      continue;
    }
    if (isPlanned && outage === null) throw new Violation(`flip ${flip.id} has no outage`, check.uuid);
    if (outage === null) continue;
    if ((outage.endedAt === null) !== (next === null))
      throw new Violation(
        `the outage of flip ${flip.id} ${next === null ? 'is over, and it is down' : 'is still open'}`,
        check.uuid,
      );
    if (!mayBePlanned && !wasAnswered(history, flip, next))
      throw new Violation(`flip ${flip.id} has an outage, and nobody has used any`, check.uuid);
    const telling = new NaiveTelling(history, { flip, next }, outage, rows.get(flip.id) ?? []);
    if (isPlanned) telling.replay();
    if (isPlanned && next !== null) telling.judgeEnd(rows.get(next.id) ?? []);
  }
}

/** Whether an outage that began before the project used anything may have been acknowledged. */
function wasAnswered({ versionsIn, end }: TellingHistory, flip: Flip, next: Flip | null): boolean {
  return versionsIn(flip.createdAt, next?.createdAt ?? end).length > 1;
}

/** What people may have made of the check and its project at a time, each possibility with its policy. */
interface Possible {
  readonly version: Version;
  readonly rules: Rules;
  /** Null: always. */
  readonly hours: Hours | null;
  readonly quietTimes: readonly QuietRow[];
}

/** Follows one outage step by step, with what people have made of the check and its project at that time. */
class NaiveTelling {
  readonly #history: TellingHistory;
  readonly #flip: Flip;
  readonly #next: Flip | null;
  readonly #until: Instant;
  readonly #toldAt: Instant | null;
  readonly #rows: readonly DeliveryRow[];
  readonly #firsts: readonly DeliveryRow[];
  #possible: { from: Instant; until: Instant; list: readonly Possible[] } = { from: 1, until: 0, list: [] };
  readonly #badRuns: NaiveBadRuns;
  readonly #edges: readonly Instant[];
  readonly #gaps: readonly Gap[];
  readonly #blindSpans: readonly Gap[];
  /** How long something has surely been due with nothing in its way, by what it is. */
  readonly #dueFor = new Map<string, number>();

  constructor(
    history: TellingHistory,
    { flip, next }: Span,
    outage: OutageRow,
    rows: readonly DeliveryRow[],
  ) {
    this.#history = history;
    this.#flip = flip;
    this.#next = next;
    this.#until = next?.createdAt ?? history.end;
    this.#toldAt = outage.toldAt;
    this.#badRuns = new NaiveBadRuns(flip, this.#until, history);
    this.#rows = rows;
    this.#firsts = rows.filter(({ ordinal }) => ordinal === 0);
    const { slack } = history;
    const ever: [Instant, Instant] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    this.#edges = [...history.versionsIn(...ever), ...history.alertingIn(...ever)]
      .flatMap(({ since, seenAt }) => [since - slack, seenAt + slack + 1])
      .sort((one, other) => one - other);
    const concerns = (gap: Gap) => gap.until > flip.createdAt - seconds(3600) && gap.from < this.#until;
    this.#gaps = history.gaps.filter(concerns);
    this.#blindSpans = history.blindSpans.filter(concerns);
  }

  replay(): void {
    for (const row of this.#rows) this.#judgeRow(row);
    const rules = this.#steadyRules();
    if (this.#toldAt !== null) this.#judgeFirsts(this.#toldAt);
    if (this.#toldAt !== null && rules !== null) this.#judgeTimes(this.#toldAt, rules);
    const repeats = rules === null ? null : new Repeats(rules, this.#toldAt ?? 0, this.#again());
    for (let at = this.#history.recordedAt(this.#flip); at < this.#until; at += STEP) {
      const isFree = !this.#isExcused(at) && this.#isShut(at) === 'no';
      if (this.#toldAt === null || at < this.#toldAt) {
        this.#require('it', at, isFree);
        continue;
      }
      if (rules === null || repeats === null) continue;
      for (const { after, tell } of rules.then ?? [])
        for (const uuid of tell)
          this.#require(`step ${after} to ${uuid}`, at, isFree && at >= this.#toldAt + seconds(after), () =>
            this.#firsts.some(
              ({ channelId, createdAt }) => channelId === this.#idOf(uuid) && createdAt <= at,
            ),
          );
      repeats.passTo(at);
      const isDue = repeats.isDue(at);
      const isHeard = isDue && this.#isHeard(at, repeats.lastAt);
      // One that nobody hears leaves no trace.
      if (isDue && !isHeard && this.#isShut(at) !== 'yes') repeats.lose();
      this.#require(`repeat after ${toIsoMicros(repeats.lastAt)}`, at, isFree && isHeard);
    }
  }

  /** Whoever heard the beginning hears the end, with those that are assigned. */
  judgeEnd(rows: readonly DeliveryRow[]): void {
    const end = this.#next;
    if (end === null) return;
    const told = rows.map(({ channelId }) => channelId).sort((one, other) => one - other);
    if (end.newStatus !== 'up' || this.#toldAt === null) {
      if (told.length > 0) this.#fail(`channels [${told}] are told of an end that nobody should hear`);
      return;
    }
    const bySteps = this.#firsts.filter(({ why }) => words(why).includes('step'));
    const possible = this.#versionsAround(this.#history.recordedAt(end)).map(({ channelIds }) =>
      [...new Set([...channelIds, ...bySteps.map(({ channelId }) => channelId)])].sort(
        (one, other) => one - other,
      ),
    );
    if (!possible.some((expected) => String(expected) === String(told)))
      this.#fail(`channels [${told}] are told of its end, not [${possible.join('] or [')}]`);
  }

  /** No message while something surely keeps it back. */
  #judgeRow({ uuid, createdAt, why, status }: DeliveryRow): void {
    const { slack } = this.#history;
    const name = `message ${uuid} (${why})`;
    if (status !== 'down') this.#fail(`${name} says ${status}`);
    if (createdAt < this.#flip.createdAt - slack) this.#fail(`${name} came before it`);
    if (createdAt > this.#until + slack) this.#fail(`${name} came after it was over`);
    if (why === 'further_failure' && !this.#badRuns.hasFailure(createdAt, slack))
      this.#fail(`${name} came at ${toIsoMicros(createdAt)}, when no run failed`);
    if (this.#isShut(createdAt) === 'yes')
      this.#fail(`${name} came at ${toIsoMicros(createdAt)}, when it is held`);
  }

  /** Those that are assigned when the gates open are told then, with those that a step adds at once. No others. */
  #judgeFirsts(toldAt: Instant): void {
    const { slack } = this.#history;
    const assigned = this.#firsts.filter(({ why }) => words(why).includes('assigned'));
    for (const { createdAt, uuid } of assigned)
      if (Math.abs(createdAt - toldAt) > slack)
        this.#fail(`message ${uuid} was not queued with the first ones`);
    const told = this.#firsts
      .filter(({ createdAt }) => Math.abs(createdAt - toldAt) <= slack)
      .map(({ channelId }) => channelId)
      .sort((one, other) => one - other);
    const possible = this.#possibleAt(toldAt).map(({ version, rules }) => {
      const first = (rules.then ?? []).filter(({ after }) => after === 0).flatMap(({ tell }) => tell);
      const ids = [...version.channelIds, ...first.map((uuid) => this.#idOf(uuid))];
      return String([...new Set(ids)].sort((one, other) => one - other));
    });
    if (!possible.includes(String(told)))
      this.#fail(`channels [${told}] were told first, not [${possible.join('] or [')}]`);
  }

  /** Steps and repeats keep their times. */
  #judgeTimes(toldAt: Instant, { wait = 0, again = 0, again_most = 48, then = [] }: Rules): void {
    const { slack } = this.#history;
    if (wait > 0) this.#requireRest('it', [this.#flip.createdAt + seconds(wait)], toldAt);
    for (const { channelId, createdAt, why, uuid } of this.#firsts) {
      if (words(why).includes('assigned')) continue;
      const dueAt = then
        .filter(({ tell }) => tell.some((one) => this.#idOf(one) === channelId))
        .map(({ after }) => toldAt + seconds(after))
        .filter((at) => at <= createdAt + slack);
      if (dueAt.length === 0) this.#fail(`message ${uuid} is of no step, or came before it`);
      this.#requireRest(`message ${uuid}`, dueAt, createdAt);
    }
    let last = toldAt;
    const times = this.#again();
    if (times.length > again_most || (again === 0 && times.length > 0))
      this.#fail(`it was repeated ${times.length} times`);
    for (const [index, at] of times.entries()) {
      const dueAt = last + seconds(again) - (index === 0 ? 0 : KEEPS_RHYTHM);
      const text = `the repeat of ${toIsoMicros(at)}`;
      if (at < dueAt - slack) this.#fail(`${text} came too early`);
      this.#requireRest(text, [dueAt, last + seconds(again)], at);
      last = at;
    }
  }

  /** What was due while nobody watched does not come within minutes of the return. */
  #requireRest(what: string, dueAt: readonly Instant[], at: Instant): void {
    const { slack } = this.#history;
    const isRash = this.#blindSpans.some(
      ({ from, until }) =>
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

  /** The times of repeats, in order. */
  #again(): Instant[] {
    const rows = this.#rows.filter(({ why }) => why === 'again');
    return [...new Set(rows.map(({ createdAt }) => createdAt))];
  }

  /** Whether somebody surely hears a repeat at that time: told long ago, not off, and with no open message. */
  #isHeard(at: Instant, lastAt: Instant): boolean {
    const { slack, lag, switches } = this.#history;
    const from = at - lag - slack;
    const latest = this.#possibleAt(at);
    return this.#firsts.some(({ channelId, createdAt, why }) => {
      const isHearing =
        words(why).includes('step') || latest.every(({ version }) => version.channelIds.includes(channelId));
      const own = this.#rows.filter((row) => row.channelId === channelId && row.createdAt <= at);
      const areClosed = own.every(({ finishedAt }) => finishedAt !== null && finishedAt < from);
      return (
        isHearing &&
        areClosed &&
        createdAt < Math.min(from, lastAt + lag) &&
        !switches.wasPossiblyOff(channelId, lastAt - seconds(120), at + seconds(120))
      );
    });
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
    return agreed(
      this.#possibleAt(at).flatMap(({ version: { check, taking }, rules, hours, quietTimes }) => {
        const isTaken = taking !== null && taking.flipId === this.#flip.id;
        const byParents = this.#history.parents.hold(check, this.#flip.createdAt, isFirst, at);
        const isSteady = this.#isSteadySince(this.#badRuns.lastGoodAt, at);
        return [at - slack, at + slack].map((time) =>
          either([
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
    const { slack, versionsIn } = this.#history;
    return from !== null && versionsIn(from - slack, at + slack).length === 1;
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

  /** The rules, if they were the same all the time. */
  #steadyRules(): Rules | null {
    const { slack, versionsIn, alertingIn } = this.#history;
    const span = [this.#flip.createdAt - slack, this.#until + slack] as const;
    const [first, ...others] = combined(versionsIn(...span), alertingIn(...span)).map(({ rules }) => rules);
    const text = JSON.stringify(first);
    return first !== undefined && others.every((other) => JSON.stringify(other) === text) ? first : null;
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

/** The repeats of an outage. */
class Repeats {
  readonly #period: Micros;
  readonly #most: number;
  readonly #toldAt: Instant;
  readonly #times: readonly Instant[];
  #passed = 0;
  /** How many there may have been, also without a trace. */
  #possible = 0;
  /** Whether one may have been lost since the last that left a trace. */
  #isLost = false;

  constructor({ again = 0, again_most = 48 }: Rules, toldAt: Instant, times: readonly Instant[]) {
    this.#period = seconds(again);
    this.#most = again_most;
    this.#toldAt = toldAt;
    this.#times = times;
  }

  passTo(at: Instant): void {
    for (; (this.#times[this.#passed] ?? Number.POSITIVE_INFINITY) <= at; this.#passed++)
      this.#isLost = false;
    while (this.#period > 0 && this.#toldAt + this.#period * (this.#possible + 1) <= at) this.#possible++;
  }

  lose(): void {
    this.#isLost = true;
  }

  /** The last repeat, or the first message. */
  get lastAt(): Instant {
    return this.#times[this.#passed - 1] ?? this.#toldAt;
  }

  /** Whether one is surely due. */
  isDue(at: Instant): boolean {
    const areLeft = this.#period > 0 && this.#possible <= this.#most;
    return areLeft && !this.#isLost && at >= this.lastAt + this.#period;
  }
}

function combined(versions: readonly Version[], alertings: readonly AlertingVersion[]): Possible[] {
  return versions.flatMap((version) =>
    alertings.map((alerting) => {
      const rules = nearestRules(version.check, alerting);
      return {
        version,
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

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
