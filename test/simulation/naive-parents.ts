import type { Check } from '../../src/domain/check/check.ts';
import { listed } from '../../src/domain/check/check-links.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { type Answer, either } from './answer.ts';
import type { CheckVersions } from './check-versions.ts';

/** A flip, and when it was seen in the database. Some tell of an earlier time. */
export interface SeenFlip {
  readonly flip: Flip;
  readonly recordedAt: Instant;
}

/** A check has so long to come up after those that it waited for. */
const RECOVERS: Micros = seconds(60);
/** A check with parents may wait so long before it is first told, until it is known whether they are down, too. */
const SETTLES: Micros = seconds(300);

/** Says whether a check waited for others that were down. */
export class NaiveParents {
  readonly #checks: CheckVersions;
  readonly #flipsOf: (uuid: string) => readonly SeenFlip[];
  readonly #slack: Micros;
  readonly #lag: Micros;

  constructor(parts: {
    checks: CheckVersions;
    flipsOf: (uuid: string) => readonly SeenFlip[];
    slack: Micros;
    lag: Micros;
  }) {
    this.#checks = parts.checks;
    this.#flipsOf = parts.flipsOf;
    this.#slack = parts.slack;
    this.#lag = parts.lag;
  }

  /** Whether an outage that began then is held at that time. `isFirst`: nobody has been told of it. */
  hold({ parents }: Check, beganAt: Instant, isFirst: boolean, at: Instant): Answer {
    const uuids = listed(parents).map((key) => this.#checks.uuidOf(key));
    if (uuids.length === 0) return 'no';
    const settles: Answer = isFirst && at < beganAt + SETTLES + this.#slack ? 'unsure' : 'no';
    return either([
      settles,
      ...uuids.map((uuid) => this.#byParent(uuid, at, isFirst && at < beganAt + SETTLES - this.#slack)),
    ]);
  }

  /** `mayWait`: one that is late holds it, too. */
  #byParent(uuid: string, at: Instant, mayWait: boolean): Answer {
    const slack = this.#slack;
    if (mayWait && this.#wasLate(uuid, at)) return 'yes';
    const deleted = this.#checks.deletionOf(uuid);
    if (deleted !== null && at > deleted.seenAt + slack) return 'no';
    if (deleted !== null && at > deleted.since - slack) return 'unsure';
    const flips = this.#flipsOf(uuid);
    const isAbout = ({ flip, recordedAt }: SeenFlip) =>
      recordedAt + slack > at && Math.min(flip.createdAt, recordedAt) - this.#lag - slack <= at;
    if (flips.some(isAbout)) return 'unsure';
    const last = flips.findLast(({ recordedAt }) => recordedAt + slack <= at);
    if (last === undefined) return 'no';
    if (last.flip.newStatus === 'down') return 'yes';
    return at <= last.recordedAt + RECOVERS + slack ? 'unsure' : 'no';
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
