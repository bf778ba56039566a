import { createHash } from 'node:crypto';
import type { Instant, Micros } from '../lib/instant.ts';

/** What the row says. Readers see a `Status`, computed from it and the time. */
export type StoredStatus = 'new' | 'up' | 'down' | 'paused';

/** What readers see: stored status plus time. */
export type Status = StoredStatus | 'grace';

export type ScheduleKind = 'simple' | 'cron' | 'oncalendar';

/** Which HTTP methods count as pings: all of them, or POST alone. */
export type PingMethods = '' | 'POST';

/** What the owner decides. */
export interface CheckConfig {
  name: string;
  slug: string;
  tags: string;
  description: string;
  kind: ScheduleKind;
  /** Values of the kinds that are not in use stay, so that switching back restores them. */
  timeoutSeconds: number;
  schedule: string;
  tz: string;
  graceSeconds: number;
  manualResume: boolean;
  methods: PingMethods;
  startKeywords: string;
  successKeywords: string;
  failureKeywords: string;
  filterSubject: boolean;
  filterBody: boolean;
  filterHttpBody: boolean;
  filterDefaultFail: boolean;
}

/** What pings and time have made of it. */
export interface CheckState {
  status: StoredStatus;
  pingCount: number;
  /** Time of the last ping of any kind. */
  lastReceivedAt: Instant | null;
  /** Time of the last success or fail; start, log and ignored pings do not move it. */
  lastPingAt: Instant | null;
  /** The open run, if one is open. */
  lastStartAt: Instant | null;
  lastStartRid: string | null;
  /** The open run has already taken the check down once, and must not do so again. */
  runReported: boolean;
  lastDuration: Micros | null;
  /** Time of the last change of status. */
  lastFlipAt: Instant | null;
  /** The last ping may be asking to confirm a subscription, which its owner wants to know. */
  hasConfirmationLink: boolean;
  /**
   * Not down before this instant: pings due until now may have come while no node could see them. Null when
   * nothing of the kind happened since the last ping.
   */
  excusedUntilAt: Instant | null;
  /** When the check goes down unless something happens; null when there is nothing to watch. */
  deadlineAt: Instant | null;
}

export interface Check extends CheckConfig, CheckState {
  id: number;
  uuid: string;
  projectId: number;
  badgeKey: string;
  uniqueKey: string;
  createdAt: Instant;
}

export type NewCheck = Omit<Check, 'id'>;

/** Of a check, what a ping needs to know and may change: its schedule, its filters and its state. */
export interface PingedCheck
  extends CheckState,
    Pick<
      Check,
      | 'id'
      | 'uuid'
      | 'kind'
      | 'timeoutSeconds'
      | 'schedule'
      | 'tz'
      | 'graceSeconds'
      | 'manualResume'
      | 'methods'
      | 'startKeywords'
      | 'successKeywords'
      | 'failureKeywords'
      | 'filterSubject'
      | 'filterBody'
      | 'filterHttpBody'
      | 'filterDefaultFail'
    > {}

/** The texts of a check that only whoever looks at this very check wants to read; each may be long. */
export const LONG_TEXTS = ['description', 'startKeywords', 'successKeywords', 'failureKeywords'] as const;

/** A check without its long texts: enough for its name, its status and its history. */
export type CheckSummary = Omit<Check, (typeof LONG_TEXTS)[number]>;

/** The least that is read of a check, to find out which ones are wanted and how much there is to read of them. */
export interface CheckOutline extends Pick<Check, 'id' | 'slug' | 'tags'> {
  readonly descriptionBytes: number;
}

/** Values that an upsert compares; all given ones must be equal. */
export type CheckMatch = Partial<Pick<Check, 'name' | 'slug' | 'tags' | 'timeoutSeconds' | 'graceSeconds'>>;

export const DEFAULT_CONFIG: Readonly<CheckConfig> = Object.freeze({
  name: '',
  slug: '',
  tags: '',
  description: '',
  kind: 'simple',
  timeoutSeconds: 86_400,
  schedule: '* * * * *',
  tz: 'UTC',
  graceSeconds: 3_600,
  manualResume: false,
  methods: '',
  startKeywords: '',
  successKeywords: '',
  failureKeywords: '',
  filterSubject: false,
  filterBody: false,
  filterHttpBody: false,
  filterDefaultFail: false,
});

const FRESH_STATE: Readonly<CheckState> = Object.freeze({
  status: 'new',
  pingCount: 0,
  lastReceivedAt: null,
  lastPingAt: null,
  lastStartAt: null,
  lastStartRid: null,
  runReported: false,
  lastDuration: null,
  lastFlipAt: null,
  excusedUntilAt: null,
  hasConfirmationLink: false,
  deadlineAt: null,
});

export function newCheck(
  config: CheckConfig,
  identity: { uuid: string; badgeKey: string; projectId: number; createdAt: Instant },
): NewCheck {
  return { ...config, ...FRESH_STATE, ...identity, uniqueKey: uniqueKeyOf(identity.uuid) };
}

/** Stands in for the UUID where the UUID, which is also the ping secret, must not be shown. */
export function uniqueKeyOf(uuid: string): string {
  const firstHalf = uuid.replaceAll('-', '').slice(0, 16);
  return createHash('sha1').update(firstHalf).digest('hex');
}
