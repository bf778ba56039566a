import type { OwnedRow } from '../../domain/change.ts';
import type {
  Check,
  CheckMatch,
  CheckOutline,
  CheckRef,
  CheckSummary,
  NewCheck,
  PingedCheck,
} from '../../domain/check/check.ts';
import type { Timed } from '../../domain/check/status.ts';
import type { Role } from '../../domain/people/permission.ts';
import type { MailFilter } from '../../domain/ping/mail-filter.ts';
import type { Instant, Micros } from '../../lib/instant.ts';

/** Names a check by the digest of its project's ping key and by its slug. */
export interface SlugTarget {
  readonly pingKeyDigest: string;
  readonly slug: string;
}

/** A check that receives mails, with the fields that filter them. */
export interface MailedCheck extends MailFilter {
  readonly uuid: string;
  /** The account that owns its project. */
  readonly ownerId: number;
  /** The key and the slug that found it. Null if its UUID found it. */
  readonly foundBy: SlugTarget | null;
}

/** A check with the fields that decide its status. */
export interface TimedCheck extends Timed {
  readonly id: number;
}

export interface CheckFilter {
  /** Null matches any slug. A slug need not be unique. */
  readonly slug: string | null;
  /** A check must carry all of them. */
  readonly tags: readonly string[];
}

/** A check with the number of its present form. Any change of what readers see of the check raises the number. */
export interface RevisedCheck extends Check {
  readonly revision: number;
}

/** Enough to know whether a kept form of a check is still right. */
export interface CheckRevision {
  readonly id: number;
  readonly projectId: number;
  readonly revision: number;
}

/** A check that somebody may see, and the account that owns its project. */
export interface FoundCheck {
  readonly check: OwnedRow;
  readonly ownerId: number;
}

export interface OthersDown {
  readonly total: number;
  readonly down: number;
  readonly newest: readonly CheckSummary[];
}

export interface CheckReads {
  /** The project's checks in order of creation. */
  ofProject(projectId: number): Promise<CheckSummary[]>;
  /** The project's checks after that id, in order of creation, at most `limit`. */
  pageOfProject(projectId: number, afterId: number, limit: number): Promise<CheckSummary[]>;
  /** What decides the status of these checks. If a tag is given, only of those with the tag. */
  timedPage(projectId: number, afterId: number, limit: number, tag: string | null): Promise<TimedCheck[]>;
  /** The same of the checks with these ids, in order of creation. */
  timedByIds(ids: readonly number[]): Promise<TimedCheck[]>;
  /** The ids of the project's checks with the tag after that id, in order of creation, at most `limit`. */
  idsTagged(projectId: number, tag: string, afterId: number, limit: number): Promise<number[]>;
  /** The tags of the project's checks, each once, by code point. */
  tagsOfProject(projectId: number): Promise<string[]>;
  /**
   * The project's checks that are down at that time, in order of creation. They count even if the deadline loop has not
   * noticed yet.
   */
  downOfProject(projectId: number, now: Instant): Promise<CheckSummary[]>;
  /**
   * How many checks the project has, how many of them are down besides the given one, and the `limit` of these that went
   * down last.
   */
  othersDown(projectId: number, exceptId: number, now: Instant, limit: number): Promise<OthersDown>;
  /** The project's checks that are up and were down before, since after that time, the newest first, at most `limit`. */
  recoveredSince(
    projectId: number,
    after: Instant,
    limit: number,
  ): Promise<{ readonly name: string; readonly at: Instant }[]>;
  /** The project's checks that match the filter, in order of creation. */
  outlinesOf(projectId: number, filter?: CheckFilter): Promise<CheckOutline[]>;
  /** By what the project's checks are found, in order of creation. */
  namesOfProject(
    projectId: number,
  ): Promise<{ readonly id: number; readonly uuid: string; readonly slug: string }[]>;
  /** The zones of the project's checks that have a schedule, the most used first, at most ten. */
  zonesOfProject(projectId: number): Promise<string[]>;
  /** The first checks of the project with this slug. */
  namedBySlug(projectId: number, slug: string): Promise<{ readonly id: number; readonly name: string }[]>;
  /** The check with this UUID, in any project. The caller compares the project. */
  byUuid(uuid: string): Promise<Check | null>;
  /** The checks with these UUIDs, and those with these ping keys and slugs. Each says how it was found. */
  mailed(uuids: readonly string[], slugs: readonly SlugTarget[]): Promise<MailedCheck[]>;
  /** The project's check with this unique key. */
  byUniqueKey(projectId: number, uniqueKey: string): Promise<Check | null>;
  /** The check whose own public badge has this key, unless its project is deleted. */
  byBadgeKey(badgeKey: string): Promise<CheckSummary | null>;
  /** The check that `byUuid` finds, without reading it. */
  revisionByUuid(uuid: string): Promise<CheckRevision | null>;
  /** The check that `byUniqueKey` finds, without reading it. */
  revisionByUniqueKey(projectId: number, uniqueKey: string): Promise<CheckRevision | null>;
  /** The check, and the role that the account has in its project. Null if it has none, or the project is deleted. */
  accessOf(accountId: number, ref: CheckRef): Promise<(FoundCheck & { readonly role: Role }) | null>;
  /** The check, if an administrator visits its project in that session. */
  visitedIn(sessionId: number, ref: CheckRef, now: Instant): Promise<FoundCheck | null>;
  /** UUIDs of the channels assigned to each of the project's checks, by check id, sorted. */
  channelsOfProject(projectId: number): Promise<Map<number, string[]>>;
  /** UUIDs of the channels assigned to each of these checks, by check id, sorted. */
  channelsOfMany(checkIds: readonly number[]): Promise<Map<number, string[]>>;
  /** UUIDs of the channels assigned to one check, sorted. */
  channelsOf(checkId: number): Promise<string[]>;
  byId(id: number): Promise<Check | null>;
  /** The unique keys of the checks with these ids. */
  keysOf(ids: readonly number[]): Promise<{ id: number; uniqueKey: string }[]>;
  /** The checks with these ids, in order of creation. */
  byIds(ids: readonly number[]): Promise<Check[]>;
  revisedById(id: number): Promise<RevisedCheck | null>;
  /** The checks with these ids and their revisions, in order of creation. */
  revisedByIds(ids: readonly number[]): Promise<RevisedCheck[]>;
  /** The checks of the whole installation after that id, in order of creation, at most `limit`. */
  pageOfAll(afterId: number, limit: number): Promise<PingedCheck[]>;
  /** A time before which no deadline passes. Null if nothing is watched. */
  nextDeadlineAt(): Promise<Instant | null>;
  /**
   * The oldest deadline that has passed unnoticed by that time. Null if there is none. If there are many, only the
   * first ones by alarm are compared.
   */
  oldestOverdueAt(now: Instant): Promise<Instant | null>;
  /** How many checks the project has. */
  countOfProject(projectId: number): Promise<number>;
  /** How many checks there are in the whole installation. */
  count(): Promise<number>;
  /** How many pings all checks together have received. */
  pingTotal(): Promise<number>;
}

