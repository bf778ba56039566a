import type { Disk } from '../../domain/growth.ts';
import {
  type Ailment,
  ailmentsOf,
  alertsStoppedFor,
  type Backlog,
  type Lateness,
  type Measurements,
} from '../../domain/vitals.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { SharedAnswer, within } from '../../lib/shared-answer.ts';
import type { HeldBack } from '../../storage/store.ts';
import { lastResultsProgress } from '../check/last-results.ts';
import type { Deps } from '../core/deps.ts';
import { ofOperator, ofProgram, valueRead } from '../core/reads.ts';
import type { PingWriter } from '../ping/ping-writer.ts';
import { backupAge } from './backups.ts';
import type { Telemetry } from './telemetry.ts';

export type { HeldBack };

/** Time for which a result is reused: anybody may ask, as often as they like. */
const FRESH: Micros = seconds(1);
/** Work that has been due for less than this counts as being done. */
const MOMENT: Micros = seconds(1);
/** A database that has not answered within this time counts as unavailable. */
const PATIENCE_MS = 10_000;

/** A node's own parts. */
export interface Parts {
  readonly pings: Pick<PingWriter, 'waitingCount' | 'refusedCount'>;
  /** Deliveries that wait for others of their own account do not count as late. */
  heldBack(): HeldBack;
  clockAhead(): Micros | null;
  eventLoopLagSeconds(): number;
  residentBytes(): number;
  /** The disk of the database. Null if it cannot be seen from here. */
  disk(): Promise<Disk | null>;
  readonly version: string;
}

type VitalsDeps = Pick<Deps, 'store' | 'reads' | 'clock'>;

/** Whether somebody watches. */
export interface Watch {
  /** Time since this node last looked for missed deadlines. Null if it has not begun to. */
  readonly sinceSweep: Micros | null;
  /** Since when alerts may not be sent. Null while they are. */
  readonly stoppedSince: Instant | null;
}

interface Judgement {
  readonly ailments: readonly Ailment[];
  /** Null when the database does not answer. */
  readonly lateness: Lateness | null;
}

/** The health of a node, for monitors that watch the service itself. */
export class Vitals {
  readonly #deps: VitalsDeps;
  readonly #telemetry: Telemetry;
  readonly #parts: Parts;
  readonly #probe: SharedAnswer<void>;
  readonly #judgement: SharedAnswer<Judgement>;

  constructor(deps: VitalsDeps, telemetry: Telemetry, parts: Parts) {
    this.#deps = deps;
    this.#telemetry = telemetry;
    this.#parts = parts;
    this.#probe = new SharedAnswer(() => deps.store.probe(), FRESH, deps.clock);
    this.#judgement = new SharedAnswer(() => this.#judge(), FRESH, deps.clock);
  }

