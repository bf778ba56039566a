import type { ChangeMarks } from '../domain/change-marks.ts';
import type { Instant } from '../lib/instant.ts';
import type { TransactionOptions } from './driver.ts';
import type { AccountTokenReads, AccountTokenWrites } from './store/account-tokens.ts';
import type { AccountReads, AccountWrites } from './store/accounts.ts';
import type { ApiKeyReads, ApiKeyWrites } from './store/api-keys.ts';
import type { AttemptLimitWrites } from './store/attempt-limits.ts';
import type { AuditLogReads, AuditLogWrites } from './store/audit-log.ts';
import type { BodyReads, BodyWrites } from './store/bodies.ts';
import type { ChannelReads, ChannelWrites } from './store/channels.ts';
import type { CheckReads, CheckWrites } from './store/checks.ts';
import type { DeclarationWrites } from './store/declarations.ts';
import type { DeletedCheckReads, DeletedCheckWrites } from './store/deleted-checks.ts';
import type { DeliveryReads, DeliveryWrites } from './store/deliveries.ts';
import type { EmailChangeWrites } from './store/email-changes.ts';
import type { FlipReads, FlipWrites } from './store/flips.ts';
import type { GroupMemberReads, GroupMemberWrites } from './store/group-members.ts';
import type { IdentityReads, IdentityWrites } from './store/identities.ts';
import type { InstanceReads, InstanceWrites } from './store/instance.ts';
import type { InvitationReads, InvitationWrites } from './store/invitations.ts';
import type { JobReads, JobWrites } from './store/jobs.ts';
import type { LinkReads, LinkWrites } from './store/links.ts';
import type { LivenessReads, LivenessWrites } from './store/liveness.ts';
import type { MailPreferenceReads, MailPreferenceWrites } from './store/mail-preferences.ts';
import type { MailReads, MailWrites } from './store/mails.ts';
import type { MessageCountReads, MessageCountWrites } from './store/message-counts.ts';
import type { PasskeyReads, PasskeyWrites } from './store/passkeys.ts';
import type { PingReads, PingWrites } from './store/pings.ts';
import type { ProjectReads, ProjectWrites } from './store/projects.ts';
import type { PruningReads, PruningWrites } from './store/pruning.ts';
import type { RateBucketWrites } from './store/rate-buckets.ts';
import type { SavedViewReads, SavedViewWrites } from './store/saved-views.ts';
import type { SecondFactorReads, SecondFactorWrites } from './store/second-factors.ts';
import type { SessionReads, SessionWrites } from './store/sessions.ts';
import type { StatusPageReads, StatusPageWrites } from './store/status-pages.ts';
import type { TransferReads, TransferWrites } from './store/transfers.ts';
import type { WallReads, WallWrites } from './store/walls.ts';

export { isConflict } from './driver.ts';
export type * from './store/account-tokens.ts';
export type * from './store/accounts.ts';
export type * from './store/api-keys.ts';
export type * from './store/attempt-limits.ts';
export type * from './store/audit-log.ts';
export type * from './store/bodies.ts';
export type * from './store/channels.ts';
export type * from './store/checks.ts';
export type * from './store/declarations.ts';
export type * from './store/deleted-checks.ts';
export type * from './store/deliveries.ts';
export type * from './store/email-changes.ts';
export type * from './store/flips.ts';
export { BEFORE_ALL_FLIPS } from './store/flips.ts';
export type * from './store/group-members.ts';
export type * from './store/identities.ts';
export type * from './store/instance.ts';
export type * from './store/invitations.ts';
export type * from './store/jobs.ts';
export type * from './store/links.ts';
export type * from './store/liveness.ts';
export type * from './store/mail-preferences.ts';
export type * from './store/mails.ts';
export type * from './store/message-counts.ts';
export type * from './store/passkeys.ts';
export type * from './store/pings.ts';
export type * from './store/projects.ts';
export type * from './store/pruning.ts';
export type * from './store/rate-buckets.ts';
export type * from './store/saved-views.ts';
export type * from './store/second-factors.ts';
export type * from './store/sessions.ts';
export type * from './store/status-pages.ts';
export type * from './store/transfers.ts';
export type * from './store/turns.ts';
export type * from './store/walls.ts';

