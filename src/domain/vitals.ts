import type { HistogramReading } from '../lib/histogram.ts';
import { type Micros, seconds } from '../lib/instant.ts';
import type { Disk } from './growth.ts';

/** The loops of a node. */
export const LOOPS = [
  /** Takes overdue checks down. */
  'deadlines',
  /** Decides anew who is told of outages. */
  'outages',
  /** Covers checks with quiet times that begin. */
  'quiet_times',
  /** Sends messages. */
  'notifier',
  'notifier_leases',
  /** Sends messages to channels that tell of no change of status. */
  'channel_messages',
  /** Sends mails to accounts. */
  'account_mails',
  'account_mail_leases',
  'reports',
  'reminders',
  'flapping',
  /** Tells owners of channels that fail for long. */
  'failing_channels',
  'blindness',
  /** Removes old pings and flips. */
  'housekeeping',
  'mail_pruning',
  /** Fills columns of older rows after an upgrade. */
  'filling',
  /** Removes sessions that have ended, and other things of accounts that are past their time. */
  'account_pruning',
  /** Keeps the size of the database, once a day. */
  'database_sizes',
  /** Writes when keys and tokens were last used. */
  'key_uses',
  'body_moves',
  'body_deletions',
  /** Copies SQLite's log into the database file. */
  'checkpoints',
  'heartbeat',
  /** Makes contract steps of migrations when nobody needs the old form any more. */
  'contracting',
  /** Makes backups. */
  'backups',
  /** Announces changes to subscribers and other nodes. */
  'changes',
  /** Receives the changes of other nodes. */
  'change_exchange',
  /** Asks Telegram for messages to the bot. */
  'telegram_updates',
] as const;

export type LoopName = (typeof LOOPS)[number];

const CONDITIONS = [
  'database_away',
  /** Nothing was written for half a minute: the disk is full, or the database accepts no writes. */
  'writes_failing',
  /** Pings are refused, even if other writes succeed. */
  'pings_failing',
  /** Checks are overdue, and no node has taken them down. */
  'deadlines_late',
  /** It is time to decide who is told of outages, or a quiet time begins, and no node has acted. */
  'outages_late',
  /** Messages are due, and no node has tried to send them. */
  'deliveries_late',
  /** The clocks of the machine and the database differ too much. */
  'clock_off',
] as const;

type Condition = (typeof CONDITIONS)[number];

/** Why a node is not ready. A loop is silent if none of its ticks has succeeded for too long. */
export type Ailment = Condition | `${LoopName}_silent`;

export const AILMENTS: readonly Ailment[] = [...CONDITIONS, ...LOOPS.map(silent)];

/** With one of these, a ping would not be acknowledged. A node with any other one takes pings. */
export const REFUSING: readonly Ailment[] = ['database_away', 'writes_failing', 'pings_failing'];

/** Alerts that are later than this count as late. */
const LATE: Micros = seconds(60);
/** A healthy node writes every few seconds, at least its own beat. */
const MAX_WITHOUT_WRITE: Micros = seconds(30);
/** Older refusals do not count. */
export const REFUSALS_REMEMBERED: Micros = seconds(60);
/** The longest tick, unless its loop has its own limit. */
export const MAX_TICK: Micros = seconds(60);
/** If the clock differs by more than this, an operator must fix it. */
const CLOCK_TOLERANCE: Micros = seconds(5);

/** The lateness of the oldest open deadline, of the oldest outage to be decided about or quiet time to begin, and of the oldest open message. */
export interface Lateness {
  readonly deadline: Micros;
  readonly outage: Micros;
  readonly delivery: Micros;
}

/**
 * Batches of pings that failed since the last success. If the previous failure is older than `REFUSALS_REMEMBERED`, a
 * failure counts as the first.
 */
export interface Refusals {
  /** Time since the first and the last batch failed. */
  readonly first: Micros;
  readonly last: Micros;
}