  /** Resolves when the database can be read. Throws when it cannot be, or when it takes too long. */
  async probeDatabase(): Promise<void> {
    await within(PATIENCE_MS, this.#probe.get());
  }

  /** The troubles of the node. Empty when it is ready: it serves requests, and alerts are in time. Never throws. */
  async ailments(): Promise<readonly Ailment[]> {
    return (await this.#judgement.get()).ailments;
  }

  /** Whether deadlines are watched and alerts are sent. Never throws. */
  async watch(): Promise<Watch> {
    const { lateness } = await this.#judgement.get();
    const signs = { lateness, ...this.#ownSigns() };
    const stoppedFor = alertsStoppedFor(signs);
    return {
      sinceSweep: signs.loops.deadlines?.sinceSuccess ?? null,
      stoppedSince: stoppedFor === null ? null : this.#deps.clock.now() - stoppedFor,
    };
  }

  async #judge(): Promise<Judgement> {
    const reading = this.#readLateness();
    const [lateness] = (await orNull(Promise.all([within(PATIENCE_MS, reading), this.probeDatabase()]))) ?? [
      null,
    ];
    return { ailments: ailmentsOf({ lateness, ...this.#ownSigns() }), lateness };
  }

  /** Usually nothing is due, and the first entries of four indexes show that. */
  async #readLateness(): Promise<Lateness> {
    const { store, reads, clock } = this.#deps;
    const firsts = await Promise.all([
      store.checks.nextDeadlineAt(),
      store.outages.nextWakeAt(),
      store.quietTimes.nextAt(),
      store.deliveries.nextAttemptAt(),
    ]);
    if (!firsts.some((at) => isDue(at, clock.now()))) return NOTHING_LATE;
    return (await reads.ask(lateness, this.#parts.heldBack())).head;
  }

  /** Signs that need no database. */
  #ownSigns() {
    const { sinceWrite, refusals, loops } = this.#telemetry;
    return { sinceWrite, refusals, loops, clockAhead: this.#parts.clockAhead() };
  }

  /** Everything that can be measured. Never throws: without the database it returns the node's own figures. */
  async measure(): Promise<Measurements> {
    const { pings, batchSizes, commitSeconds, pingSeconds, alertDelays, attempts } = this.#telemetry;
    const parts = this.#parts;
    const inTime = <T>(reading: Promise<T>) => orNull(within(PATIENCE_MS, reading));
    const [judgement, answer, databaseBytes, disk] = await Promise.all([
      this.#judgement.get(),
      inTime(this.#deps.reads.ask(backlog, null)),
      inTime(this.#deps.store.instance.databaseBytes()),
      inTime(parts.disk()),
    ]);
    return {
      version: parts.version,
      ...judgement,
      ...this.#ownSigns(),
      pings: { ...pings, overloaded: parts.pings.refusedCount },
      batchSizes,
      commitSeconds,
      pingSeconds,
      alertDelays,
      queueLength: parts.pings.waitingCount,
      attempts,
      backlog: answer?.head ?? null,
      databaseBytes,
      disk,
      eventLoopLagSeconds: parts.eventLoopLagSeconds(),
      residentBytes: parts.residentBytes(),
    };
  }
}

const NOTHING_LATE: Lateness = { deadline: 0, outage: 0, delivery: 0 };

function isDue(at: Instant | null, now: Instant): boolean {
  return at !== null && now - at > MOMENT;
}

type LatenessDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/**
 * Reads how late alerts are. If the first entry of an index is overdue, a slower query looks for work that is really
 * due, without work that waits for something else.
 */
export const lateness = valueRead(ofProgram, async ({ store, clock }: LatenessDeps, held: HeldBack) => {
  const now = clock.now();
  const since = (at: Instant | null) => (at === null ? 0 : Math.max(0, now - at));
  const [alarmAt, wakeAt, quietAt, attemptAt] = await Promise.all([
    store.checks.nextDeadlineAt(),
    store.outages.nextWakeAt(),
    store.quietTimes.nextAt(),
    store.deliveries.nextAttemptAt(),
  ]);
  return {
    deadline: isDue(alarmAt, now) ? since(await store.checks.oldestOverdueAt(now)) : 0,
    outage: Math.max(since(wakeAt), since(quietAt)),
    delivery: isDue(attemptAt, now) ? since(await store.deliveries.oldestDueAt(now, held)) : 0,
  };
});

export const backlog = valueRead(ofOperator, async (deps: LatenessDeps): Promise<Backlog> => {
  const { store } = deps;
  const [checks, openDeliveries, openMails, bodyMoves, blindSpans, age, filled] = await Promise.all([
    store.accounts.checkTotal(),
    store.deliveries.openCount(),
    store.mails.openCount(),
    store.bodies.moveCount(),
    store.liveness.blindSpanCount(),
    backupAge(deps),
    lastResultsProgress(deps),
  ]);
  return { checks, openDeliveries, openMails, bodyMoves, blindSpans, backupAge: age, filled };
});

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}
