import type {
  Account,
  AccountLimits,
  MailPreferences,
  NewAccount,
  ReminderSeconds,
} from '../domain/account.ts';
import type { Channel, NewChannel } from '../domain/channel.ts';
import type {
  Check,
  CheckMatch,
  CheckOutline,
  CheckSummary,
  NewCheck,
  PingedCheck,
} from '../domain/check.ts';
import type { Attempt, Delivery, DeliveryState, NewDelivery } from '../domain/delivery.ts';
import type { Flip, FlipSpan, NewFlip } from '../domain/flip.ts';
import type { MailKind, NewMail, QueuedMail } from '../domain/mail.ts';
import type { MailFilter } from '../domain/mail-filter.ts';
import type { NewPing, Ping } from '../domain/ping.ts';
import type { ApiKey, NewApiKey, NewProject, Project } from '../domain/project.ts';
import type { Instant, Micros } from '../lib/instant.ts';

/**
 * The contract of storage, kept by both engines (`contract.test-suite.ts` holds them to it). What only
 * reads is on the store itself; what writes is reached through `transaction` alone.
 */
export interface Store extends Reads, AsyncDisposable {
  /** All of it or nothing. `work` may run again after a deadlock, so it has no other effects. */
  transaction<T>(work: (tx: Writes) => Promise<T>): Promise<T>;
  /** The time of the database's own clock; null where it has none but ours. */
  time(): Promise<Instant | null>;
  /** Resolves after real queries on the connections that serve requests, throws when any of them fails. */
  probe(): Promise<void>;
}

export interface Reads {
  readonly accounts: AccountReads;
  readonly mailPreferences: MailPreferenceReads;
  readonly projects: ProjectReads;
  readonly apiKeys: ApiKeyReads;
  readonly channels: ChannelReads;
  readonly checks: CheckReads;
  readonly pings: PingReads;
  readonly bodies: BodyReads;
  readonly flips: FlipReads;
  readonly deliveries: DeliveryReads;
  readonly mails: MailReads;
  readonly pruning: PruningReads;
  readonly liveness: LivenessReads;
  readonly jobs: JobReads;
  readonly instance: InstanceReads;
}

export interface Writes extends Reads {
  readonly accounts: AccountWrites;
  readonly mailPreferences: MailPreferenceWrites;
  readonly projects: ProjectWrites;
  readonly apiKeys: ApiKeyWrites;
  readonly channels: ChannelWrites;
  readonly checks: CheckWrites;
  readonly pings: PingWrites;
  readonly bodies: BodyWrites;
  readonly flips: FlipWrites;
  readonly deliveries: DeliveryWrites;
  readonly mails: MailWrites;
  readonly pruning: PruningWrites;
  readonly liveness: LivenessWrites;
  readonly jobs: JobWrites;
  readonly instance: InstanceWrites;
  readonly declarations: DeclarationWrites;
}

export interface AccountReads {
  /** The account with this (lower-case) address. */
  byEmail(email: string): Promise<Account | null>;
  /** The account that owns the project. */
  ownerOf(projectId: number): Promise<Account | null>;
}

export interface AccountWrites extends AccountReads {
  insert(account: NewAccount): Promise<Account>;
  setPassword(id: number, passwordHash: string): Promise<void>;
  /** Checks that have more pings than a lower limit keeps are queued for pruning. */
  setLimits(id: number, limits: AccountLimits): Promise<void>;
  /**
   * Counts one more check against the owner's limit; false, and nothing counted, when it is reached.
   * `allowance` multiplies the limit.
   */
  claimCheckSlot(id: number, allowance?: number): Promise<boolean>;
  /** Counts one check less. */
  releaseCheckSlot(id: number): Promise<void>;
}

export interface MailPreferenceReads {
  ofAccount(accountId: number): Promise<MailPreferences | null>;
  byUuid(uuid: string): Promise<MailPreferences | null>;
  /**
   * Accounts that want reports and have no date for the next one, or one after `latest`, which only a wrong clock can
   * have given; at most `limit` of each.
   */
  withoutReportDate(latest: Instant, limit: number): Promise<MailPreferences[]>;
  /** Accounts whose report is due, the longest overdue first, at most `limit`. */
  dueReports(now: Instant, limit: number): Promise<MailPreferences[]>;
  /**
   * Accounts whose reminder is due, the longest overdue first, and those with a date after `latest`, which only a wrong
   * clock can have given; at most `limit` of each.
   */
  dueReminders(now: Instant, latest: Instant, limit: number): Promise<MailPreferences[]>;
  /** Whether any check of a project that the account owns or is a member of is down, noticed or not. */
  hasDown(accountId: number, now: Instant): Promise<boolean>;
  /** Whether any check of a project that the account owns or is a member of has received a ping since. */
  wasPinged(accountId: number, since: Instant): Promise<boolean>;
  /** The owners and members of these checks' projects, for each check. */
  readersOf(checkIds: readonly number[]): Promise<{ checkId: number; accountId: number }[]>;
  /** Accounts after that id, at most `limit`, and what they had to do with a blindness that ended at `until`. */
  afterBlindness(afterId: number, limit: number, until: Instant): Promise<BlindAccount[]>;
}