/** A check as `lockMany` finds it. */
export interface HeldCheck extends PingedCheck {
  /** The time at which its deadline is looked at. It is never later than the deadline. */
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
   * Postpones deadlines that passed after `since`, and those that an earlier excuse had moved beyond `since`. The new
   * deadline is `now` plus the check's grace, or plus `least` if that is longer. Returns their number.
   */
  excuseOverdue(since: Instant, now: Instant, least: Micros): Promise<number>;
  /**
   * Finds checks whose alarm has come and whose deadline is later or gone, at most `limit`. They are not looked at
   * again before their deadline. Returns their number.
   */
  putOffAlarms(now: Instant, limit: number): Promise<number>;
  /** Locks checks whose deadline has come, the longest overdue first, at most `limit`. */
  lockOverdue(now: Instant, limit: number): Promise<PingedCheck[]>;
  /** Locks all the rows. Every process locks them in the same order, so that batches never deadlock. */
  lockMany(uuids: readonly string[]): Promise<HeldCheck[]>;
  /** Locks these rows in the order of `lockMany`. Returns the ids that exist. */
  lockByIds(ids: readonly number[]): Promise<Set<number>>;
  /** The UUIDs of the checks with these ping keys and slugs. Each says how it was found. */
  uuidsBySlug(slugs: readonly SlugTarget[]): Promise<(SlugTarget & { uuid: string })[]>;
  /** The oldest check of the project that matches, locked until the transaction ends. */
  lockMatching(projectId: number, match: CheckMatch): Promise<Check | null>;
  insert(check: NewCheck): Promise<Check>;
  /** Saves what an edit may change: the configuration and the deadline that follows from it. */
  saveConfig(check: Check): Promise<void>;
  /** Saves the fields that pings, pauses and time change. */
  saveState(check: Check): Promise<void>;
  /**
   * Saves a check that has another UUID, or belongs to another project, and the deadline that it has then. It is not the
   * entry of a provisioning file any more if it leaves the project. `before` is the check as it was. Another UUID is
   * announced as a change of all checks: those who know it by its key would not find out that it was meant.
   */
  saveIdentity(before: Check, check: Check): Promise<void>;
  saveStates(checks: readonly PingedCheck[]): Promise<void>;
  /** The same for checks that `lockMany` returned. It costs less if neither the status nor the alarm changes. */
  saveChanges(changes: readonly CheckChange[]): Promise<void>;
  /** Removes the check with its pings, flips, deliveries and assignments. Queues its objects for removal. */
  delete(check: Check): Promise<void>;
  /** Replaces the whole set of assigned channels. */
  setChannels(check: OwnedRow, channelIds: readonly number[]): Promise<void>;
}
