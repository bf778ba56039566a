import { ChangeCollector, type Changes } from '../../domain/change.ts';
import { ChangeMarks } from '../../domain/change-marks.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Driver, Reader, TransactionOptions, Writer } from '../driver.ts';
import { SqlAccountTokenReads, SqlAccountTokens } from './account-tokens.ts';
import { SqlAccountReads, SqlAccounts } from './accounts.ts';
import { SqlApiKeyReads, SqlApiKeys } from './api-keys.ts';
import { SqlAttemptLimits } from './attempt-limits.ts';
import { SqlAuditLog, SqlAuditLogReads } from './audit-log.ts';
import { SqlBodies, SqlBodyReads } from './bodies.ts';
import { SqlCalendarReads, SqlCalendars } from './calendars.ts';
import { SqlChannelMessageReads, SqlChannelMessages } from './channel-messages.ts';
import { SqlChannelReads, SqlChannels } from './channels.ts';
import { SqlCheckNoteReads, SqlCheckNotes } from './check-notes.ts';
import { SqlCheckParentReads, SqlCheckParents } from './check-parents.ts';
import { SqlCheckReads } from './check-reads.ts';
import { SqlChecks } from './checks.ts';
import { SqlDeclarations } from './declarations.ts';
import { SqlDeletedCheckReads, SqlDeletedChecks } from './deleted-checks.ts';
import { SqlDeliveries, SqlDeliveryReads } from './deliveries.ts';
import { SqlEmailChanges } from './email-changes.ts';
import { SqlFlipReads, SqlFlips } from './flips.ts';
import { SqlGroupMemberReads, SqlGroupMembers } from './group-members.ts';
import { SqlIdentities, SqlIdentityReads } from './identities.ts';
import { SqlImports } from './imports.ts';
import { SqlInstance, SqlInstanceReads } from './instance.ts';
import { SqlInvitationReads, SqlInvitations } from './invitations.ts';
import { SqlJobReads, SqlJobs } from './jobs.ts';
import { SqlKeptRunReads, SqlKeptRuns } from './kept-runs.ts';
import { KnownChecks } from './known-checks.ts';
import { SqlLinkReads, SqlLinks } from './links.ts';
import { SqlLiveness, SqlLivenessReads } from './liveness.ts';
import { SqlMailPreferenceReads, SqlMailPreferences } from './mail-preferences.ts';
import { SqlMailReads, SqlMails } from './mails.ts';
import { SqlMessageCountReads, SqlMessageCounts } from './message-counts.ts';
import { SqlOutageReads, SqlOutages } from './outages.ts';
import { SqlPasskeyReads, SqlPasskeys } from './passkeys.ts';
import { SqlPauses } from './pauses.ts';
import { SqlPingAliases, SqlPingAliasReads } from './ping-aliases.ts';
import { SqlPingReads, SqlPings } from './pings.ts';
import { SqlPolicies, SqlPolicyReads } from './policies.ts';
import { SqlProjectReads, SqlProjects } from './projects.ts';
import { SqlPruning, SqlPruningReads } from './pruning.ts';
import { SqlQuietTimeReads, SqlQuietTimes } from './quiet-times.ts';
import { SqlRateBuckets } from './rate-buckets.ts';
import { SqlSavedViewReads, SqlSavedViews } from './saved-views.ts';
import { SqlSecondFactorReads, SqlSecondFactors } from './second-factors.ts';
import { SqlSessionReads, SqlSessions } from './sessions.ts';
import { SqlStatusPageReads, SqlStatusPages } from './status-pages.ts';
import { oneRow } from './table.ts';
import { SqlTransferReads, SqlTransfers } from './transfers.ts';
import { SqlWallReads, SqlWalls } from './walls.ts';

/** Their methods alone: tests put objects of their own in the place of some parts. */
type Parts<T> = { readonly [Name in keyof T]: Pick<T[Name], keyof T[Name]> };

export type Reads = Parts<ReturnType<typeof reads>>;

export type Writes = Parts<ReturnType<typeof writes>>;

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

/**
 * The store over either driver, with the same code for both engines. After each commit `marks` are raised, and `onChanges`
 * receives the checks and channels that the transaction changed. The classes that write the rows note the changes, so that
 * no caller can forget it.
 */
