import type { ToldEvent } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { listed } from '../../src/domain/check/check-links.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { steadySpan } from '../../src/domain/check/status.ts';
import { FORETOLD_SPAN, MAX_FORETOLD } from '../../src/domain/policy/supposition.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createVault } from '../../src/lib/vault.ts';
import { type Actor, systemActor } from '../../src/services/core/actor.ts';
import { askWhy } from '../../src/services/history/why.ts';
import type { CheckVersions } from './check-versions.ts';
import type { Gap, Installation } from './installation.ts';
import type { Sent } from './jobs.ts';
import type { DeliveryRow, Observed, PingRow } from './observed.ts';
import type { Observer } from './observer.ts';
import type { AlertingVersion, PolicyOwner } from './policy-owner.ts';
import { SECRET } from './population.ts';
import type { Report } from './report.ts';
import type { Switches } from './switches.ts';
import type { Timeline } from './timeline.ts';
import { Violation } from './violation.ts';

/** So many pings are sent for each before which somebody asks. */
const PINGS_PER_QUESTION = 10;
/** The mean time between two other questions. */
const MEAN_SPAN: Micros = seconds(1800);
/** So long after a time in which nobody watched it is on record, and what was due meanwhile has been told. */
const SETTLES: Micros = seconds(660);
/** The time between a ping and its row. */
const WRITTEN_WITHIN: Micros = seconds(5);

/** It only reads. */
const VAULT = createVault(SECRET, systemRandom);

/** What happens, and by what it is known. */
type Supposed = { readonly event: ToldEvent; readonly at: Instant } & (
  | { readonly mark: string }
  /** Its deadline passes. */
  | { readonly mark: null }
);

/** A message, foretold or queued. */
interface Row {
  readonly at: Instant;
  readonly channelId: number;
  readonly status: string;
  readonly why: string;
}

/** A question with its answer, and what was so when it was asked. */
interface Asked {
  readonly at: Instant;
  readonly checkId: number;
  readonly uuid: string;
  /** Null: nothing happens. */
  readonly supposed: Supposed | null;
  /** The run that was under way, if it had a name. */
  readonly rid: string | null;
  readonly foretold: readonly Row[];
  /** Until when the answer says anything. */
  readonly until: Instant;
  readonly lastPing: number;
  readonly lastFlipId: number;
  readonly lastDeliveryId: number;
  /** The checks that it waits for. */
  readonly parents: readonly string[];
}

/** What has happened, by the ids of checks. */
export interface Course {
  readonly pings: ReadonlyMap<number, readonly PingRow[]>;
  readonly flips: ReadonlyMap<number, readonly Flip[]>;
  readonly deliveries: ReadonlyMap<number, readonly DeliveryRow[]>;
  readonly sent: readonly Sent[];
  readonly blindSpans: readonly Gap[];
  /** The most by which a row may be older or younger than what it tells of. */
  readonly slack: Micros;
  /** The longest delay in noticing anything while a node watches. */
  readonly lag: Micros;
  readonly end: Instant;
}

/** What was supposed, as it has happened. */
interface Happened {
  readonly at: Instant;
  /** The changes of status that are part of it. */
  readonly flips: ReadonlySet<number>;
}

/**
 * Asks the dry run who will be told of a check: before every tenth ping what that ping would bring, and now and then what comes
 * if nothing happens, or if the next deadline is missed. At the end the answers are held against what followed.
 *
 * An answer says what comes if nothing else happens. So it counts until something does: a ping or a change of the check, a change
 * of the checks that it waits for, by time too, another policy, hours or quiet times, or a time in which nobody watches. Repeats
 * leave out a channel that has an open message, and the dry run takes each message as delivered: where one was open when a repeat
 * was due, the repeats to that channel are left out. A channel that was switched meanwhile is left out.
 */
export class DryRuns {
  readonly #timeline: Timeline;
  readonly #installation: Installation;
  readonly #observed: Observed;
  readonly #observer: Observer;
  readonly #versions: CheckVersions;
  readonly #policies: PolicyOwner;
  readonly #switches: Switches;
  readonly #chance: Chance;
  readonly #actor: Actor;
  readonly #asked: Asked[] = [];
  /** Questions that pings wait for. */
  #wanted: { readonly uuid: string; readonly supposed: Supposed; readonly done: () => void }[] = [];
  #pings = 0;
  #nextAt: Instant;

