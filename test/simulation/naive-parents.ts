import type { Check } from '../../src/domain/check/check.ts';
import { listed } from '../../src/domain/check/check-links.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { type Answer, either } from './answer.ts';
import type { CheckVersions } from './check-versions.ts';
import type { PingRow } from './observed.ts';

/** A flip, and when it was seen in the database. Some tell of an earlier time. */
export interface SeenFlip {
  readonly flip: Flip;
  readonly recordedAt: Instant;
}

/** A check has so long to come up after those that it waited for. */
const RECOVERS: Micros = seconds(60);
/** A check with parents waits so long before it is first told. */
const LOOKS: Micros = seconds(30);
/** So long it may wait for one that is late. */
const SETTLES: Micros = seconds(300);
/** No run lasts longer. */
const RUNS_END: Micros = seconds(86_400);

/** Says whether a check waited for others that were down. */
export class NaiveParents {
  readonly #checks: CheckVersions;
  readonly #flipsOf: (uuid: string) => readonly SeenFlip[];
  readonly #pingsOf: (checkId: number) => readonly PingRow[];
  readonly #slack: Micros;
  readonly #lag: Micros;

  constructor(parts: {
    checks: CheckVersions;
    flipsOf: (uuid: string) => readonly SeenFlip[];
    pingsOf: (checkId: number) => readonly PingRow[];
    slack: Micros;
    lag: Micros;
  }) {
    this.#checks = parts.checks;
    this.#flipsOf = parts.flipsOf;
    this.#pingsOf = parts.pingsOf;
    this.#slack = parts.slack;
    this.#lag = parts.lag;
  }

  /** Whether an outage that began then is held at that time. `isFirst`: nobody has been told of it. */
  hold({ uuid, parents }: Check, beganAt: Instant, isFirst: boolean, at: Instant): Answer {
    const uuids = listed(parents).map((key) => this.#checks.uuidOf(key));
    if (uuids.length === 0) return 'no';
    const mayWait = isFirst && at < beganAt + SETTLES - this.#slack;
    const answer = either([
      isFirst ? this.#settles(uuids, beganAt, at) : 'no',
      ...uuids.map((parent) => this.#byParent(parent, beganAt, at, mayWait)),
    ]);
    if (answer !== 'yes') return answer;
    // Whoever decides reads a little later what it depends on.
    const soon = this.#checks.in(uuid, at, at + this.#lag + this.#slack);
    return soon.every(({ check }) => check.parents === parents) ? 'yes' : 'unsure';
  }

  /** Before it is first told, it waits until it is known whether its parents are down, too: longer if one of them is late. */
  #settles(uuids: readonly string[], beganAt: Instant, at: Instant): Answer {
    const slack = this.#slack;
    if (at < beganAt + LOOKS - slack) return uuids.some((uuid) => this.#isThere(uuid, at)) ? 'yes' : 'unsure';
    if (at > beganAt + SETTLES + slack) return 'no';
    const wereWell = at > beganAt + LOOKS + slack && uuids.every((uuid) => this.#wasWell(uuid, beganAt, at));
    return wereWell ? 'no' : 'unsure';
  }

  /** Whether it was surely not deleted by then. */
  #isThere(uuid: string, at: Instant): boolean {
    const deleted = this.#checks.deletionOf(uuid);
    return uuid !== '' && (deleted === null || at + this.#lag + this.#slack < deleted.since);
  }

  /** `mayWait`: one that is late holds it, too. */
  #byParent(uuid: string, beganAt: Instant, at: Instant, mayWait: boolean): Answer {
    const slack = this.#slack;
    if (mayWait && this.#wasLate(uuid, at)) return 'yes';
    const deleted = this.#checks.deletionOf(uuid);
    if (deleted !== null && at > deleted.seenAt + slack) return 'no';
    if (deleted !== null && at > deleted.since - this.#lag - slack) return 'unsure';
    if (this.#mayChange(uuid, at, at)) return 'unsure';
    const last = this.#flipsOf(uuid).findLast(({ recordedAt }) => recordedAt + slack <= at);
    if (last?.flip.newStatus === 'down') return 'yes';
    // One that came up before it, or that is paused, lets it be told at once.
    if (last?.flip.newStatus !== 'up' || last.flip.createdAt < beganAt) return 'no';
    if (at < last.flip.createdAt + RECOVERS - slack) return last.flip.oldStatus === 'down' ? 'yes' : 'unsure';
    return at <= last.recordedAt + RECOVERS + slack ? 'unsure' : 'no';
  }

  /** Whether its status may have changed in that span. */
  #mayChange(uuid: string, from: Instant, until: Instant): boolean {
    return this.#flipsOf(uuid).some(
      ({ flip, recordedAt }) =>
        recordedAt + this.#slack > from &&
        Math.min(flip.createdAt, recordedAt) - this.#lag - this.#slack <= until,
    );
  }

  /** Whether it was surely neither late nor down in that span: by its period alone, and without runs that had begun. */
  #wasWell(uuid: string, from: Instant, until: Instant): boolean {
    const slack = this.#slack;
    const deleted = this.#checks.deletionOf(uuid);
    if (deleted !== null) return from > deleted.seenAt + slack;
    const [version, ...others] = this.#checks.in(uuid, from - slack, until + slack);
    if (version === undefined || others.length > 0 || this.#mayChange(uuid, from, until)) return false;
    const { id, kind, runRules, timeoutSeconds } = version.check;
    const status = this.#flipsOf(uuid).findLast(({ recordedAt }) => recordedAt <= from)?.flip.newStatus;
    if (status === 'paused') return true;
    if (kind !== 'simple' || runRules !== '' || status !== 'up') return false;
    const signs = this.#pingsOf(id).filter(
      ({ signal, createdAt }) =>
        signal !== 'log' && signal !== 'ign' && createdAt > from - RUNS_END && createdAt <= until + slack,
    );
    const last = signs.findLast(({ createdAt }) => createdAt < from - slack);
    return (
      last?.signal === 'success' &&
      signs.every(({ signal, occurredAt }) => occurredAt === null && ['success', 'fail'].includes(signal)) &&
      until + slack < last.createdAt + seconds(timeoutSeconds)
    );
  }

  /** Whether it was surely late then: it went down afterwards since no run came, and nobody has changed it. */
  #wasLate(uuid: string, at: Instant): boolean {
    const flip = this.#flipsOf(uuid).find(({ recordedAt }) => recordedAt > at)?.flip;
    if (flip?.reason !== 'timeout' || flip.cause !== 'missed' || flip.oldStatus !== 'up') return false;
    const [version, ...others] = this.#checks.in(uuid, at - this.#slack, flip.createdAt + this.#slack);
    if (version === undefined || others.length > 0 || version.check.runRules !== '') return false;
    const lateFrom = flip.createdAt - seconds(version.check.graceSeconds);
    return at > lateFrom + this.#slack && at < flip.createdAt - this.#slack;
  }
}
