import type { HistogramReading } from '../lib/histogram.ts';
import { type Micros, seconds } from '../lib/instant.ts';

/** What a node does again and again. */
export const LOOPS = [
  /** Takes down what is overdue. */
  'deadlines',
  /** Sends messages. */
  'notifier',
  'notifier_leases',
  /** Sends mails to accounts. */
  'account_mails',
  'account_mail_leases',
  'reports',
  'reminders',
  'flapping',
  'blindness',
  /** Removes old pings and flips. */
  'housekeeping',
  'mail_pruning',
  'body_moves',
  'body_deletions',
  /** Copies SQLite's log into the database file. */
  'checkpoints',
  'heartbeat',
] as const;

export type LoopName = (typeof LOOPS)[number];

const CONDITIONS = [
  'database_away',
  /** Nothing was written for half a minute: the disk is full, or the database takes no writes. */
  'writes_failing',
  /** Pings are refused, whatever else is written. */
  'pings_failing',
  /** Checks are overdue that nobody has taken down. */
  'deadlines_late',
  /** Messages are due that nobody has tried to send. */
  'deliveries_late',
  /** The clock of the machine is far from that of the database. */
  'clock_off',
] as const;

type Condition = (typeof CONDITIONS)[number];

/** Why a node is not to be relied on. A loop is silent when no tick of it has succeeded for too long. */
export type Ailment = Condition | `${LoopName}_silent`;

export const AILMENTS: readonly Ailment[] = [...CONDITIONS, ...LOOPS.map(silent)];

/** Later than this, alerts are late. */
const LATE: Micros = seconds(60);
/** A node writes every few seconds, if only that it is there. */
const MAX_WITHOUT_WRITE: Micros = seconds(30);
/** Pings that were refused longer ago say nothing about now. */
export const REFUSALS_REMEMBERED: Micros = seconds(60);
/** What a tick may take, unless its loop says otherwise. */
export const MAX_TICK: Micros = seconds(60);
/** A machine whose clock is off by more than this needs somebody to see to it. */
const CLOCK_TOLERANCE: Micros = seconds(5);

/** How late the oldest deadline and the oldest message are that are left undone. */
export interface Lateness {
  readonly deadline: Micros;
  readonly delivery: Micros;
}

/**
 * Pings that were refused since the last batch that was written. A batch that fails after `REFUSALS_REMEMBERED` without
 * another failure counts as the first.
 */
export interface Refusals {
  /** How long ago the first batch failed, and the last one. */
  readonly first: Micros;
  readonly last: Micros;
}

export interface LoopTally {
  /** Those that succeeded. */
  readonly ticks: number;
  readonly failures: number;
  /** How long ago a tick last succeeded, or the loop was started. */
  readonly sinceSuccess: Micros;
  /** How long that may be ago: the loop's rest, and what a tick may take. */
  readonly bound: Micros;
}

/** What can be seen of a node's health. */
export interface Signs {
  /** Null when the database does not answer. */
  readonly lateness: Lateness | null;
  /** How long ago this node last wrote anything, or was started. */
  readonly sinceWrite: Micros;
  /** Null when the last batch of pings was written. */
  readonly refusals: Refusals | null;
  /** Those that were started. */
  readonly loops: Readonly<Partial<Record<LoopName, LoopTally>>>;
  /** By how much the machine's clock is ahead of the database's; null where there is nothing to compare it with. */
  readonly clockAhead: Micros | null;
}

/** What is wrong with a node; empty when nothing is. */
export function ailmentsOf({ lateness, sinceWrite, refusals, loops, clockAhead }: Signs): Ailment[] {
  const found: Record<Condition, boolean> = {
    database_away: lateness === null,
    writes_failing: sinceWrite > MAX_WITHOUT_WRITE,
    pings_failing: refusals !== null && isLasting(refusals),
    deadlines_late: (lateness?.deadline ?? 0) > LATE,
    deliveries_late: (lateness?.delivery ?? 0) > LATE,
    clock_off: isClockOff(clockAhead),
  };
  return [...CONDITIONS.filter((condition) => found[condition]), ...silentLoops(loops).map(silent)];
}

function isLasting({ first, last }: Refusals): boolean {
  return first > MAX_WITHOUT_WRITE && last <= REFUSALS_REMEMBERED;
}

function silentLoops(loops: Signs['loops']): LoopName[] {
  return LOOPS.filter((name) => {
    const tally = loops[name];
    return tally !== undefined && tally.sinceSuccess > tally.bound;
  });
}

function silent(name: LoopName): `${LoopName}_silent` {
  return `${name}_silent`;
}

export function isClockOff(ahead: Micros | null): boolean {
  return ahead !== null && Math.abs(ahead) > CLOCK_TOLERANCE;
}

/** What has piled up in the database, for all nodes together. */
export interface Backlog {
  readonly openDeliveries: number;
  readonly openMails: number;
  readonly bodyMoves: number;
  readonly blindSpans: number;
}

/** What a node has counted since it started, and what it sees now. */
export interface Measurements extends Signs {
  readonly version: string;
  readonly ailments: readonly Ailment[];
  /** By what became of them. */
  readonly pings: Readonly<Record<string, number>>;
  readonly batchSizes: HistogramReading;
  readonly commitSeconds: HistogramReading;
  readonly queueLength: number;
  readonly attempts: { readonly delivered: number; readonly failed: number };
  /** Null, as is the lateness, when the database does not answer. */
  readonly backlog: Backlog | null;
  readonly eventLoopLagSeconds: number;
  readonly residentBytes: number;
}