/** An account, as far as a time of blindness concerns it. */
export interface BlindAccount {
  readonly accountId: number;
  /** Whether it existed, and owns a project with a check that is watched, or is a member of one. */
  readonly isConcerned: boolean;
  /** How many checks of its projects were given more time. */
  readonly excused: number;
}

export interface MailPreferenceWrites extends MailPreferenceReads {
  /** The date of the next report is to be found anew. */
  setReports(accountId: number, reports: MailPreferences['reports'], tz: string): Promise<void>;
  /** A date of the next reminder is forgotten. */
  setReminders(accountId: number, reminderSeconds: ReminderSeconds): Promise<void>;
  /** Moves the date of the next report; false if it is not as given any more, nor what it follows from. */
  moveReport(from: MailPreferences, to: Instant): Promise<boolean>;
  /** The same for the next reminder; null forgets it. */
  moveReminder(from: MailPreferences, to: Instant | null): Promise<boolean>;
  /**
   * Holds the accounts that want reminders and own the project of any of these checks or are members of it, in the
   * same order in every process; returns their ids.
   */
  lockReminded(checkIds: readonly number[]): Promise<number[]>;
  /**
   * Of these accounts, those that want reminders: whoever has a check that is stored as down gets a date for the next
   * one, unless there is a date; all others lose theirs.
   */
  reviewReminders(accountIds: readonly number[], now: Instant): Promise<void>;
}

export interface ProjectReads {
  byId(id: number): Promise<Project | null>;
  /** Projects that the account owns or is a member of, in order of creation. */
  accessibleTo(accountId: number): Promise<Project[]>;
  /** All projects of that name; names need not be unique. */
  byOwnerAndName(ownerId: number, name: string): Promise<Project[]>;
  /** The project that a ping key belongs to. */
  byPingKey(digest: string): Promise<Project | null>;
  /** The project that public badges with this key belong to. */
  byBadgeKey(badgeKey: string): Promise<Project | null>;
  count(): Promise<number>;
}

export interface ProjectWrites extends ProjectReads {
  /** The project that a ping key belongs to, held until the transaction ends. */
  lockByPingKey(digest: string): Promise<Project | null>;
  insert(project: NewProject): Promise<Project>;
  setPingKey(id: number, digest: string, sealed: string): Promise<void>;
  /** Makes the account a member; false when it is one already. */
  addMember(projectId: number, accountId: number, at: Instant): Promise<boolean>;
}

export interface ApiKeyReads {
  /** Keys that share the look-up characters, in whatever project; the caller compares digests. */
  byLookup(lookup: string): Promise<ApiKey[]>;
  ofProject(projectId: number): Promise<ApiKey[]>;
}

export interface ApiKeyWrites extends ApiKeyReads {
  insert(key: NewApiKey): Promise<ApiKey>;
  delete(projectId: number, id: number): Promise<void>;
}

export interface ChannelReads {
  /** The project's channels in order of creation. */
  ofProject(projectId: number): Promise<Channel[]>;
  byId(id: number): Promise<Channel | null>;
  byUuid(uuid: string): Promise<Channel | null>;
  /** Which channels, other than disabled ones, are assigned to each of the checks. */
  idsOfChecks(checkIds: readonly number[]): Promise<Map<number, number[]>>;
}

export interface ChannelWrites extends ChannelReads {
  insert(channel: NewChannel): Promise<Channel>;
  /** Saves settings and verification. */
  update(channel: Channel): Promise<void>;
  /** Nothing is sent to it any more, until its owner says otherwise. */
  disable(id: number): Promise<void>;
  /** Remembers how the last try went; a permanent failure switches the channel off. */
  noteAttempt(id: number, attempt: Omit<Attempt, 'deliveryId' | 'n'>, disable: boolean): Promise<void>;
}

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

