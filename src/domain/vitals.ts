import type { HistogramReading } from '../lib/histogram.ts';
import { type Micros, seconds } from '../lib/instant.ts';

/** Why a node is not to be relied on. */
export type Ailment =
  | 'database_away'
  /** Checks are overdue that nobody has taken down. */
  | 'deadlines_late'
  /** Messages are due that nobody has tried to send. */
  | 'deliveries_late'
  /** The loop that takes checks down hangs. */
  | 'watchman_silent'
  /** The loop that sends messages hangs. */
  | 'notifier_silent'
  /** The clock of the machine is far from that of the database. */
  | 'clock_off';

/** Later than this, alerts are late. */
const LATE: Micros = seconds(60);
/** A loop that has not come round for so long hangs: its ticks take seconds at the most. */
const SILENT: Micros = seconds(60);
/** A machine whose clock is off by more than this needs somebody to see to it. */
const CLOCK_TOLERANCE: Micros = seconds(5);

/** How late the oldest deadline and the oldest message are that are left undone. */
export interface Lateness {
  readonly deadline: Micros;
  readonly delivery: Micros;
}

/** What can be seen of a node's health. */
export interface Signs {
  /** Null when the database does not answer. */
  readonly lateness: Lateness | null;
  /** For how long each loop has not come round; a loop that was not started is absent. */
  readonly silence: { readonly watchman?: Micros | undefined; readonly notifier?: Micros | undefined };
  /** By how much the machine's clock is ahead of the database's; null where there is nothing to compare it with. */
  readonly clockAhead: Micros | null;
}

/** What is wrong with a node; empty when nothing is. */
export function ailmentsOf({ lateness, silence, clockAhead }: Signs): Ailment[] {
  const found: Record<Ailment, boolean> = {
    database_away: lateness === null,
    deadlines_late: (lateness?.deadline ?? 0) > LATE,
    deliveries_late: (lateness?.delivery ?? 0) > LATE,
    watchman_silent: (silence.watchman ?? 0) > SILENT,
    notifier_silent: (silence.notifier ?? 0) > SILENT,
    clock_off: isClockOff(clockAhead),
  };
  // The keys are the record's own: its type says so.
  return (Object.keys(found) as Ailment[]).filter((ailment) => found[ailment]);
}

export function isClockOff(ahead: Micros | null): boolean {
  return ahead !== null && Math.abs(ahead) > CLOCK_TOLERANCE;
}

export interface LoopTally {
  readonly ticks: number;
  readonly failures: number;
}

/** What has piled up in the database, for all nodes together. */
export interface Backlog {
  readonly openDeliveries: number;
  readonly openMails: number;
  readonly bodyMoves: number;
  readonly blindSpans: number;
}

/** What a node has counted since it started, and what it sees now. */
export interface Measurements {
  readonly version: string;
  readonly ailments: readonly Ailment[];
  /** By what became of them. */
  readonly pings: Readonly<Record<string, number>>;
  readonly batchSizes: HistogramReading;
  readonly commitSeconds: HistogramReading;
  readonly queueLength: number;
  readonly attempts: { readonly delivered: number; readonly failed: number };
  readonly loops: Readonly<Record<string, LoopTally>>;
  /** Null, as is the backlog, when the database does not answer. */
  readonly lateness: Lateness | null;
  readonly backlog: Backlog | null;
  readonly clockAhead: Micros | null;
  readonly eventLoopLagSeconds: number;
  readonly residentBytes: number;
}