export interface LoopTally {
  /** The number of ticks that succeeded. */
  readonly ticks: number;
  readonly failures: number;
  /** Time since a tick last succeeded, or the loop was started. */
  readonly sinceSuccess: Micros;
  /** The limit for `sinceSuccess`: the loop's rest plus the time a tick may take. */
  readonly bound: Micros;
}

/** The facts from which a node's health follows. */
export interface Signs {
  /** Null when the database does not answer. */
  readonly lateness: Lateness | null;
  /** Time since this node last wrote anything, or was started. */
  readonly sinceWrite: Micros;
  /** Null when the last batch of pings was written. */
  readonly refusals: Refusals | null;
  /** The loops that were started. */
  readonly loops: Readonly<Partial<Record<LoopName, LoopTally>>>;
  /** The machine's clock minus the database's. Null if the database has no clock of its own. */
  readonly clockAhead: Micros | null;
}

/** The reasons why a node is not ready. Empty if it is ready. */
export function ailmentsOf({ lateness, sinceWrite, refusals, loops, clockAhead }: Signs): Ailment[] {
  const found: Record<Condition, boolean> = {
    database_away: lateness === null,
    writes_failing: sinceWrite > MAX_WITHOUT_WRITE,
    pings_failing: refusals !== null && isLasting(refusals),
    deadlines_late: (lateness?.deadline ?? 0) > LATE,
    outages_late: (lateness?.outage ?? 0) > LATE,
    deliveries_late: (lateness?.delivery ?? 0) > LATE,
    clock_off: isClockOff(clockAhead),
  };
  return [...CONDITIONS.filter((condition) => found[condition]), ...silentLoops(loops).map(silent)];
}

/** For how long alerts may not have been sent. Null while they are. */
export function alertsStoppedFor(signs: Signs): Micros | null {
  const { lateness, sinceWrite, loops } = signs;
  const spans: Partial<Record<Ailment, Micros>> = {
    database_away: sinceWrite,
    writes_failing: sinceWrite,
    deadlines_late: lateness?.deadline ?? 0,
    outages_late: lateness?.outage ?? 0,
    deliveries_late: lateness?.delivery ?? 0,
    deadlines_silent: loops.deadlines?.sinceSuccess ?? 0,
    outages_silent: loops.outages?.sinceSuccess ?? 0,
    notifier_silent: loops.notifier?.sinceSuccess ?? 0,
  };
  const found = ailmentsOf(signs).flatMap((ailment) => spans[ailment] ?? []);
  return found.length === 0 ? null : Math.max(...found);
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

/** The number of checks and the open work in the database, for all nodes together. */
export interface Backlog {
  readonly checks: number;
  readonly openDeliveries: number;
  readonly openMails: number;
  readonly bodyMoves: number;
  readonly blindSpans: number;
  /** The time since the last backup by the service. Null if there was none. */
  readonly backupAge: Micros | null;
  /** How much of the columns is filled that the last upgrades have added, from 0 to 1. */
  readonly filled: number;
}

/** The counters of a node since its start, and its current facts. */
export interface Measurements extends Signs {
  readonly version: string;
  readonly ailments: readonly Ailment[];
  /** Counted by outcome. */
  readonly pings: Readonly<Record<string, number>>;
  readonly batchSizes: HistogramReading;
  readonly commitSeconds: HistogramReading;
  readonly pingSeconds: HistogramReading;
  readonly alertDelays: HistogramReading;
  readonly queueLength: number;
  readonly attempts: { readonly delivered: number; readonly failed: number };
  /** Null, like `lateness`, if the database does not answer. */
  readonly backlog: Backlog | null;
  readonly databaseBytes: number | null;
  /** Null if the disk of the database cannot be seen from this node. */
  readonly disk: Disk | null;
  readonly eventLoopLagSeconds: number;
  readonly residentBytes: number;
}

/** Counters by which an outside monitor sees that ingestion and alerting make progress. */
export interface Progress {
  readonly pings: number;
  readonly lastDeliveryId: number | null;
  readonly openFlips: number;
}
