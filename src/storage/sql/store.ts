import { ChangeCollector, type Changes } from '../../domain/change.ts';
import { ChangeMarks } from '../../domain/change-marks.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Driver, Reader, Writer } from '../driver.ts';
import type { Reads, Store, Writes } from '../store.ts';
import { SqlAccountTokenReads, SqlAccountTokens } from './account-tokens.ts';
import { SqlAccountReads, SqlAccounts } from './accounts.ts';
import { SqlApiKeyReads, SqlApiKeys } from './api-keys.ts';
import { SqlAttemptLimits } from './attempt-limits.ts';
import { SqlAuditLog, SqlAuditLogReads } from './audit-log.ts';
import { SqlBodies, SqlBodyReads } from './bodies.ts';
import { SqlChannelReads, SqlChannels } from './channels.ts';
import { SqlCheckReads } from './check-reads.ts';
import { SqlChecks } from './checks.ts';
import { SqlDeclarations } from './declarations.ts';
import { SqlDeletedCheckReads, SqlDeletedChecks } from './deleted-checks.ts';
import { SqlDeliveries, SqlDeliveryReads } from './deliveries.ts';
import { SqlEmailChanges } from './email-changes.ts';
import { SqlFlipReads, SqlFlips } from './flips.ts';
import { SqlGroupMemberReads, SqlGroupMembers } from './group-members.ts';
import { SqlIdentities, SqlIdentityReads } from './identities.ts';
import { SqlInstance, SqlInstanceReads } from './instance.ts';
import { SqlInvitationReads, SqlInvitations } from './invitations.ts';
import { SqlJobReads, SqlJobs } from './jobs.ts';
import { KnownChecks } from './known-checks.ts';
import { SqlLinkReads, SqlLinks } from './links.ts';
import { SqlLiveness, SqlLivenessReads } from './liveness.ts';
import { SqlMailPreferenceReads, SqlMailPreferences } from './mail-preferences.ts';
import { SqlMailReads, SqlMails } from './mails.ts';
import { SqlMessageCountReads, SqlMessageCounts } from './message-counts.ts';
import { SqlPasskeyReads, SqlPasskeys } from './passkeys.ts';
import { SqlPingReads, SqlPings } from './pings.ts';
import { SqlProjectReads, SqlProjects } from './projects.ts';
import { SqlPruning, SqlPruningReads } from './pruning.ts';
import { SqlRateBuckets } from './rate-buckets.ts';
import { SqlSavedViewReads, SqlSavedViews } from './saved-views.ts';
import { SqlSecondFactorReads, SqlSecondFactors } from './second-factors.ts';
import { SqlSessionReads, SqlSessions } from './sessions.ts';
import { SqlStatusPageReads, SqlStatusPages } from './status-pages.ts';
import { oneRow } from './table.ts';
import { SqlTransferReads, SqlTransfers } from './transfers.ts';
import { SqlWallReads, SqlWalls } from './walls.ts';

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

function reads(db: Reader, dialect: Dialect): Reads {
  return {
    accounts: new SqlAccountReads(db, dialect),
    sessions: new SqlSessionReads(db),
    links: new SqlLinkReads(db),
    invitations: new SqlInvitationReads(db),
    secondFactors: new SqlSecondFactorReads(db),
    passkeys: new SqlPasskeyReads(db),
    identities: new SqlIdentityReads(db),
    groupMembers: new SqlGroupMemberReads(db),
    auditLog: new SqlAuditLogReads(db),
    mailPreferences: new SqlMailPreferenceReads(db, dialect),
    projects: new SqlProjectReads(db, dialect),
    transfers: new SqlTransferReads(db),
    apiKeys: new SqlApiKeyReads(db),
    accountTokens: new SqlAccountTokenReads(db),
    channels: new SqlChannelReads(db, dialect),
    checks: new SqlCheckReads(db, dialect),
    pings: new SqlPingReads(db, dialect),
    deletedChecks: new SqlDeletedCheckReads(db),
    bodies: new SqlBodyReads(db),
    flips: new SqlFlipReads(db, dialect),
    deliveries: new SqlDeliveryReads(db, dialect),
    mails: new SqlMailReads(db),
    pruning: new SqlPruningReads(db),
    liveness: new SqlLivenessReads(db),
    jobs: new SqlJobReads(db),
    messageCounts: new SqlMessageCountReads(db),
    instance: new SqlInstanceReads(db, dialect),
    statusPages: new SqlStatusPageReads(db, dialect),
    walls: new SqlWallReads(db),
    savedViews: new SqlSavedViewReads(db),
  };
}

function writes(db: Writer, dialect: Dialect, known: KnownChecks, touched: ChangeCollector): Writes {
  return {
    accounts: new SqlAccounts(db, dialect),
    sessions: new SqlSessions(db, dialect),
    links: new SqlLinks(db, dialect),
    invitations: new SqlInvitations(db, dialect),
    secondFactors: new SqlSecondFactors(db),
    passkeys: new SqlPasskeys(db),
    identities: new SqlIdentities(db),
    groupMembers: new SqlGroupMembers(db),
    auditLog: new SqlAuditLog(db, dialect),
    mailPreferences: new SqlMailPreferences(db, dialect),
    projects: new SqlProjects(db, dialect, touched),
    transfers: new SqlTransfers(db),
    apiKeys: new SqlApiKeys(db, dialect),
    accountTokens: new SqlAccountTokens(db, dialect),
    channels: new SqlChannels(db, dialect, touched),
    checks: new SqlChecks(db, dialect, known, touched),
    deletedChecks: new SqlDeletedChecks(db, dialect),
    pings: new SqlPings(db, dialect),
    bodies: new SqlBodies(db, dialect),
    flips: new SqlFlips(db, dialect),
    deliveries: new SqlDeliveries(db, dialect, touched),
    mails: new SqlMails(db, dialect),
    pruning: new SqlPruning(db, dialect),
    liveness: new SqlLiveness(db, dialect),
    jobs: new SqlJobs(db),
    messageCounts: new SqlMessageCounts(db),
    instance: new SqlInstance(db, dialect),
    statusPages: new SqlStatusPages(db, dialect),
    walls: new SqlWalls(db),
    savedViews: new SqlSavedViews(db),
    declarations: new SqlDeclarations(db, dialect),
    rateBuckets: new SqlRateBuckets(db, dialect, 'rate_buckets'),
    accountRateBuckets: new SqlRateBuckets(db, dialect, 'account_rate_buckets'),
    tokenRateBuckets: new SqlRateBuckets(db, dialect, 'token_rate_buckets'),
    attemptLimits: new SqlAttemptLimits(db),
    emailChanges: new SqlEmailChanges(db, dialect),
  };
}