export interface CheckReads {
  /** The project's checks in order of creation. */
  ofProject(projectId: number): Promise<CheckSummary[]>;
  /** The project's checks after that id, in order of creation, at most `limit`. */
  pageOfProject(projectId: number, afterId: number, limit: number): Promise<CheckSummary[]>;
  /** Those of the project's checks that are down by then, noticed or not, in order of creation. */
  downOfProject(projectId: number, now: Instant): Promise<CheckSummary[]>;
  /** The project's checks in order of creation; only those with the slug where one is given, which need not be unique. */
  outlinesOf(projectId: number, slug?: string | null): Promise<CheckOutline[]>;
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
  /** When the check went down that has waited longest for somebody to notice; null when none was due by then. */
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
  setChannels(checkId: number, channelIds: readonly number[]): Promise<void>;
}

export interface PingReads {
  /** The check's newest pings, newest first, at most `limit`. */
  latest(checkId: number, limit: number): Promise<Ping[]>;
  /** Those before ping `n` and not older than `from`, in ascending order: what a run may have begun with. */
  before(checkId: number, n: number, from: Instant): Promise<Ping[]>;
  /** The last ping that came at that time or before. */
  lastUntil(checkId: number, at: Instant): Promise<Ping | null>;
  /** When the oldest stored ping came; null when there is none. */
  oldestAt(checkId: number): Promise<Instant | null>;
  /** The body of a ping, long or short, if it is in the database; null when the ping is gone or has none. */
  body(checkId: number, n: number): Promise<Uint8Array | null>;
  /** How long the body is that has moved to object storage; null when it has not. */
  objectSize(checkId: number, n: number): Promise<number | null>;
}

export interface PingWrites extends PingReads {
  insertMany(pings: readonly NewPing[]): Promise<void>;
  /**
   * Removes at most `most` pings up to number `upTo`, oldest first, and says how many. No body of theirs moves any
   * more, and what they have in object storage is queued for removal.
   */
  prune(checkId: number, upTo: number, most: number): Promise<number>;
}

/** A body that is to move to object storage. */
export interface BodyMove {
  readonly checkId: number;
  readonly checkUuid: string;
  readonly n: number;
  /** How often it was claimed: whoever claims it again makes earlier claims void. */
  readonly attempts: number;
}

/** Objects of a check that are to be removed: those of all pings up to a number. */
export interface ObjectDeletion {
  readonly checkUuid: string;
  readonly upTo: number;
  /** How often it was claimed or widened: either makes earlier claims void. */
  readonly attempts: number;
}

export interface BodyReads {
  /** How many bodies wait to be moved. */
  moveCount(): Promise<number>;
  /** Bodies that may be claimed now, those waiting longest first. */
  dueMoves(now: Instant, most: number): Promise<BodyMove[]>;
  /** The deletion that has waited longest, of those that may be claimed now. */
  dueDeletion(now: Instant): Promise<ObjectDeletion | null>;
}

export interface BodyWrites extends BodyReads {
  /** Queues the bodies of these pings, to be moved from `dueAt` on. */
  queueMoves(pings: readonly { checkId: number; n: number }[], dueAt: Instant): Promise<void>;
  /** Takes the move for oneself until that time; null when somebody else has, or it is not wanted any more. */
  claimMove(move: BodyMove, until: Instant): Promise<BodyMove | null>;
  /** The body was put into object storage: it leaves the database. Of a ping that is gone, the object has to go, too. */
  finishMove(move: BodyMove): Promise<void>;
  /** Gives a claimed move back, to be tried again at that time. */
  postponeMove(move: BodyMove, until: Instant): Promise<void>;
  /** Takes the deletion for oneself until that time; null when somebody else has. */
  claimDeletion(deletion: ObjectDeletion, until: Instant): Promise<ObjectDeletion | null>;
  /** All its objects are gone. A deletion that was widened meanwhile stays. */
  finishDeletion(deletion: ObjectDeletion): Promise<void>;
  /** Gives a claimed deletion back, to be tried again at that time. */
  postponeDeletion(deletion: ObjectDeletion, until: Instant): Promise<void>;
}

/** Which checks change their status too often. */
export interface FlappingQuery {
  readonly since: Instant;
  readonly until: Instant;
  readonly moreThan: number;
  /** Without those of which people were told after this. */
  readonly notToldSince: Instant;
  readonly limit: number;
}

export interface FlipReads {
  /** The check's flips in the span, newest first. */
  ofCheck(checkId: number, span: FlipSpan): Promise<Flip[]>;
  byId(id: number): Promise<Flip | null>;
  /** The flips of all these checks from that time on. */
  ofChecks(checkIds: readonly number[], from: Instant): Promise<Flip[]>;
  /** Checks with more flips after `since` and until `until` than they should have, with their number. */
  flapping(query: FlappingQuery): Promise<{ checkId: number; flips: number }[]>;
  /** The flip of the same check right before this one. */
  before(flip: Flip): Promise<Flip | null>;
}