/**
 * The contract of storage. Both engines keep it, and `contract.test-suite.ts` tests both. Reads are on the store
 * itself; writes need a `transaction`.
 */
export interface Store extends Reads, AsyncDisposable {
  /** Raised after each commit of this node, before `transaction` resolves, and by the notices of other nodes. */
  readonly marks: ChangeMarks;
  /**
   * Commits everything or nothing. `work` may run again after a deadlock, so it must have no other effects. It may share
   * its commit with transactions that wait behind it, and is told after them; see `TransactionOptions`.
   */
  transaction<T>(work: (tx: Writes) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Lets all reads of the running callback and of its promises see one state of the database if that costs less than a
   * state for each. Nothing that was acknowledged before the call is missed.
   */
  shareState(): void;
  /** The time of the database's clock. Null if the database uses the clock of this machine. */
  time(): Promise<Instant | null>;
  /** Runs real queries on the connections that serve requests, and throws if any of them fails. */
  probe(): Promise<void>;
}

export interface Reads {
  readonly accounts: AccountReads;
  readonly sessions: SessionReads;
  readonly links: LinkReads;
  readonly invitations: InvitationReads;
  readonly secondFactors: SecondFactorReads;
  readonly passkeys: PasskeyReads;
  readonly identities: IdentityReads;
  readonly groupMembers: GroupMemberReads;
  readonly auditLog: AuditLogReads;
  readonly mailPreferences: MailPreferenceReads;
  readonly projects: ProjectReads;
  readonly transfers: TransferReads;
  readonly apiKeys: ApiKeyReads;
  readonly accountTokens: AccountTokenReads;
  readonly channels: ChannelReads;
  readonly checks: CheckReads;
  readonly deletedChecks: DeletedCheckReads;
  readonly pings: PingReads;
  readonly bodies: BodyReads;
  readonly flips: FlipReads;
  readonly deliveries: DeliveryReads;
  readonly mails: MailReads;
  readonly pruning: PruningReads;
  readonly liveness: LivenessReads;
  readonly jobs: JobReads;
  readonly messageCounts: MessageCountReads;
  readonly instance: InstanceReads;
  readonly statusPages: StatusPageReads;
  readonly walls: WallReads;
  readonly savedViews: SavedViewReads;
}

export interface Writes extends Reads {
  readonly accounts: AccountWrites;
  readonly sessions: SessionWrites;
  readonly links: LinkWrites;
  readonly invitations: InvitationWrites;
  readonly secondFactors: SecondFactorWrites;
  readonly passkeys: PasskeyWrites;
  readonly identities: IdentityWrites;
  readonly groupMembers: GroupMemberWrites;
  readonly auditLog: AuditLogWrites;
  readonly mailPreferences: MailPreferenceWrites;
  readonly projects: ProjectWrites;
  readonly transfers: TransferWrites;
  readonly apiKeys: ApiKeyWrites;
  readonly accountTokens: AccountTokenWrites;
  readonly channels: ChannelWrites;
  readonly checks: CheckWrites;
  readonly deletedChecks: DeletedCheckWrites;
  readonly pings: PingWrites;
  readonly bodies: BodyWrites;
  readonly flips: FlipWrites;
  readonly deliveries: DeliveryWrites;
  readonly mails: MailWrites;
  readonly pruning: PruningWrites;
  readonly liveness: LivenessWrites;
  readonly jobs: JobWrites;
  readonly messageCounts: MessageCountWrites;
  readonly instance: InstanceWrites;
  readonly statusPages: StatusPageWrites;
  readonly walls: WallWrites;
  readonly savedViews: SavedViewWrites;
  readonly declarations: DeclarationWrites;
  /** The remaining requests of each project, and those of each account by its sessions and by its tokens. */
  readonly rateBuckets: RateBucketWrites;
  readonly accountRateBuckets: RateBucketWrites;
  readonly tokenRateBuckets: RateBucketWrites;
  readonly attemptLimits: AttemptLimitWrites;
  readonly emailChanges: EmailChangeWrites;
}