export function createSqlStore(
  driver: Driver,
  onChanges: (changes: Changes) => void = () => undefined,
  marks = new ChangeMarks(),
): Store {
  const known = new KnownChecks();
  const announce = (changes: Changes) => {
    marks.note(changes);
    onChanges(changes);
  };
  return {
    ...reads(driver, driver.dialect),
    marks,
    async transaction(work, options) {
      let touched = new ChangeCollector();
      const result = await driver.transaction((tx) => {
        // If the work runs again, its earlier changes were rolled back.
        touched = new ChangeCollector();
        return work(writes(tx, driver.dialect, known, touched));
      }, options);
      if (!touched.isEmpty) announce(touched.take());
      return result;
    },
    shareState: () => driver.shareState?.(),
    time: () => timeOf(driver),
    probe: () => driver.probe(),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}

async function timeOf(driver: Driver): Promise<Instant | null> {
  const { currentTime } = driver.dialect;
  if (currentTime === null) return null;
  return oneRow(await driver.all<{ at: Instant }>(`select ${currentTime} as at`)).at;
}

function reads(db: Reader, dialect: Dialect) {
  return {
    accounts: new SqlAccountReads(db, dialect),
    sessions: new SqlSessionReads(db, dialect),
    links: new SqlLinkReads(db, dialect),
    invitations: new SqlInvitationReads(db, dialect),
    secondFactors: new SqlSecondFactorReads(db, dialect),
    passkeys: new SqlPasskeyReads(db, dialect),
    identities: new SqlIdentityReads(db, dialect),
    groupMembers: new SqlGroupMemberReads(db, dialect),
    auditLog: new SqlAuditLogReads(db, dialect),
    mailPreferences: new SqlMailPreferenceReads(db, dialect),
    projects: new SqlProjectReads(db, dialect),
    transfers: new SqlTransferReads(db, dialect),
    apiKeys: new SqlApiKeyReads(db, dialect),
    accountTokens: new SqlAccountTokenReads(db, dialect),
    channels: new SqlChannelReads(db, dialect),
    checks: new SqlCheckReads(db, dialect),
    pings: new SqlPingReads(db, dialect),
    pingAliases: new SqlPingAliasReads(db, dialect),
    checkNotes: new SqlCheckNoteReads(db, dialect),
    checkParents: new SqlCheckParentReads(db, dialect),
    deletedChecks: new SqlDeletedCheckReads(db, dialect),
    bodies: new SqlBodyReads(db, dialect),
    flips: new SqlFlipReads(db, dialect),
    deliveries: new SqlDeliveryReads(db, dialect),
    outages: new SqlOutageReads(db, dialect),
    mails: new SqlMailReads(db, dialect),
    channelMessages: new SqlChannelMessageReads(db, dialect),
    keptRuns: new SqlKeptRunReads(db, dialect),
    pruning: new SqlPruningReads(db, dialect),
    liveness: new SqlLivenessReads(db, dialect),
    jobs: new SqlJobReads(db, dialect),
    messageCounts: new SqlMessageCountReads(db, dialect),
    instance: new SqlInstanceReads(db, dialect),
    statusPages: new SqlStatusPageReads(db, dialect),
    walls: new SqlWallReads(db, dialect),
    quietTimes: new SqlQuietTimeReads(db, dialect),
    savedViews: new SqlSavedViewReads(db, dialect),
    policies: new SqlPolicyReads(db, dialect),
    calendars: new SqlCalendarReads(db, dialect),
  };
}

function writes(db: Writer, dialect: Dialect, known: KnownChecks, touched: ChangeCollector) {
  return {
    accounts: new SqlAccounts(db, dialect),
    sessions: new SqlSessions(db, dialect),
    links: new SqlLinks(db, dialect),
    invitations: new SqlInvitations(db, dialect),
    secondFactors: new SqlSecondFactors(db, dialect),
    passkeys: new SqlPasskeys(db, dialect),
    identities: new SqlIdentities(db, dialect),
    groupMembers: new SqlGroupMembers(db, dialect),
    auditLog: new SqlAuditLog(db, dialect),
    mailPreferences: new SqlMailPreferences(db, dialect),
    projects: new SqlProjects(db, dialect, touched),
    transfers: new SqlTransfers(db, dialect),
    apiKeys: new SqlApiKeys(db, dialect),
    accountTokens: new SqlAccountTokens(db, dialect),
    channels: new SqlChannels(db, dialect, touched),
    checks: new SqlChecks(db, dialect, known, touched),
    deletedChecks: new SqlDeletedChecks(db, dialect),
    pings: new SqlPings(db, dialect),
    pingAliases: new SqlPingAliases(db, dialect),
    checkNotes: new SqlCheckNotes(db, dialect, touched),
    checkParents: new SqlCheckParents(db, dialect, touched),
    bodies: new SqlBodies(db, dialect),
    flips: new SqlFlips(db, dialect),
    pauses: new SqlPauses(db, dialect),
    deliveries: new SqlDeliveries(db, dialect, touched),
    outages: new SqlOutages(db, dialect, known),
    mails: new SqlMails(db, dialect),
    channelMessages: new SqlChannelMessages(db, dialect),
    keptRuns: new SqlKeptRuns(db, dialect),
    pruning: new SqlPruning(db, dialect),
    liveness: new SqlLiveness(db, dialect),
    jobs: new SqlJobs(db, dialect),
    messageCounts: new SqlMessageCounts(db, dialect),
    instance: new SqlInstance(db, dialect),
    statusPages: new SqlStatusPages(db, dialect),
    walls: new SqlWalls(db, dialect),
    quietTimes: new SqlQuietTimes(db, dialect, touched),
    savedViews: new SqlSavedViews(db, dialect),
    policies: new SqlPolicies(db, dialect, touched),
    calendars: new SqlCalendars(db, dialect, touched),
    declarations: new SqlDeclarations(db, dialect),
    imports: new SqlImports(db, dialect),
    rateBuckets: new SqlRateBuckets(db, dialect, 'rate_buckets'),
    accountRateBuckets: new SqlRateBuckets(db, dialect, 'account_rate_buckets'),
    tokenRateBuckets: new SqlRateBuckets(db, dialect, 'token_rate_buckets'),
    attemptLimits: new SqlAttemptLimits(db, dialect),
    emailChanges: new SqlEmailChanges(db, dialect),
  };
}