export interface FlipWrites extends FlipReads {
  /** People are told of these now; returns the ids of those of which nobody has told them after `notSince`. */
  noteFlapping(checkIds: readonly number[], now: Instant, notSince: Instant): Promise<number[]>;
  insertMany(flips: readonly NewFlip[]): Promise<Flip[]>;
  /**
   * Removes old flips with their deliveries: oldest first, at most `most` of either. Keeps flips of which somebody is
   * still to be told. Returns the place to continue from; null at the end.
   */
  prune(pruning: FlipPruning): Promise<FlipPlace | null>;
}

/** The place of a flip among those of all checks, oldest first. */
export type FlipPlace = Pick<Flip, 'createdAt' | 'checkId' | 'id'>;

export const BEFORE_ALL_FLIPS: FlipPlace = { createdAt: -1, checkId: 0, id: 0 };

export interface FlipPruning {
  /** Flips from before this time are removed, except the last one of each check: it tells the status at this time. */
  readonly before: Instant;
  /** Only flips behind this place are looked at. */
  readonly after: FlipPlace;
  /** How many flips are looked at, and how many deliveries are removed. */
  readonly most: number;
}

export interface DeliveryLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly limit: number;
  readonly busyChannels: readonly number[];
}

/** A delivery as its owner may see it. */
export interface DeliveryRecord extends Delivery {
  readonly state: Exclude<DeliveryState, 'skipped'>;
  readonly channelUuid: string;
  readonly channelKind: string;
  readonly channelName: string;
  readonly attempts: readonly Attempt[];
}

/** A delivery by its number, or by the UUID that its messages carry. */
export type DeliveryRef = { readonly id: number } | { readonly uuid: string };

/** What a provider may tell of a delivery afterwards. */
export interface LateVerdict {
  readonly error: string;
  /** The channel is not to be used any more. */
  readonly disableChannel: boolean;
}

export interface DeliveryReads {
  /** The check's deliveries, but skipped ones, with their channels and tries, newest first, at most `limit`. */
  ofCheck(checkId: number, limit: number): Promise<DeliveryRecord[]>;
  /** When the next open delivery may be tried, or its lease runs out; null when none is open. */
  nextAttemptAt(): Promise<Instant | null>;
  /** When the oldest of those became due that could be leased at that time, apart from `busyChannels`. */
  oldestDueAt(now: Instant, busyChannels: readonly number[]): Promise<Instant | null>;
  /** How many are open, due or not. */
  openCount(): Promise<number>;
  /** How far the outbox has come, for operators. */
  progress(): Promise<{ lastId: number | null; openFlips: number }>;
}

