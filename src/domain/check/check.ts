import { createHash } from 'node:crypto';
import type { Instant, Micros } from '../../lib/instant.ts';
import { type CheckConfig, LONG_TEXTS, type RULES } from './settings.ts';

/** The status in the database. Readers see a `Status`, which is computed from it and the time. */
export const STORED_STATUSES = ['new', 'up', 'down', 'paused'] as const;
export type StoredStatus = (typeof STORED_STATUSES)[number];

/** The status that readers see. */
export type Status = StoredStatus | 'grace';

/** How a run ended, in the words of pings. */
export type RunResult = 'success' | 'fail';

/** The state that results from pings and time. */
export interface CheckState {
  status: StoredStatus;
  pingCount: number;
  /** Time of the last ping of any kind. */
  lastReceivedAt: Instant | null;
  /** Time of the last success or fail; start, log and ignored pings do not move it. */
  lastPingAt: Instant | null;
  lastSuccessAt: Instant | null;
  /** The result of the last success or fail. */
  lastResult: RunResult | null;
  /** The open run, if one is open. */
  lastStartAt: Instant | null;
  lastStartRid: string | null;
  /** The last sign of life of the open run after its start. */
  lastAliveAt: Instant | null;
  /** Whether the open run has already taken the check down. It must not do so twice. */
  runReported: boolean;
  lastDuration: Micros | null;
  /** What was remarkable about the last success or fail, as `RUN_FLAGS` says. Zero: nothing. */
  lastFlags: number;
  /** Failures in a row, with the runs that were missed before each of them. */
  badCount: number;
  /** Time of the last change of status. */
  lastFlipAt: Instant | null;
  /** Whether the last ping may ask to confirm a subscription. */
  hasConfirmationLink: boolean;
  /**
   * The check does not go down before this instant, because its pings may have come while no node was watching. Null if
   * that did not happen since the last ping.
   */
  excusedUntilAt: Instant | null;
  /** Since when runs are expected as they are now. Null: since the first ping. */
  timedAt: Instant | null;
  /** The quiet time that covers the check, or covered it last: nothing is expected in it. Null if there was none. */
  quietFromAt: Instant | null;
  quietUntilAt: Instant | null;
  /** When the check goes down if nothing happens. Null if there is no deadline. */
  deadlineAt: Instant | null;
}

export interface Check extends CheckConfig, CheckState {
  id: number;
  uuid: string;
  projectId: number;
  badgeKey: string;
  uniqueKey: string;
  createdAt: Instant;
  /** Who has set its fields, as `decodeSources` reads it. Null: nobody. */
  sources: string | null;
  /** Nothing that begins is told before this time. Null or past: it is told. */
  snoozedUntilAt: Instant | null;
  /** The name of who wanted that. */
  snoozedBy: string | null;
  /** Whether the plan wants to know of ends of runs that change no status. */
  isHeard: boolean;
}

export type NewCheck = Omit<Check, 'id'>;

/** The parts of a check that a ping reads or changes: its schedule, its filters and its state. */
export interface PingedCheck
  extends CheckState,
    Pick<Check, 'id' | 'uuid' | 'projectId' | 'isHeard' | (typeof RULES)[number]> {}

/** Texts that may be long and are needed only where a single check is shown. */
const NOT_IN_SUMMARY = [...LONG_TEXTS, 'sources'] as const;

/** A check without its long texts: enough for its name, its status and its history. */
export type CheckSummary = Omit<Check, (typeof NOT_IN_SUMMARY)[number]>;

const LONG: ReadonlySet<string> = new Set(NOT_IN_SUMMARY);

export function isInSummary(field: keyof NewCheck): field is keyof NewCheck & keyof CheckSummary {
  return !LONG.has(field);
}

export function summaryOf(check: Check): CheckSummary {
  // Only the long texts are left out.
  return Object.fromEntries(Object.entries(check).filter(([name]) => !LONG.has(name))) as CheckSummary;
}

/** Read first, to know which checks there are and how much there is to read. */
export interface CheckOutline {
  readonly id: number;
  /** Any change of what readers see of the check raises it. */
  readonly revision: number;
  readonly descriptionBytes: number;
}

/** The values that an upsert compares. All given values must be equal. */
export type CheckMatch = Partial<Pick<Check, 'name' | 'slug' | 'tags' | 'timeoutSeconds' | 'graceSeconds'>>;

/**
 * With a UUID, a check of another project and a missing check get different answers. A unique key is looked up within
 * the project only.
 */
export type CheckRef = { readonly uuid: string } | { readonly uniqueKey: string };

/** The state of a check that was never pinged. */
export const FRESH_STATE: Readonly<CheckState> = Object.freeze({
  status: 'new',
  pingCount: 0,
  lastReceivedAt: null,
  lastPingAt: null,
  lastSuccessAt: null,
  lastResult: null,
  lastStartAt: null,
  lastStartRid: null,
  lastAliveAt: null,
  runReported: false,
  lastDuration: null,
  lastFlags: 0,
  badCount: 0,
  lastFlipAt: null,
  excusedUntilAt: null,
  timedAt: null,
  quietFromAt: null,
  quietUntilAt: null,
  hasConfirmationLink: false,
  deadlineAt: null,
});

export function newCheck(
  config: CheckConfig,
  identity: { uuid: string; badgeKey: string; projectId: number; createdAt: Instant },
  sources: string | null = null,
): NewCheck {
  return {
    ...config,
    ...FRESH_STATE,
    ...identity,
    uniqueKey: uniqueKeyOf(identity.uuid),
    sources,
    snoozedUntilAt: null,
    snoozedBy: null,
    isHeard: false,
  };
}

/** Identifies a check where its UUID must not be shown: with the UUID anybody can ping. */
export function uniqueKeyOf(uuid: string): string {
  const firstHalf = uuid.replaceAll('-', '').slice(0, 16);
  return createHash('sha1').update(firstHalf).digest('hex');
}
