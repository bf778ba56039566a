import type { OwnedRow } from '../../domain/change.ts';
import type {
  Check,
  CheckMatch,
  CheckOutline,
  CheckSummary,
  NewCheck,
  PingedCheck,
} from '../../domain/check.ts';
import type { MailFilter } from '../../domain/mail-filter.ts';
import type { Instant, Micros } from '../../lib/instant.ts';

/** A check by its project's ping key, as the digest, and its slug. */
export interface SlugTarget {
  readonly pingKeyDigest: string;
  readonly slug: string;
}

/** A check that mails are for, and how its fields say to filter them. */
export interface MailedCheck extends MailFilter {
  readonly uuid: string;
  /** What it was found by, unless by its UUID. */
  readonly foundBy: SlugTarget | null;
}

export interface CheckFilter {
  /** Null: any. A slug need not be unique. */
  readonly slug: string | null;
  /** A check must carry all of them. */
  readonly tags: readonly string[];
}

export interface CheckReads {
  /** The project's checks in order of creation. */
  ofProject(projectId: number): Promise<CheckSummary[]>;
  /** The project's checks after that id, in order of creation, at most `limit`; only those with the tag where one is given. */
  pageOfProject(
    projectId: number,
    afterId: number,
    limit: number,
    tag?: string | null,
  ): Promise<CheckSummary[]>;
  /** The tags of the project's checks, each once, by code point. */
  tagsOfProject(projectId: number): Promise<string[]>;
  /** Those of the project's checks that are down by then, noticed or not, in order of creation. */
  downOfProject(projectId: number, now: Instant): Promise<CheckSummary[]>;
  /** The project's checks that the filter lets through, in order of creation. */
  outlinesOf(projectId: number, filter?: CheckFilter): Promise<CheckOutline[]>;
  /** The check with this UUID, in whatever project: the caller compares. */
  byUuid(uuid: string): Promise<Check | null>;
  /** The checks with these UUIDs, and those with these ping keys and slugs, each with what it was found by. */
  mailed(uuids: readonly string[], slugs: readonly SlugTarget[]): Promise<MailedCheck[]>;
  /** The project's check with this unique key. */
  byUniqueKey(projectId: number, uniqueKey: string): Promise<Check | null>;
  /** The check whose own public badge has this key. */
  byBadgeKey(badgeKey: string): Promise<CheckSummary | null>;
  /** UUIDs of the channels assigned to each of the project's checks, by check id, sorted. */
  channelsOfProject(projectId: number): Promise<Map<number, string[]>>;
  /** UUIDs of the channels assigned to one check, sorted. */
  channelsOf(checkId: number): Promise<string[]>;
  byId(id: number): Promise<Check | null>;
  /** The checks with these ids, in order of creation. */
  byIds(ids: readonly number[]): Promise<Check[]>;
  /** The checks of the whole installation after that id, in order of creation, at most `limit`. */
  pageOfAll(afterId: number, limit: number): Promise<PingedCheck[]>;
  /** No deadline passes before this; null when nothing is watched. */
  nextDeadlineAt(): Promise<Instant | null>;
  /**
   * When the check went down that has waited longest for somebody to notice; null when none was due by then. Of many,
   * only the first that would be looked at are compared.
   */
  oldestOverdueAt(now: Instant): Promise<Instant | null>;
  /** How many checks there are in the whole installation. */
  count(): Promise<number>;
  /** How many pings all checks together have received. */
  pingTotal(): Promise<number>;
}

/** A check as `lockMany` finds it. */
export interface HeldCheck extends PingedCheck {
  /** When its deadline is looked at, then or earlier. */
  readonly alarmAt: Instant | null;
}

/** What became of a check. */
export interface CheckChange {
  readonly before: HeldCheck;
  readonly after: PingedCheck;
}

export interface CheckWrites extends CheckReads {
  /** Holds the row until the transaction ends, so that a concurrent ping is not overwritten. */
  lock(id: number): Promise<Check | null>;
  /**
   * Puts off the deadlines that passed after `since`, or that an earlier excuse had put off beyond it, to `now` plus the
   * check's grace, or plus `least` if that is longer; says how many.
   */
  excuseOverdue(since: Instant, now: Instant, least: Micros): Promise<number>;
  /**
   * Checks that may have been overdue by now and turn out to have a later deadline, or none, are not looked at again
   * until then; at most `limit`. Says how many.
   */
  putOffAlarms(now: Instant, limit: number): Promise<number>;
  /** Holds checks whose deadline has come, the longest overdue first, at most `limit`. */
  lockOverdue(now: Instant, limit: number): Promise<PingedCheck[]>;
  /** Holds all the rows, in the same order in every process, so that batches never deadlock. */
  lockMany(uuids: readonly string[]): Promise<HeldCheck[]>;
  /** Holds these rows, in the order of `lockMany`; says which of them there are. */
  lockByIds(ids: readonly number[]): Promise<Set<number>>;
  /** The UUIDs of the checks with these ping keys and slugs, each with what it was found by. */
  uuidsBySlug(slugs: readonly SlugTarget[]): Promise<(SlugTarget & { uuid: string })[]>;
  /** The oldest check of the project that matches, held until the transaction ends. */
  lockMatching(projectId: number, match: CheckMatch): Promise<Check | null>;
  insert(check: NewCheck): Promise<Check>;
  /** Saves what an edit may change: the configuration and the deadline that follows from it. */
  saveConfig(check: Check): Promise<void>;
  /** Saves what pings, pauses and time have made of it. */
  saveState(check: Check): Promise<void>;
  saveStates(checks: readonly PingedCheck[]): Promise<void>;
  /** The same for checks that `lockMany` returned; costs less where neither the status changes nor the alarm. */
  saveChanges(changes: readonly CheckChange[]): Promise<void>;
  /** Removes the check with its pings, flips, deliveries and assignments, and queues what it has in object storage. */
  delete(check: Check): Promise<void>;
  /** Replaces the whole set of assigned channels. */
  setChannels(check: OwnedRow, channelIds: readonly number[]): Promise<void>;
}