export interface DeliveryWrites extends DeliveryReads {
  /** Of a flip and a channel that has been told of it already, or will be, nothing is inserted. */
  insertMany(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Leases deliveries that are due until `until`, at most `limit`; each lease counts as a try. None is leased while an
   * earlier one of the same check and channel is open, nor for `busyChannels`.
   */
  lease(lease: DeliveryLease): Promise<Delivery[]>;
  /** Puts off the end of leases that are still held. */
  extend(deliveries: readonly Delivery[], until: Instant): Promise<void>;
  /** Gives leases back untried, due again at `at`. */
  release(deliveries: readonly Delivery[], at: Instant): Promise<void>;
  /** Gives all leases back untried, whoever holds them; says how many there were. */
  releaseAll(): Promise<number>;
  /** Saves how tries ended; returns the ids of those whose lease was not lost to somebody else meanwhile. */
  settle(deliveries: readonly Delivery[]): Promise<number[]>;
  /** No open one waits longer than until `at`, whatever it waits for. */
  bringForward(at: Instant): Promise<void>;
  /** Puts off what is due but has to wait for an earlier one, until that one's turn: nobody looks at it in vain. */
  holdBack(now: Instant): Promise<void>;
  /** These have ended: what waited for them is due. */
  letFollow(deliveries: readonly Delivery[], now: Instant): Promise<void>;
  /** Their deliveries must be there. */
  addAttempts(attempts: readonly Attempt[]): Promise<void>;
  /** Removes finished deliveries made before that time, at most `most`, and says how many. */
  prune(checkId: number, before: Instant, most: number): Promise<number>;
  /** Records what came back about a delivery that ended, or was made, since `since`; false, and nothing done, for others. */
  amend(delivery: DeliveryRef, since: Instant, verdict: LateVerdict): Promise<boolean>;
}

export interface MailLease {
  readonly now: Instant;
  readonly until: Instant;
  readonly limit: number;
}

export interface MailReads {
  /** When the next open mail may be tried; null when none is open. */
  nextAttemptAt(): Promise<Instant | null>;
  /** How many are open, due or not. */
  openCount(): Promise<number>;
  /** Whether a mail of that kind to the account has not been sent yet. */
  hasOpen(accountId: number, kind: MailKind): Promise<boolean>;
}

export interface MailWrites extends MailReads {
  insertMany(mails: readonly NewMail[]): Promise<void>;
  /** Leases mails that are due until `until`, at most `limit`; each lease counts as a try. */
  lease(lease: MailLease): Promise<QueuedMail[]>;
  /** Puts off the end of leases that are still held. */
  extend(mails: readonly QueuedMail[], until: Instant): Promise<void>;
  /** No open one waits longer than until `at`, whatever it waits for. */
  bringForward(at: Instant): Promise<void>;
  /** Gives all leases back untried, whoever holds them; says how many there were. */
  releaseAll(): Promise<number>;
  /** Saves how tries ended; returns the ids of those whose lease was not lost to somebody else meanwhile. */
  settle(mails: readonly QueuedMail[]): Promise<number[]>;
  /** Removes mails that were finished before that time, at most `most`, and says how many. */
  prune(before: Instant, most: number): Promise<number>;
}

export interface PruningReads {
  /** Checks that may have too many pings, in the order of their ids behind that one, at most so many. */
  next(afterId: number, most: number): Promise<number[]>;
}

export interface PruningWrites extends PruningReads {
  addMany(checkIds: readonly number[]): Promise<void>;
  done(checkId: number): Promise<void>;
}

/** A time in which no node could have seen a ping. */
export interface BlindSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/** One that not everybody was told of. */
export interface UntoldSpan extends BlindSpan {
  readonly id: number;
  /** Accounts up to this id were. */
  readonly toldUpTo: number;
}

export interface LivenessReads {
  /** The oldest time of blindness that not everybody was told of. */
  untoldSpan(): Promise<UntoldSpan | null>;
  /** When any node was last known to be watching; null before the first. */
  lastBeatAt(): Promise<Instant | null>;
  /** Times of blindness that were not over by then, newest first. */
  blindSpansSince(from: Instant): Promise<BlindSpan[]>;
  /** How many there ever were, those that are removed included. */
  blindSpanCount(): Promise<number>;
}

export interface LivenessWrites extends LivenessReads {
  /** Until the transaction ends no other node finds out whether anybody was watching. */
  lock(): Promise<void>;
  /** Forgets nodes that claim to have been watching after that time; says how many. */
  forgetAfter(at: Instant): Promise<number>;
  /** The node is watching; nodes not heard of since `forget` are forgotten. */
  beat(node: string, at: Instant, forget: Instant): Promise<void>;
  /** Moves how far people were told of it, null for everybody; false if it is not as given any more. */
  moveTold(spanId: number, from: number, to: number | null): Promise<boolean>;
  addBlindSpan(span: BlindSpan): Promise<void>;
  /** Removes those that ended before that time and everybody was told of, at most `most`, and says how many. */
  pruneBlindSpans(before: Instant, most: number): Promise<number>;
}

export interface JobReads {
  /** When the job is to be done next, or its claim runs out; null when it never was. */
  dueAt(name: string): Promise<Instant | null>;
}

export interface JobWrites extends JobReads {
  /**
   * Takes the job for oneself until that time; false when it is not due. What is due after `latest` is due now: only a
   * wrong clock can have put it off so far.
   */
  claim(name: string, now: Instant, until: Instant, latest: Instant): Promise<boolean>;
  /** The job is to be done next at that time. */
  postpone(name: string, until: Instant): Promise<void>;
}

/** What a provisioning file can declare, apart from accounts and keys, which have names that nothing else may have. */
export type DeclaredKind = 'project' | 'channel' | 'check';

export interface DeclarationWrites {
  /** Waits, as long as it takes, until no other transaction on any node is past this point; then others wait. */
  lock(): Promise<void>;
  /** Entries that a file has declared, by what it calls them: checks and channels of a project, projects of an account. */
  idsOf(kind: DeclaredKind, ownerId: number): Promise<Map<string, number>>;
  /** The entry is what a file calls by that name, from now on it alone. */
  declare(kind: DeclaredKind, ownerId: number, name: string, id: number): Promise<void>;
}

export interface InstanceReads {
  get(key: string): Promise<string | null>;
}

export interface InstanceWrites extends InstanceReads {
  /** Sets the value unless there is one; returns the one that holds now. */
  setOnce(key: string, value: string): Promise<string>;
}