  constructor(parts: {
    timeline: Timeline;
    installation: Installation;
    observed: Observed;
    observer: Observer;
    versions: CheckVersions;
    policies: PolicyOwner;
    switches: Switches;
    chance: Chance;
    projectId: number;
  }) {
    this.#timeline = parts.timeline;
    this.#installation = parts.installation;
    this.#observed = parts.observed;
    this.#observer = parts.observer;
    this.#versions = parts.versions;
    this.#policies = parts.policies;
    this.#switches = parts.switches;
    this.#chance = parts.chance;
    this.#actor = systemActor(parts.projectId);
    this.#nextAt = parts.timeline.now;
  }

  /** A ping is about to be sent. Resolves when it may. */
  async beforePing(uuid: string, { signal }: Report, mark: string): Promise<void> {
    if (signal !== 'success' && signal !== 'fail') return;
    if (++this.#pings % PINGS_PER_QUESTION !== 0) return;
    const event = signal === 'success' ? 'up' : 'down_fail';
    await new Promise<void>((done) => {
      this.#wanted.push({ uuid, supposed: { event, at: this.#timeline.now, mark }, done });
    });
  }

  /** Asks what is to be asked now, while everything stands still. Returns whether somebody has waited for it. */
  async ask(): Promise<boolean> {
    const wanted = this.#wanted;
    this.#wanted = [];
    for (const { uuid, supposed, done } of wanted) {
      await this.#askAbout(uuid, supposed);
      done();
    }
    const { now } = this.#timeline;
    if (now >= this.#nextAt && this.#versions.uuids.length > 0) {
      this.#nextAt = now + this.#chance.wait(MEAN_SPAN);
      await this.#askAboutAny();
    }
    return wanted.length > 0;
  }

  async #askAboutAny(): Promise<void> {
    const chance = this.#chance;
    const down = await this.#observed.down();
    const uuid = chance.pick(down.length > 0 && chance.happens(0.7) ? down : this.#versions.uuids);
    const deadline = (await this.#checkOf(uuid))?.deadlineAt ?? null;
    const supposed =
      deadline === null ? null : ({ event: 'down_timeout', at: deadline, mark: null } as const);
    await this.#askAbout(uuid, supposed);
  }

  async #checkOf(uuid: string): Promise<Check | null> {
    const id = this.#versions.latestOf(uuid)?.check.id;
    return id === undefined ? null : this.#observed.check(id);
  }

  async #askAbout(uuid: string, supposed: Supposed | null): Promise<void> {
    const { now } = this.#timeline;
    const { watchedSince, isDatabaseAway } = this.#installation;
    const isSteady = watchedSince !== null && now - watchedSince > SETTLES && !isDatabaseAway;
    const check = await this.#checkOf(uuid);
    if (!isSteady || check === null || check.status === 'paused') return;
    if (this.#versions.of(uuid).changingSince !== null) return;
    // It is about to go down for another reason.
    if ((check.deadlineAt ?? Number.POSITIVE_INFINITY) < now + WRITTEN_WITHIN) return;
    const deps = { store: this.#observed.store, vault: VAULT, clock: { now: () => now } };
    const isMissed = supposed !== null && supposed.mark === null;
    const supposition = supposed && { event: supposed.event, at: isMissed ? null : supposed.at };
    const { why, supposed: taken } = await askWhy(deps, this.#actor, check, supposition);
    const foretold = why.messages.map(({ at, recipient, status, because }) => {
      return { at, channelId: recipient.id, status, why: because.join(' ') };
    });
    const parents = listed(check.parents).map((key) => this.#versions.uuidOf(key));
    const flips = await this.#observed.flipsOf(check.id);
    this.#asked.push({
      ...{ at: now, checkId: check.id, uuid, rid: check.lastStartRid, foretold, parents },
      supposed: supposed && { ...supposed, at: taken?.at ?? supposed.at },
      until: Math.min(
        Math.max(now, taken?.at ?? now) + FORETOLD_SPAN,
        foretold.length < MAX_FORETOLD ? Number.POSITIVE_INFINITY : (foretold.at(-1)?.at ?? now),
        ...(await this.#steadyUntil(parents)),
      ),
      lastPing: check.pingCount,
      lastFlipId: flips.at(-1)?.id ?? 0,
      lastDeliveryId: await this.#observed.lastDeliveryId(),
    });
  }

  /** Until when the status of each of these checks stays, if nothing happens to it. */
  async #steadyUntil(uuids: readonly string[]): Promise<Instant[]> {
    const checks = await Promise.all(uuids.map((uuid) => this.#checkOf(uuid)));
    const { now } = this.#timeline;
    return checks.map((check) => (check === null ? now : steadySpan(check, now).until));
  }

  /** Returns how many answers could be held against what followed. */
  judge(course: Course): number {
    return this.#asked.filter((asked) => this.#isJudged(asked, course)).length;
  }

  /** Throws if the answer was wrong. Returns whether anything could be said of it. */
  #isJudged(asked: Asked, course: Course): boolean {
    // The rows of a check that was deleted are gone.
    if (this.#versions.deletionOf(asked.uuid) !== null) return false;
    const happened = this.#happened(asked, course);
    if (happened === null) return false;
    const until = Math.min(...this.#ends(asked, happened, course)) - course.slack;
    const used = new Set(this.#policies.alertingIn(asked.at, asked.at).map(({ isUsed }) => isUsed));
    if (until <= happened.at || used.size !== 1) return false;
    const isUsed = used.has(true);
    const deliveries = course.deliveries.get(asked.checkId) ?? [];
    const followed = deliveries
      .filter(
        ({ id, state, createdAt }) => id > asked.lastDeliveryId && state !== 'skipped' && createdAt < until,
      )
      .map(({ createdAt, channelId, status, why }) => {
        return { at: createdAt, channelId, status, why: withoutCollecting(why) };
      });
    const keyOf = ({ channelId, status, why }: Row) => `${channelId} ${status} ${isUsed ? why : ''}`;
    const foretold = Map.groupBy(asked.foretold, keyOf);
    const rows = Map.groupBy(followed, keyOf);
    for (const key of new Set([...foretold.keys(), ...rows.keys()])) {
      const [one] = foretold.get(key) ?? rows.get(key) ?? [];
      if (one === undefined || this.#isLeftOut(one, asked, foretold.get(key) ?? [], deliveries, until))
        continue;
      if (!agree(foretold.get(key) ?? [], rows.get(key) ?? [], until, course))
        this.#fail(asked, followed, until);
    }
    return true;
  }

  /** Null: what was supposed did not happen, or not as it was. */
  #happened(asked: Asked, { pings, flips }: Course): Happened | null {
    const { supposed, checkId, at, lastFlipId } = asked;
    if (supposed === null) return { at, flips: new Set() };
    const newer = (flips.get(checkId) ?? []).filter(({ id }) => id > lastFlipId);
    if (supposed.mark === null) {
      const [flip] = newer;
      const isIt = flip?.reason === 'timeout' && flip.createdAt === supposed.at;
      return isIt ? { at: flip.createdAt, flips: new Set([flip.id]) } : null;
    }
    const ping = pings.get(checkId)?.find(({ mark }) => mark === supposed.mark);
    if (ping === undefined || Math.abs(ping.createdAt - at) > WRITTEN_WITHIN) return null;
    const own = newer.filter(({ createdAt }) => createdAt === ping.createdAt);
    const signal = supposed.event === 'up' ? 'success' : 'fail';
    if (ping.signal !== signal || own.some(({ reason }) => reason === 'timeout')) return null;
    // What is supposed to fail is the run that is under way.
    if (signal === 'fail' && ping.rid !== asked.rid) return null;
    return { at: ping.createdAt, flips: new Set(own.map(({ id }) => id)) };
  }

  /** When the answer does not count any more, for each reason. What happened at the moment of the question may have come after it. */
  #ends(asked: Asked, happened: Happened, { pings, flips, sent, blindSpans, end }: Course): Instant[] {
    const { at, checkId, uuid, supposed, parents } = asked;
    const changed = [uuid, ...parents].flatMap((one) => this.#versions.in(one, at, Number.POSITIVE_INFINITY));
    const [first, ...others] = this.#policies.alertingIn(at, Number.POSITIVE_INFINITY);
    return [
      ...[asked.until, end],
      ...(pings.get(checkId) ?? [])
        .filter(({ n, mark, signal }) => n > asked.lastPing && mark !== supposed?.mark && isSign(signal))
        .map(({ createdAt }) => createdAt),
      ...(flips.get(checkId) ?? [])
        .filter(({ id }) => id > asked.lastFlipId && !happened.flips.has(id))
        .map(({ id, createdAt }) => this.#observer.recordedAt.get(id) ?? createdAt),
      ...changed.filter(({ seenAt }) => seenAt >= at).map(({ since }) => since),
      ...others.filter((other) => contentOf(other) !== contentOf(first)).map(({ since }) => since),
      ...parents.flatMap((parent) => [
        this.#versions.deletionOf(parent)?.since ?? end,
        ...this.#observer
          .flipsOf(parent)
          .map(({ recordedAt }) => recordedAt)
          .filter((recordedAt) => recordedAt >= at),
        ...sent
          .filter((one) => one.checkUuid === parent && (one.acknowledgedAt ?? one.at + seconds(60)) >= at)
          .map((one) => one.at),
      ]),
      ...[...this.#installation.gaps, ...blindSpans].filter((gap) => gap.until > at).map(({ from }) => from),
    ];
  }

  /** Whether nobody could foretell such messages. */
  #isLeftOut(
    { channelId, why }: Row,
    asked: Asked,
    foretold: readonly Row[],
    deliveries: readonly DeliveryRow[],
    until: Instant,
  ): boolean {
    const own = deliveries.filter((row) => row.channelId === channelId);
    // What waited for a provider in trouble is skipped, too, if the channel is switched off meanwhile.
    const settled = own
      .filter(({ id, createdAt }) => id > asked.lastDeliveryId && createdAt < until)
      .map(({ finishedAt }) => finishedAt ?? until);
    const span = [asked.at - seconds(120), Math.max(until, ...settled) + seconds(120)] as const;
    const switches = this.#switches;
    if (switches.wasPossiblyOff(channelId, ...span) && !switches.wasSurelyOff(channelId, ...span))
      return true;
    // Only when a group has passed its message on it is known to whom.
    const alertings = this.#policies.alertingIn(asked.at, until);
    if (alertings.some(({ groups }) => groups.some(({ members }) => members.includes(channelId))))
      return true;
    if (why !== 'again') return false;
    // What was skipped at once was never open.
    const sent = own.filter(({ createdAt, finishedAt }) => finishedAt !== createdAt);
    // A node whose clock is ahead may have dated a message that was there already.
    const isThere = ({ id, createdAt }: DeliveryRow, at: Instant) =>
      createdAt <= at || id <= asked.lastDeliveryId;
    return [asked.at, ...foretold.map(({ at }) => at)].some((at) =>
      sent.some((row) => isThere(row, at) && (row.finishedAt ?? until) >= at),
    );
  }

  #fail({ at, uuid, supposed, foretold }: Asked, followed: readonly Row[], until: Instant): never {
    const what = supposed === null ? 'nothing happens' : `${supposed.event} at ${toIsoMicros(supposed.at)}`;
    const text = (rows: readonly Row[]) =>
      rows
        .filter((row) => row.at < until)
        .map((row) => `${toIsoMicros(row.at)} ${row.status} to ${row.channelId} (${row.why})`)
        .join(', ') || 'nothing';
    throw new Violation(
      `asked at ${toIsoMicros(at)}, the dry run said that if ${what}, until ${toIsoMicros(until)} comes: ${text(foretold)}; there came: ${text(followed)}`,
      uuid,
      until,
    );
  }
}

/** Whether the pings that follow change anything. */
function isSign(signal: string): boolean {
  return signal !== 'log' && signal !== 'ign';
}

/** Whether it is told by itself or with others is decided by what is told of other checks. */
function withoutCollecting(why: string): string {
  return why
    .split(' ')
    .filter((word) => word !== 'together')
    .join(' ');
}

function contentOf(version: AlertingVersion | undefined): string {
  // What is told together is told by somebody all the same.
  return JSON.stringify({ ...version, tagsAsOne: null, since: null, seenAt: null });
}

/** Whether messages of one sort came as they were foretold, one after the other. Those close to the end may have come or not. */
function agree(
  foretold: readonly Row[],
  followed: readonly Row[],
  until: Instant,
  { slack, lag }: Course,
): boolean {
  // The first message may be late, and what counts from it, too.
  const late = 2 * lag + slack;
  const isIt = (one: Row, other: Row) => other.at >= one.at - slack && other.at <= one.at + late;
  const areThere = foretold.every((one, index) => {
    const row = followed[index];
    return row === undefined ? one.at + late >= until : isIt(one, row);
  });
  return areThere && followed.every((row, index) => index < foretold.length || row.at >= until);
}
