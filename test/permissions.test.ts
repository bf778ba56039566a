import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Check, FRESH_STATE } from '../src/domain/check/check.ts';
import { AppError } from '../src/domain/errors.ts';
import type { EventQuestion } from '../src/domain/history/event-log.ts';
import type { Account } from '../src/domain/people/account.ts';
import { generatePingKey } from '../src/domain/people/api-key.ts';
import { ALL_ACTS } from '../src/domain/people/audit.ts';
import {
  type AccountCaller,
  type AccountPermission,
  type Caller,
  isAllowed,
  isAllowedOnAccount,
  needsConfirmation,
  needsConfirmationOnAccount,
  PERMISSIONS,
  type Permission,
  type Role,
  SCOPES,
} from '../src/domain/people/permission.ts';
import type { Session } from '../src/domain/people/session.ts';
import type { StatusPage } from '../src/domain/public/status-page.ts';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { messageLimits } from '../src/integrations/registry.ts';
import { newTotpSecret, totpCode } from '../src/lib/totp.ts';
import { sha256 } from '../src/lib/vault.ts';
import { projectMetrics } from '../src/reading/lists.ts';
import {
  acknowledgeCheck,
  snoozeCheck,
  unacknowledgeCheck,
  unsnoozeCheck,
} from '../src/services/alert/answers.ts';
import {
  createCalendar,
  deleteCalendar,
  editCalendar,
  getCalendar,
  listCalendars,
  listCalendarUses,
} from '../src/services/alert/calendars.ts';
import { confirmChannel, sendNewCode } from '../src/services/alert/channel-codes.ts';
import { askRecipient, askUnconfirmedRecipient } from '../src/services/alert/channel-confirmation.ts';
import { beginConnection } from '../src/services/alert/channel-connections.ts';
import { prepareChannelEdit, prepareNewChannel } from '../src/services/alert/channel-preparation.ts';
import { previewChannel, previewChannelDraft } from '../src/services/alert/channel-preview.ts';
import {
  assignChecks,
  createChannel,
  createChannelIn,
  deleteChannel,
  draftChannel,
  editChannel,
  editChannelIn,
  getChannel,
  listChannels,
  renameChannel,
  showChannel,
  switchChannelOff,
  switchChannelOn,
} from '../src/services/alert/channels.ts';
import {
  hurryChannel,
  hurryDelivery,
  listDeliveries,
  retryDelivery,
} from '../src/services/alert/deliveries.ts';
import {
  createPolicy,
  deletePolicy,
  editPolicy,
  getAlerting,
  getPolicy,
  listPolicies,
  listPolicyUses,
  setAlerting,
} from '../src/services/alert/policies.ts';
import { sendTestMessage, testDraft } from '../src/services/alert/test-message.ts';
import { readUsage } from '../src/services/alert/undelivered.ts';
import { onMany, performOnMany, restoreMany } from '../src/services/check/check-bulk.ts';
import {
  type CheckCommand,
  type CheckResult,
  performCommands,
} from '../src/services/check/check-commands.ts';
import {
  listDeleted,
  removeCheck,
  restoreCheck,
  restoreCheckIn,
} from '../src/services/check/check-deletion.ts';
import { editorChoices, previewDraft, slugOwner, tryFilter } from '../src/services/check/check-editor.ts';
import { listOutlines, listSummaries, readChecks } from '../src/services/check/check-list.ts';
import { clearEvents, copyCheck, moveCheck, replaceAddress } from '../src/services/check/check-moves.ts';
import { setPolicyOfChecks } from '../src/services/check/check-policies.ts';
import {
  addCheck,
  addChecks,
  adjustCheck,
  createCheck,
  createChecks,
  deleteCheck,
  findById,
  findCheck,
  findRevision,
  findWithChannels,
  pauseCheck,
  pauseLocked,
  readCheck,
  resumeCheck,
  resumeCheckExpecting,
  undoPauseOfCheck,
  updateCheck,
} from '../src/services/check/checks.ts';
import { changedFileFields } from '../src/services/check/file-fields.ts';
import { acceptTiming, followJob } from '../src/services/check/origins.ts';
import {
  announceQuietTime,
  deleteQuietTime,
  editQuietTime,
  getQuietTime,
  listQuietTimes,
  stopQuietTime,
} from '../src/services/check/quiet-times.ts';
import { changeView, deleteView, listViews, saveView } from '../src/services/check/saved-views.ts';
import { type Actor, systemActor } from '../src/services/core/actor.ts';
import { listFlips } from '../src/services/core/flips.ts';
import {
  exportActs,
  exportOwnActs,
  lastEdit,
  listActs,
  listCheckActs,
  listOwnActs,
} from '../src/services/history/audit-log.ts';
import { foretellDraft } from '../src/services/history/draft-telling.ts';
import { exportEvents, listEvents } from '../src/services/history/event-log.ts';
import { readMovedBody, readPingPage } from '../src/services/history/ping-page.ts';
import { listCheckRuns } from '../src/services/history/run-list.ts';
import { askWhy } from '../src/services/history/why.ts';
import { examineInstallation, type Instance, sendTestMail } from '../src/services/instance/instance.ts';
import { type AccountActor, operatorOn } from '../src/services/people/account-actor.ts';
import { closeAccount, previewClosing } from '../src/services/people/closing.ts';
import { listConfirmationWays } from '../src/services/people/confirmation-ways.ts';
import type { AccountDeps } from '../src/services/people/deps.ts';
import { exportAccount } from '../src/services/people/export.ts';
import {
  invite,
  listInvitations,
  renewInvitation,
  revokeInvitation,
  suggestPeople,
} from '../src/services/people/invitations.ts';
import { confirmWithMailedCode, requestConfirmation } from '../src/services/people/mailed-codes.ts';
import { listMoveTargets } from '../src/services/people/move-targets.ts';
import {
  createOwnProject,
  enterByCheck,
  enterProject,
  enterProjects,
  listProjects,
  readProjectList,
  restoreProject,
} from '../src/services/people/own-projects.ts';
import { addPasskey, beginPasskey, removePasskey, renamePasskey } from '../src/services/people/passkeys.ts';
import { editProfile, readProfile } from '../src/services/people/profile.ts';
import { sealTogether } from '../src/services/people/sealed.ts';
import {
  addAuthenticator,
  beginAuthenticator,
  removeAuthenticator,
  renewRecoveryCodes,
} from '../src/services/people/second-factors.ts';
import {
  confirmSession,
  confirmWithCode,
  confirmWithPassword,
  endOtherSessions,
  endSession,
  listSessions,
} from '../src/services/people/sessions.ts';
import { beginConfirmation, confirmWithPasskey } from '../src/services/people/signatures.ts';
import { createToken, revokeToken } from '../src/services/people/tokens.ts';
import {
  acceptProject,
  declineProject,
  offerProject,
  readOffer,
  withdrawOffer,
} from '../src/services/people/transfers.ts';
import { leaveVisited, visitProject } from '../src/services/people/visits.ts';
import { findLastWayIn } from '../src/services/people/ways-in.ts';
import {
  addCheckAlias,
  addProjectAlias,
  listCheckAliases,
  listProjectAliases,
  readDialects,
  removeCheckAlias,
  removeProjectAlias,
  setDialects,
} from '../src/services/ping/aliases.ts';
import { readDeclarationMode, setDeclarationMode } from '../src/services/ping/declarations.ts';
import { chooseAddressForm, readAddressing } from '../src/services/ping/ping-addresses.ts';
import { getPingBody, getShownPingBody, listPings, pingByHand } from '../src/services/ping/pings.ts';
import {
  createKey,
  listKeys,
  replacePingKey,
  revealPingKey,
  revokeKey,
  revokeKeyIn,
  revokePingKey,
  rotateKey,
} from '../src/services/project/keys.ts';
import { accessMadeBy, settleAccess } from '../src/services/project/member-access.ts';
import {
  changeRole,
  leaveProject,
  listMemberAccess,
  listMembers,
  removeMember,
} from '../src/services/project/members.ts';
import { deleteProject, readProject, renameProject, setPingKey } from '../src/services/project/projects.ts';
import { createWall, revokeWall, revokeWallIn } from '../src/services/project/walls.ts';
import { listBadges, rotateBadgeKey } from '../src/services/public/badges.ts';
import { ProjectMetrics } from '../src/services/public/project-metrics.ts';
import {
  correctUpdate,
  createStatusPage,
  deleteNotice,
  deleteStatusPage,
  editStatusPage,
  openNotice,
  postUpdate,
  publishStatusPage,
} from '../src/services/public/status-pages.ts';
import {
  createAccount,
  deleteAccount,
  endAllSessions,
  findAccountByUuid,
  offerPassword,
  removeSecondFactors,
  replacePassword,
  setAccountLimits,
  setActive,
  setAdmin,
} from '../src/services/sign-up/administration.ts';
import { changeEmail, changePassword } from '../src/services/sign-up/credentials.ts';
import { removeIdentities, removeIdentity } from '../src/services/sign-up/identities.ts';
import {
  acceptInvitation,
  acceptOwnInvitation,
  declineOwnInvitation,
  listOwnInvitations,
} from '../src/services/sign-up/joining.ts';
import { beginConfirming, beginConnecting } from '../src/services/sign-up/provider-sign-in.ts';
import { START, sharedTestApp } from './app.ts';
import { givenAccount, PASSWORD } from './dashboard/browser.ts';
import { VirtualAuthenticator } from './dashboard/virtual-authenticator.ts';
import { forOneEngine } from './engines.ts';
import {
  accountRecord,
  calendarRecord,
  checkRecord,
  deliveryRecord,
  flipRecord,
  identityRecord,
  invitationRecord,
  linkRecord,
  noticeRecord,
  noticeUpdateRecord,
  passkeyRecord,
  policyRecord,
  projectRecord,
  quietTimeRecord,
  sessionRecord,
  statusPageRecord,
  unique,
  wallRecord,
} from './records.ts';

/**
 * The objects of verbs: a project with a member and an invitation, a paused check with a ping that has a body, and a
 * channel.
 */
interface Things {
  readonly deps: AccountDeps;
  readonly ownerId: number;
  readonly member: Account;
  readonly check: Check;
  readonly channelUuid: string;
  /** The account's UUID. */
  readonly memberUuid: string;
  readonly invitationUuid: string;
  readonly keyUuid: string;
  readonly wallUuid: string;
  readonly policyUuid: string;
  readonly calendarUuid: string;
  readonly statusPage: StatusPage;
  /** A notice of the status page, with its only update. */
  readonly notice: { readonly uuid: string; readonly notice: string; readonly update: string };
}

interface Verb {
  readonly permission: Permission;
  /** The program has no role of its own. */
  readonly needsRole?: boolean;
  act(actor: Actor, things: Things): unknown;
}

const QUIET_HOUR = {
  ...{ name: 'deploy', reason: '', checks: [], tags: 'none', schedule: '', tz: 'UTC' },
  ...{ fromAt: null, untilAt: null, durationSeconds: 3600 },
};

async function aQuietTime({ store }: Pick<AccountDeps, 'store'>, { projectId }: Actor): Promise<string> {
  const { uuid } = await store.transaction((tx) => tx.quietTimes.insert(quietTimeRecord(projectId)));
  return uuid;
}

const VIEW = { name: 'Backups', query: 'tag=backup', isShared: false };
const SENDER = { scheme: 'https', remoteAddr: null };
const EVENTS: EventQuestion = {
  filter: { kinds: ['success'], from: null, before: null, words: '', view: 'runs' },
  place: null,
};
const SPAN = { from: null, before: null };
const NO_PROJECT = 0;
const NEW_CHANNEL = { kind: 'email', name: '', settings: { email: 'bob@example.org' } };
const CHANNEL_EDIT = { settings: { email: 'bob@example.org' } };

const OFFER = { server: SERVER, hasMail: true };
const SEND_CODE = async () => ({ kind: 'delivered' }) as const;
const PREVIEW = async () => ({ requests: [], mails: [], channels: [], error: '' });

/** A message of the check to the channel that waits to be sent. Returns its UUID. */
async function openDelivery({ store }: AccountDeps, { id }: Check, channelUuid: string): Promise<string> {
  const channel = await store.channels.byUuid(channelUuid);
  return store.transaction(async (tx) => {
    const [flip] = await tx.flips.insertMany([flipRecord(id)]);
    if (flip === undefined || channel === null) throw new Error('there is a channel');
    const delivery = deliveryRecord(flip, channel.id);
    await tx.deliveries.insertMany([delivery]);
    return delivery.uuid;
  });
}

async function performOne(deps: AccountDeps, command: CheckCommand): Promise<CheckResult> {
  const [outcome] = await performCommands(deps, [command]);
  if (outcome === undefined || 'failure' in outcome) throw outcome?.failure;
  return outcome.value;
}

/** The UUID of another check of the project, which was deleted. */
async function givenDeleted(deps: AccountDeps, { projectId }: Check): Promise<string> {
  const { check } = await createCheck(deps, systemActor(projectId), { edit: {}, match: null });
  await removeCheck(deps, systemActor(projectId), check.id, null);
  return check.uuid;
}

/** The actor with the account that owns the project, which some verbs look for. */
function ofOwner(actor: Actor, { ownerId }: Things): Actor {
  const { caller } = actor;
  return 'accountId' in caller ? { ...actor, caller: { ...caller, accountId: ownerId } } : actor;
}

/** The check of the tests is not down, which is found out after the permission. */
async function unlessUp(answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'check_not_down') throw error;
  });
}

/** Every verb that has an actor, and what it asks for. */
const VERBS: Readonly<Record<string, Verb>> = {
  findCheck: {
    permission: 'checks.view',
    act: (actor, { deps, check }) => findCheck(deps, actor, { uuid: check.uuid }),
  },
  findRevision: {
    permission: 'checks.view',
    act: (actor, { deps, check }) => findRevision(deps, actor, { uuid: check.uuid }),
  },
  listOutlines: {
    permission: 'checks.view',
    act: (actor, { deps }) => listOutlines(deps, actor, { slug: null, tags: [] }),
  },
  readChecks: {
    permission: 'checks.view',
    act: (actor, { deps }) => readChecks(deps, actor, [], 0),
  },
  readCheck: {
    permission: 'checks.view',
    act: (actor, { deps, check }) => readCheck(deps, actor, check),
  },
  listSummaries: { permission: 'metrics.view', act: (actor, { deps }) => listSummaries(deps, actor) },
  ProjectMetrics: {
    permission: 'metrics.view',
    act: (actor, { deps }) =>
      new ProjectMetrics(deps, () => deps.reads.ask(projectMetrics, { actor })).textFor(actor),
  },
  listBadges: {
    permission: 'checks.view',
    act: (actor, { deps }) => Array.fromAsync(listBadges(deps, actor)),
  },
  rotateBadgeKey: { permission: 'keys.edit', act: (actor, { deps }) => rotateBadgeKey(deps, actor) },
  listViews: { permission: 'views.edit', needsRole: true, act: (actor, { deps }) => listViews(deps, actor) },
  saveView: {
    permission: 'views.edit',
    needsRole: true,
    act: (actor, { deps }) => saveView(deps, actor, VIEW),
  },
  changeView: {
    permission: 'views.edit',
    needsRole: true,
    act: async (actor, { deps }) =>
      changeView(deps, actor, (await saveView(deps, actor, VIEW)).uuid, { name: 'Mornings' }),
  },
  deleteView: {
    permission: 'views.edit',
    needsRole: true,
    act: async (actor, { deps }) => deleteView(deps, actor, (await saveView(deps, actor, VIEW)).uuid),
  },
  readDialects: { permission: 'project.view', act: (actor, { deps }) => readDialects(deps, actor) },
  setDialects: {
    permission: 'project.edit',
    act: (actor, { deps }) => setDialects(deps, actor, { kuma: true, cronitor: null }),
  },
  followJob: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => followJob(deps, actor, check.id),
  },
  acceptTiming: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => acceptTiming(deps, actor, check.id),
  },
  readDeclarationMode: {
    permission: 'project.view',
    act: (actor, { deps }) => readDeclarationMode(deps, actor),
  },
  setDeclarationMode: {
    permission: 'project.edit',
    act: (actor, { deps }) => setDeclarationMode(deps, actor, 'follow'),
  },
  listCheckAliases: {
    permission: 'checks.view_addresses',
    act: (actor, { deps, check }) => listCheckAliases(deps, actor, check.id),
  },
  addCheckAlias: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) =>
      addCheckAlias(deps, actor, check.id, { dialect: 'kuma', token: unique() }),
  },
  removeCheckAlias: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      await addCheckAlias(deps, actor, check.id, { dialect: 'kuma', token: unique() });
      const [alias] = await deps.store.pingAliases.ofCheck(check.id);
      await removeCheckAlias(deps, actor, check.id, alias?.uuid ?? '');
    },
  },
  listProjectAliases: {
    permission: 'keys.edit',
    act: (actor, { deps }) => listProjectAliases(deps, actor),
  },
  addProjectAlias: {
    permission: 'keys.edit',
    act: (actor, { deps }) => addProjectAlias(deps, actor, { dialect: 'cronitor', token: unique() }),
  },
  removeProjectAlias: {
    permission: 'keys.edit',
    act: async (actor, { deps }) => {
      await addProjectAlias(deps, actor, { dialect: 'cronitor', token: unique() });
      const [alias] = await deps.store.pingAliases.ofProject(actor.projectId);
      await removeProjectAlias(deps, actor, alias?.uuid ?? '');
    },
  },
  listPolicies: { permission: 'policies.view', act: (actor, { deps }) => listPolicies(deps, actor) },
  listPolicyUses: {
    permission: 'policies.view',
    act: (actor, { deps }) => listPolicyUses(deps, actor),
  },
  getPolicy: {
    permission: 'policies.view',
    act: (actor, { deps, policyUuid }) => getPolicy(deps, actor, policyUuid),
  },
  createPolicy: {
    permission: 'policies.edit',
    act: (actor, { deps }) => createPolicy(deps, actor, 'night', { wait: 900 }),
  },
  editPolicy: {
    permission: 'policies.edit',
    act: (actor, { deps, policyUuid }) => editPolicy(deps, actor, policyUuid, { rules: { wait: 900 } }),
  },
  deletePolicy: {
    permission: 'policies.edit',
    act: (actor, { deps, policyUuid }) => deletePolicy(deps, actor, policyUuid, false),
  },
  listCalendars: { permission: 'policies.view', act: (actor, { deps }) => listCalendars(deps, actor) },
  listCalendarUses: {
    permission: 'policies.view',
    act: (actor, { deps }) => listCalendarUses(deps, actor),
  },
  getCalendar: {
    permission: 'policies.view',
    act: (actor, { deps, calendarUuid }) => getCalendar(deps, actor, calendarUuid),
  },
  createCalendar: {
    permission: 'policies.edit',
    act: (actor, { deps }) =>
      createCalendar(deps, actor, {
        ...{ name: 'night', schedule: '22:00', tz: 'UTC', durationSeconds: 28_800, exceptDates: '' },
      }),
  },
  editCalendar: {
    permission: 'policies.edit',
    act: (actor, { deps, calendarUuid }) =>
      editCalendar(deps, actor, calendarUuid, { durationSeconds: 3600 }),
  },
  deleteCalendar: {
    permission: 'policies.edit',
    act: (actor, { deps, calendarUuid }) => deleteCalendar(deps, actor, calendarUuid, false),
  },
  getAlerting: { permission: 'policies.view', act: (actor, { deps }) => getAlerting(deps, actor) },
  setAlerting: {
    permission: 'policies.edit',
    act: (actor, { deps }) => setAlerting(deps, actor, { policy: 'patient', tags: [] }),
  },
  setPolicyOfChecks: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => setPolicyOfChecks(deps, actor, [check.uuid], ''),
  },
  listQuietTimes: { permission: 'policies.view', act: (actor, { deps }) => listQuietTimes(deps, actor) },
  getQuietTime: {
    permission: 'policies.view',
    act: async (actor, { deps }) => getQuietTime(deps, actor, await aQuietTime(deps, actor)),
  },
  announceQuietTime: {
    permission: 'policies.edit',
    act: (actor, { deps }) => announceQuietTime(deps, actor, QUIET_HOUR),
  },
  editQuietTime: {
    permission: 'policies.edit',
    act: async (actor, { deps }) => editQuietTime(deps, actor, await aQuietTime(deps, actor), QUIET_HOUR),
  },
  stopQuietTime: {
    permission: 'policies.edit',
    act: async (actor, { deps }) => stopQuietTime(deps, actor, await aQuietTime(deps, actor)),
  },
  deleteQuietTime: {
    permission: 'policies.edit',
    act: async (actor, { deps }) => deleteQuietTime(deps, actor, await aQuietTime(deps, actor)),
  },
  createWall: { permission: 'keys.edit', act: (actor, { deps }) => createWall(deps, actor, 'Office') },
  revokeWall: {
    permission: 'keys.edit',
    act: (actor, { deps, wallUuid }) => revokeWall(deps, actor, wallUuid),
  },
  createStatusPage: {
    permission: 'status_pages.edit',
    act: (actor, { deps }) =>
      createStatusPage(deps, actor, { slug: unique(), title: 'Status', about: '', tz: 'UTC' }),
  },
  editStatusPage: {
    permission: 'status_pages.edit',
    act: (actor, { deps, statusPage }) =>
      editStatusPage(deps, actor, statusPage, { ...statusPage, title: 'Other', revision: null }),
  },
  publishStatusPage: {
    permission: 'status_pages.edit',
    act: (actor, { deps, statusPage }) => publishStatusPage(deps, actor, statusPage, false),
  },
  deleteStatusPage: {
    permission: 'status_pages.edit',
    act: (actor, { deps, statusPage }) => deleteStatusPage(deps, actor, statusPage),
  },
  openNotice: {
    permission: 'status_pages.edit',
    act: (actor, { deps, statusPage }) =>
      openNotice(deps, actor, statusPage, {
        ...{ kind: 'incident', title: 'Late', componentIds: [], startsAt: null, endsAt: null },
        update: { state: 'looking', text: 'We look.' },
      }),
  },
  postUpdate: {
    permission: 'status_pages.edit',
    act: (actor, { deps, notice }) => postUpdate(deps, actor, notice, { state: 'over', text: 'Over.' }),
  },
  correctUpdate: {
    permission: 'status_pages.edit',
    act: (actor, { deps, notice }) => correctUpdate(deps, actor, notice, 'We looked.'),
  },
  deleteNotice: {
    permission: 'status_pages.edit',
    act: (actor, { deps, notice }) => deleteNotice(deps, actor, notice),
  },
  listFlips: {
    permission: 'checks.view',
    act: (actor, { deps, check }) => listFlips(deps, actor, check, SPAN),
  },
  createCheck: {
    permission: 'checks.edit',
    act: (actor, { deps }) => createCheck(deps, actor, { edit: {}, match: null }),
  },
  createChecks: {
    permission: 'checks.edit',
    act: (actor, things) => createChecks(things.deps, ofOwner(actor, things), [{}]),
  },
  addCheck: {
    permission: 'checks.edit',
    act: (actor, { deps }) => deps.store.transaction((tx) => addCheck(deps, tx, actor, {}, [])),
  },
  addChecks: {
    permission: 'checks.edit',
    act: (actor, { deps }) =>
      deps.store.transaction((tx) => addChecks(deps, tx, actor, [{ edit: {}, channels: [] }])),
  },
  updateCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => updateCheck(deps, actor, check.id, { edit: { name: 'new' } }),
  },
  pauseCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => pauseCheck(deps, actor, check.id),
  },
  pauseLocked: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) =>
      deps.store.transaction(async (tx) =>
        pauseLocked(deps, tx, actor, (await tx.checks.lock(check.id)) ?? assert.fail()),
      ),
  },
  acknowledgeCheck: {
    permission: 'outages.answer',
    act: (actor, { deps, check }) => unlessUp(acknowledgeCheck(deps, actor, check.id)),
  },
  unacknowledgeCheck: {
    permission: 'outages.answer',
    act: (actor, { deps, check }) => unlessUp(unacknowledgeCheck(deps, actor, check.id)),
  },
  snoozeCheck: {
    permission: 'outages.answer',
    act: (actor, { deps, check }) => snoozeCheck(deps, actor, check.id, { for: 60_000_000 }),
  },
  unsnoozeCheck: {
    permission: 'outages.answer',
    act: (actor, { deps, check }) => unsnoozeCheck(deps, actor, check.id),
  },
  resumeCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => resumeCheck(deps, actor, check.id),
  },
  resumeCheckExpecting: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => resumeCheckExpecting(deps, actor, check.id),
  },
  undoPauseOfCheck: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      await deps.store.transaction(async (tx) => {
        await tx.checks.saveState({ ...check, lastFlipAt: 1 });
        await tx.pauses.save(check.id, 1, FRESH_STATE);
      });
      return undoPauseOfCheck(deps, actor, check.id);
    },
  },
  deleteCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => deleteCheck(deps, actor, check.id),
  },
  findById: {
    permission: 'checks.view',
    act: (actor, { deps, check }) => findById(deps, actor, check.id),
  },
  findWithChannels: {
    permission: 'checks.view',
    act: (actor, { deps, check }) => findWithChannels(deps, actor, check.id),
  },
  adjustCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) =>
      adjustCheck(deps, actor, check.id, {
        ...{ addTags: ['new'], removeTags: [], addChannels: [], removeChannels: [] },
      }),
  },
  copyCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => copyCheck(deps, actor, check.id, actor),
  },
  moveCheck: {
    permission: 'checks.edit',
    act: async (actor, { deps, check, ownerId }) => {
      const target = await deps.store.transaction((tx) => tx.projects.insert(projectRecord(ownerId)));
      return moveCheck(deps, actor, check.id, { ...actor, projectId: target.id });
    },
  },
  clearEvents: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => clearEvents(deps, actor, check.id),
  },
  replaceAddress: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => replaceAddress(deps, actor, check.id),
  },
  removeCheck: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => removeCheck(deps, actor, check.id, 'given'),
  },
  restoreCheck: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      return restoreCheck(deps, actor, await givenDeleted(deps, check));
    },
  },
  restoreCheckIn: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      const uuid = await givenDeleted(deps, check);
      return deps.store.transaction((tx) => restoreCheckIn(deps, tx, actor, uuid));
    },
  },
  foretellDraft: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) =>
      foretellDraft(deps, actor, { checkId: check.id, edit: {}, assigned: [], rules: null, hours: null }),
  },
  previewDraft: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) =>
      previewDraft(deps, actor, {
        ...{
          kind: 'cron',
          schedule: '0 3 * * *',
          timeoutSeconds: 60,
          tz: 'UTC',
          graceSeconds: 60,
          zone: 'UTC',
        },
        checkId: check.id,
      }),
  },
  editorChoices: { permission: 'checks.edit', act: (actor, { deps }) => editorChoices(deps, actor) },
  slugOwner: { permission: 'checks.edit', act: (actor, { deps }) => slugOwner(deps, actor, 'slug', null) },
  tryFilter: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => tryFilter(deps, actor, check.id, check, null),
  },
  listDeleted: { permission: 'checks.edit', act: (actor, { deps }) => listDeleted(deps, actor) },
  listCheckActs: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => listCheckActs(deps, actor, check.id, null),
  },
  changedFileFields: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => {
      const adjustment = { addTags: ['x'], removeTags: [], addChannels: [], removeChannels: [] };
      return deps.reads.ask(changedFileFields, { actor, checks: [check.uuid], adjustment });
    },
  },
  lastEdit: {
    permission: 'checks.edit',
    act: (actor, { deps, check }) => deps.reads.ask(lastEdit, { actor, subject: check.uniqueKey }),
  },
  listMoveTargets: {
    permission: 'checks.edit',
    act: (actor, { deps, member }) => listMoveTargets(deps, operatorOn(member), actor),
  },
  onMany: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      const { refused } = await onMany(deps, actor, [check.uuid], (id) => pauseCheck(deps, actor, id));
      for (const { error } of refused.values()) throw error;
    },
  },
  performOnMany: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      const performer = { perform: (command: CheckCommand) => performOne(deps, command) };
      const { refused } = await performOnMany(deps, performer, actor, [check.uuid], (id) => ({
        ...{ verb: 'pause', actor, id },
      }));
      for (const { error } of refused.values()) throw error;
    },
  },
  restoreMany: {
    permission: 'checks.edit',
    act: async (actor, { deps, check }) => {
      const performer = { perform: (command: CheckCommand) => performOne(deps, command) };
      const { refused } = await restoreMany(performer, actor, [await givenDeleted(deps, check)]);
      for (const { error } of refused.values()) throw error;
    },
  },
  readAddressing: {
    permission: 'checks.view_addresses',
    act: (actor, { deps }) => readAddressing(deps, actor),
  },
  chooseAddressForm: {
    permission: 'checks.view_addresses',
    act: (actor, { deps }) => chooseAddressForm(deps, actor, 'slug'),
  },
  renameProject: {
    permission: 'project.edit',
    act: (actor, { deps }) => renameProject(deps, actor, 'new'),
  },
  deleteProject: {
    permission: 'project.delete',
    act: (actor, things) => deleteProject(things.deps, ofOwner(actor, things), 'Alpha'),
  },
  readOffer: { permission: 'project.view', act: (actor, { deps }) => readOffer(deps, actor) },
  offerProject: {
    permission: 'project.transfer',
    act: (actor, things) => offerProject(things.deps, ofOwner(actor, things), things.member.uuid),
  },
  withdrawOffer: {
    permission: 'project.transfer',
    act: (actor, things) => withdrawOffer(things.deps, ofOwner(actor, things)),
  },
  readProject: { permission: 'project.view', act: (actor, { deps }) => readProject(deps, actor) },
  listActs: {
    permission: 'audit_log.view',
    act: (actor, { deps }) => listActs(deps, actor, ALL_ACTS, null),
  },
  exportActs: {
    permission: 'audit_log.view',
    act: (actor, { deps }) => Array.fromAsync(exportActs(deps, actor, ALL_ACTS)),
  },
  listCheckRuns: {
    permission: 'checks.view',
    act: (actor, { deps, check }) =>
      listCheckRuns(deps, actor, check, {
        filter: { ...SPAN, until: null, results: ['ok'] },
        limit: 1,
        cursor: null,
      }),
  },
  askWhy: { permission: 'policies.view', act: (actor, { deps, check }) => askWhy(deps, actor, check, null) },
  listPings: { permission: 'pings.view', act: (actor, { deps, check }) => listPings(deps, actor, check) },
  getPingBody: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => getPingBody(deps, actor, check, 1),
  },
  getShownPingBody: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => getShownPingBody(deps, actor, check, 1),
  },
  readPingPage: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => readPingPage(deps, actor, check.id, 1, null),
  },
  readMovedBody: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => readMovedBody(deps, actor, check.id, 1),
  },
  pingByHand: {
    permission: 'checks.view_addresses',
    act: (actor, { deps, check }) =>
      pingByHand(
        deps,
        actor,
        check.id,
        SENDER,
        { signal: 'success', body: null },
        { record: async () => 'recorded' },
      ),
  },
  listEvents: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => listEvents(deps, actor, check.id, EVENTS),
  },
  exportEvents: {
    permission: 'pings.view',
    act: (actor, { deps, check }) => Array.fromAsync(exportEvents(deps, actor, check.id, EVENTS.filter)),
  },
  hurryDelivery: {
    permission: 'channels.test',
    act: async (actor, { deps, check, channelUuid }) =>
      hurryDelivery(deps, actor, check.id, await openDelivery(deps, check, channelUuid)),
  },
  hurryChannel: {
    permission: 'channels.test',
    act: (actor, { deps, channelUuid }) => hurryChannel(deps, actor, channelUuid),
  },
  listDeliveries: {
    permission: 'deliveries.view',
    act: (actor, { deps, check }) => listDeliveries(deps, actor, check),
  },
  listChannels: { permission: 'channels.view', act: (actor, { deps }) => listChannels(deps, actor) },
  getChannel: {
    permission: 'channels.view',
    act: (actor, { deps, channelUuid }) => getChannel(deps, actor, channelUuid),
  },
  beginConnection: {
    permission: 'channels.edit',
    act: (actor, { deps }) =>
      beginConnection(deps, actor, { id: 1, accountId: 1 }, 'slack', {
        offer: OFFER,
        root: 'https://example.org',
        http: () => Promise.reject(new Error('nobody is asked yet')),
      }),
  },
  createChannel: {
    permission: 'channels.edit',
    act: (actor, { deps }) => createChannel(deps, actor, NEW_CHANNEL),
  },
  createChannelIn: {
    permission: 'channels.edit',
    act: (actor, { deps }) => deps.store.transaction((tx) => createChannelIn(deps, tx, actor, NEW_CHANNEL)),
  },
  editChannel: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => editChannel(deps, actor, channelUuid, CHANNEL_EDIT),
  },
  editChannelIn: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) =>
      deps.store.transaction((tx) => editChannelIn(deps, tx, actor, channelUuid, CHANNEL_EDIT)),
  },
  renameChannel: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => renameChannel(deps, actor, channelUuid, 'new'),
  },
  switchChannelOff: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => switchChannelOff(deps, actor, channelUuid),
  },
  switchChannelOn: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => switchChannelOn(deps, actor, channelUuid),
  },
  deleteChannel: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => deleteChannel(deps, actor, channelUuid),
  },
  showChannel: {
    permission: 'channels.view',
    act: async (actor, { deps, channelUuid }) => {
      const channel = await deps.store.channels.byUuid(channelUuid);
      assert.ok(channel);
      return showChannel(deps, actor, channel);
    },
  },
  askUnconfirmedRecipient: {
    permission: 'channels.edit',
    act: async (actor, { deps, channelUuid }) => {
      const channel = await deps.store.channels.byUuid(channelUuid);
      assert.ok(channel);
      return askUnconfirmedRecipient(deps, actor, channel, SEND_CODE);
    },
  },
  draftChannel: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid: uuid }) => draftChannel(deps, actor, { uuid, ...CHANNEL_EDIT }, OFFER),
  },
  prepareNewChannel: {
    permission: 'channels.edit',
    act: (actor, { deps }) => prepareNewChannel(deps, actor, { ...NEW_CHANNEL }, OFFER, () => null),
  },
  prepareChannelEdit: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) =>
      prepareChannelEdit(deps, actor, channelUuid, CHANNEL_EDIT, () => null),
  },
  assignChecks: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => assignChecks(deps, actor, channelUuid, 'all'),
  },
  readUsage: {
    permission: 'channels.view',
    act: (actor, { deps }) => readUsage(deps, actor, messageLimits(SERVER)),
  },
  askRecipient: {
    permission: 'channels.edit',
    act: (actor, { deps, channelUuid }) => askRecipient(deps, actor, channelUuid, SEND_CODE),
  },
  sendNewCode: {
    permission: 'channels.edit',
    act: async (actor, { deps, channelUuid }) => {
      const channel = (await deps.store.channels.byUuid(channelUuid)) ?? assert.fail();
      return sendNewCode(deps, actor, channel, 'a@example.org', SEND_CODE);
    },
  },
  confirmChannel: {
    permission: 'channels.edit',
    act: async (actor, { deps, channelUuid }) => confirmChannel(deps, actor, channelUuid, '123456'),
  },
  previewChannel: {
    permission: 'channels.test',
    act: (actor, { deps, channelUuid }) => previewChannel(deps, actor, channelUuid, {}, PREVIEW),
  },
  previewChannelDraft: {
    permission: 'channels.test',
    act: (actor, { deps, channelUuid: uuid }) =>
      previewChannelDraft(deps, actor, { uuid, ...CHANNEL_EDIT }, { offer: OFFER, render: PREVIEW }),
  },
  testDraft: {
    permission: 'channels.test',
    act: (actor, { deps, channelUuid: uuid }) =>
      testDraft(deps, actor, { uuid, ...CHANNEL_EDIT }, OFFER, async () => ({ kind: 'delivered' })),
  },
  retryDelivery: {
    permission: 'channels.test',
    act: async (actor, { deps, check, channelUuid }) => {
      const uuid = await openDelivery(deps, check, channelUuid);
      return retryDelivery(deps, actor, channelUuid, uuid);
    },
  },
  listKeys: { permission: 'keys.edit', act: (actor, { deps }) => listKeys(deps, actor) },
  createKey: {
    permission: 'keys.edit',
    act: (actor, { deps }) =>
      createKey(deps, actor, { kind: 'read_only', name: 'Prometheus', expiresAt: null }),
  },
  rotateKey: {
    permission: 'keys.edit',
    act: (actor, { deps, keyUuid }) => rotateKey(deps, actor, keyUuid, { overlapHours: 1, expiresAt: null }),
  },
  revokeKey: { permission: 'keys.edit', act: (actor, { deps, keyUuid }) => revokeKey(deps, actor, keyUuid) },
  revokeKeyIn: {
    permission: 'keys.edit',
    act: (actor, { deps, keyUuid }) => deps.store.transaction((tx) => revokeKeyIn(deps, tx, actor, keyUuid)),
  },
  revokeWallIn: {
    permission: 'keys.edit',
    act: (actor, { deps, wallUuid }) =>
      deps.store.transaction((tx) => revokeWallIn(deps, tx, actor, wallUuid)),
  },
  accessMadeBy: {
    permission: 'members.edit',
    act: (actor, { deps, member }) => accessMadeBy(deps, deps.store, actor, { accountId: member.id }),
  },
  settleAccess: {
    permission: 'members.edit',
    act: (actor, { deps, member }) =>
      deps.store.transaction((tx) => settleAccess(deps, tx, actor, { accountId: member.id }, false)),
  },
  revealPingKey: { permission: 'keys.edit', act: (actor, { deps }) => revealPingKey(deps, actor) },
  replacePingKey: { permission: 'keys.edit', act: (actor, { deps }) => replacePingKey(deps, actor) },
  revokePingKey: { permission: 'keys.edit', act: (actor, { deps }) => revokePingKey(deps, actor) },
  sendTestMessage: {
    permission: 'channels.test',
    act: (actor, { deps, channelUuid }) =>
      sendTestMessage(deps, actor, channelUuid, async () => ({ kind: 'delivered' })),
  },
  listMembers: { permission: 'members.view', act: (actor, { deps }) => listMembers(deps, actor) },
  changeRole: {
    permission: 'members.edit',
    act: (actor, { deps, memberUuid }) =>
      changeRole(deps, actor, { uuid: memberUuid, role: 'manager', revokes: false }),
  },
  removeMember: {
    permission: 'members.edit',
    act: (actor, { deps, memberUuid }) => removeMember(deps, actor, { uuid: memberUuid, revokes: false }),
  },
  listMemberAccess: {
    permission: 'members.edit',
    act: (actor, { deps, memberUuid }) => listMemberAccess(deps, actor, memberUuid),
  },
  leaveProject: {
    permission: 'project.leave',
    needsRole: true,
    act: (actor, { deps }) => leaveProject(deps, actor),
  },
  listInvitations: { permission: 'members.edit', act: (actor, { deps }) => listInvitations(deps, actor) },
  invite: {
    permission: 'members.edit',
    act: (actor, { deps }) => invite(deps, actor, { email: `${unique()}@example.org`, role: 'member' }),
  },
  renewInvitation: {
    permission: 'members.edit',
    act: (actor, { deps, invitationUuid }) => renewInvitation(deps, actor, invitationUuid),
  },
  revokeInvitation: {
    permission: 'members.edit',
    act: (actor, { deps, invitationUuid }) => revokeInvitation(deps, actor, invitationUuid),
  },
  suggestPeople: { permission: 'members.edit', act: (actor, { deps }) => suggestPeople(deps, actor) },
};

/** The object of verbs on accounts: an account with a session. */
interface AccountThings {
  readonly instance: Instance;
  readonly deps: AccountDeps;
  readonly account: Account;
  readonly session: Session;
}

interface AccountVerb {
  readonly permission: AccountPermission;
  /** An operator has no session of their own. */
  readonly needsSession?: boolean;
  act(actor: AccountActor, things: AccountThings): unknown;
}

/** The UUID of an invitation to the address of the account. */
function givenInvitation(deps: AccountDeps, { email }: Account): Promise<string> {
  return deps.store.transaction(async (tx) => {
    const owner = await tx.accounts.insert(accountRecord());
    const { id } = await tx.projects.insert(projectRecord(owner.id));
    const invitation = invitationRecord(id, { email, expiresAt: Number.MAX_SAFE_INTEGER });
    await tx.invitations.insert(invitation);
    return invitation.uuid;
  });
}

function newDevice({ settings: { passkeySite } }: AccountDeps): VirtualAuthenticator {
  return new VirtualAuthenticator(passkeySite?.id ?? '', passkeySite?.origin ?? '');
}

const CLIENT = { address: '192.0.2.1', userAgent: '', device: null };

/** The UUID of a project that somebody offers to the account. */
async function givenOffer({ deps, account }: AccountThings): Promise<string> {
  return deps.store.transaction(async (tx) => {
    const owner = await tx.accounts.insert(accountRecord());
    const { id, uuid } = await tx.projects.insert(projectRecord(owner.id));
    await tx.projects.addMember(id, account.id, 'read_only', 1);
    await tx.transfers.save({ projectId: id, accountId: account.id, createdAt: 1 });
    return uuid;
  });
}

const NEW_TOKEN = { name: 'Terraform', scopes: SCOPES, projects: null, expiresAt: null };
/** A provider that sends nobody back. */
const OPEN_ID = {
  address: async () => 'https://id.example.org/',
  identify: () => Promise.reject(new Error('nobody was to be identified')),
};

/** Every verb on an account, and what it asks for. */
const ACCOUNT_VERBS: Readonly<Record<string, AccountVerb>> = {
  createAccount: {
    permission: 'instance.administer',
    act: (actor, { deps }) =>
      createAccount(deps, actor, {
        email: `${deps.random.uuid()}@example.org`,
        name: '',
        isAdmin: false,
        password: null,
      }),
  },
  offerPassword: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => offerPassword(deps, actor, account),
  },
  replacePassword: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => replacePassword(deps, actor, account, 'a horse of good temper'),
  },
  removeSecondFactors: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => removeSecondFactors(deps, actor, account),
  },
  setAdmin: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => setAdmin(deps, actor, account, true),
  },
  setActive: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => setActive(deps, actor, account, false),
  },
  setAccountLimits: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => setAccountLimits(deps, actor, account, { checks: 7 }),
  },
  endAllSessions: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => endAllSessions(deps, actor, account),
  },
  deleteAccount: {
    permission: 'instance.administer',
    act: (actor, { deps, account }) => deleteAccount(deps, actor, account, account.email),
  },
  findAccountByUuid: {
    permission: 'instance.view',
    act: (actor, { deps, account }) => findAccountByUuid(deps, actor, account.uuid),
  },
  visitProject: {
    permission: 'instance.administer',
    needsSession: true,
    act: async (actor, { deps, account }) => {
      const record = projectRecord(account.id);
      await deps.store.transaction((tx) => tx.projects.insert(record));
      return visitProject(deps, actor, record.uuid, '');
    },
  },
  leaveVisited: {
    permission: 'instance.view',
    needsSession: true,
    act: (actor, { deps }) => leaveVisited(deps, actor, deps.random.uuid()),
  },
  examineInstallation: {
    permission: 'instance.administer',
    act: (actor, { instance }) => examineInstallation(instance, actor),
  },
  sendTestMail: {
    permission: 'instance.administer',
    act: (actor, { deps, instance }) =>
      sendTestMail(deps, instance, actor, {
        ...{ to: 'alice@example.org', subject: '', text: '', html: '', headers: {}, attachments: [] },
      }),
  },
  listOwnActs: {
    permission: 'account.view',
    act: (actor, { deps }) => listOwnActs(deps, actor, ALL_ACTS, null),
  },
  exportOwnActs: {
    permission: 'account.export',
    act: (actor, { deps }) => Array.fromAsync(exportOwnActs(deps, actor, ALL_ACTS)),
  },
  listSessions: { permission: 'sessions.view', act: (actor, { deps }) => listSessions(deps, actor) },
  endSession: {
    permission: 'sessions.end',
    act: (actor, { deps, session }) => endSession(deps, actor, session.uuid),
  },
  endOtherSessions: { permission: 'sessions.end', act: (actor, { deps }) => endOtherSessions(deps, actor) },
  readProfile: { permission: 'account.view', act: (actor, { deps }) => readProfile(deps, actor) },
  editProfile: {
    permission: 'account.edit',
    act: (actor, { deps }) => editProfile(deps, actor, { name: 'Alice' }),
  },
  exportAccount: { permission: 'account.export', act: (actor, { deps }) => exportAccount(deps, actor) },
  changePassword: {
    permission: 'account.secure',
    act: (actor, { deps }) =>
      changePassword(deps, actor, CLIENT, { password: 'a horse of good temper', revokesTokens: false }),
  },
  changeEmail: {
    permission: 'account.secure',
    act: (actor, { deps, account }) => changeEmail(deps, actor, CLIENT, `new-${account.email}`),
  },
  listConfirmationWays: {
    permission: 'account.view',
    act: (actor, { deps }) => listConfirmationWays(deps, actor),
  },
  beginAuthenticator: {
    permission: 'second_factors.edit',
    act: (actor, { deps }) => beginAuthenticator(deps, actor),
  },
  addAuthenticator: {
    permission: 'second_factors.edit',
    act: (actor, { deps, account }) => {
      const secret = newTotpSecret(deps.random);
      const sealed = sealTogether(deps, 'authenticator', { accountId: account.id, secret });
      return addAuthenticator(deps, actor, CLIENT, { sealed, code: totpCode(secret, deps.clock.now()) });
    },
  },
  removeAuthenticator: {
    permission: 'second_factors.edit',
    act: (actor, { deps }) => removeAuthenticator(deps, actor, CLIENT),
  },
  renewRecoveryCodes: {
    permission: 'second_factors.edit',
    act: (actor, { deps }) => renewRecoveryCodes(deps, actor, CLIENT),
  },
  confirmSession: {
    permission: 'account.view',
    needsSession: true,
    act: (actor, { deps }) => deps.store.transaction((tx) => confirmSession(deps, tx, actor, 'password')),
  },
  confirmWithCode: {
    permission: 'account.view',
    needsSession: true,
    act: async (actor, { deps, account }) => {
      const secret = newTotpSecret(deps.random);
      const sealedSecret = deps.vault.seal(secret);
      const createdAt = deps.clock.now();
      await deps.store.transaction((tx) =>
        tx.secondFactors.addAuthenticator({ accountId: account.id, sealedSecret, createdAt }, 0),
      );
      return confirmWithCode(deps, actor, CLIENT, totpCode(secret, createdAt));
    },
  },
  requestConfirmation: {
    permission: 'account.view',
    needsSession: true,
    act: async (actor, { deps, account }) => {
      await deps.store.transaction((tx) => tx.accounts.save({ ...account, passwordHash: null }));
      return requestConfirmation(deps, actor);
    },
  },
  confirmWithMailedCode: {
    permission: 'account.view',
    needsSession: true,
    act: async (actor, { deps, account, session }) => {
      const link = linkRecord(account.id, { purpose: 'confirm', email: account.email, expiresAt: 8e15 });
      await deps.store.transaction((tx) => tx.links.insert(link));
      const values = { link: link.digest, code: 'abcd-efgh', sessionId: session.id };
      const pending = sealTogether(deps, 'mailed code to confirm', values);
      return confirmWithMailedCode(deps, actor, { pending, code: 'abcd-efgh' });
    },
  },
  beginPasskey: {
    permission: 'second_factors.edit',
    act: (actor, { deps }) => beginPasskey(deps, actor, 'passkey'),
  },
  beginConfirmation: {
    permission: 'account.view',
    act: (actor, { deps }) => beginConfirmation(deps, actor),
  },
  addPasskey: {
    permission: 'second_factors.edit',
    act: (actor, { deps, account }) => {
      const sealed = sealTogether(deps, 'passkey registration', {
        accountId: account.id,
        challenge: account.uuid,
      });
      const response = newDevice(deps).create({ challenge: account.uuid });
      return addPasskey(deps, actor, CLIENT, { sealed, response, name: 'Phone' });
    },
  },
  confirmWithPasskey: {
    permission: 'account.view',
    needsSession: true,
    act: async (actor, { deps, account }) => {
      const device = newDevice(deps);
      const made = { accountId: account.id, challenge: account.uuid };
      const sealed = sealTogether(deps, 'passkey registration', made);
      const owner = operatorOn(account);
      await addPasskey(deps, owner, CLIENT, { sealed, response: device.create(made), name: 'Phone' });
      const asked = { accountId: account.id, challenge: deps.random.uuid() };
      const response = device.get(asked);
      return confirmWithPasskey(deps, actor, {
        sealed: sealTogether(deps, 'passkey confirmation', asked),
        response,
      });
    },
  },
  renamePasskey: {
    permission: 'second_factors.edit',
    act: async (actor, { deps, account }) => {
      const { uuid } = await deps.store.transaction((tx) => tx.passkeys.insert(passkeyRecord(account.id)));
      return renamePasskey(deps, actor, uuid, 'Blue key');
    },
  },
  removePasskey: {
    permission: 'second_factors.edit',
    act: async (actor, { deps, account }) => {
      const { uuid } = await deps.store.transaction((tx) => tx.passkeys.insert(passkeyRecord(account.id)));
      return removePasskey(deps, actor, CLIENT, uuid);
    },
  },
  findLastWayIn: { permission: 'account.view', act: (actor, { deps }) => findLastWayIn(deps, actor) },
  removeIdentity: {
    permission: 'account.secure',
    act: async (actor, { deps, account }) => {
      const { uuid } = await deps.store.transaction((tx) => tx.identities.insert(identityRecord(account.id)));
      return removeIdentity(deps, actor, CLIENT, uuid);
    },
  },
  removeIdentities: { permission: 'account.secure', act: (actor, { deps }) => removeIdentities(deps, actor) },
  beginConnecting: {
    permission: 'account.secure',
    act: (actor, { deps }) => beginConnecting({ ...deps, openId: OPEN_ID }, actor, '/'),
  },
  beginConfirming: {
    permission: 'account.view',
    needsSession: true,
    act: (actor, { deps }) => beginConfirming({ ...deps, openId: OPEN_ID }, actor, '/'),
  },
  acceptInvitation: {
    permission: 'projects.join',
    act: async (actor, { deps }) => {
      const token = unique();
      const { projectId } = await deps.store.transaction(async (tx) => {
        const owner = await tx.accounts.insert(accountRecord());
        const { id } = await tx.projects.insert(projectRecord(owner.id));
        const invitation = invitationRecord(id, {
          digest: sha256(token),
          expiresAt: Number.MAX_SAFE_INTEGER,
        });
        await tx.invitations.insert(invitation);
        return invitation;
      });
      const { project } = await acceptInvitation(deps, actor, token);
      assert.equal(project.id, projectId);
    },
  },
  listOwnInvitations: {
    permission: 'projects.join',
    act: (actor, { deps }) => listOwnInvitations(deps, actor),
  },
  acceptOwnInvitation: {
    permission: 'projects.join',
    act: async (actor, { deps, account }) =>
      acceptOwnInvitation(deps, actor, await givenInvitation(deps, account)),
  },
  declineOwnInvitation: {
    permission: 'projects.join',
    act: async (actor, { deps, account }) =>
      declineOwnInvitation(deps, actor, await givenInvitation(deps, account)),
  },
  listProjects: { permission: 'projects.view', act: (actor, { deps }) => listProjects(deps, actor) },
  readProjectList: { permission: 'projects.view', act: (actor, { deps }) => readProjectList(deps, actor) },
  createOwnProject: {
    permission: 'projects.edit',
    act: (actor, { deps }) => createOwnProject(deps, actor, 'Alpha'),
  },
  restoreProject: {
    permission: 'projects.edit',
    act: async (actor, { deps, account }) => {
      const project = await deps.store.transaction((tx) => tx.projects.insert(projectRecord(account.id)));
      await deps.store.transaction((tx) => tx.projects.setDeletion(project.id, deps.clock.now() + 1));
      return restoreProject(deps, actor, project.uuid);
    },
  },
  acceptProject: {
    permission: 'projects.edit',
    act: async (actor, things) => acceptProject(things.deps, actor, await givenOffer(things)),
  },
  declineProject: {
    permission: 'projects.edit',
    act: async (actor, things) => declineProject(things.deps, actor, await givenOffer(things)),
  },
  listMoveTargets: {
    permission: 'projects.view',
    act: (actor, { deps }) => listMoveTargets(deps, actor, systemActor(NO_PROJECT)),
  },
  enterProject: {
    permission: 'projects.view',
    act: async (actor, { deps, account }) => {
      const record = projectRecord(account.id);
      await deps.store.transaction((tx) => tx.projects.insert(record));
      return enterProject(deps, actor, record.uuid);
    },
  },
  enterProjects: { permission: 'projects.view', act: (actor, { deps }) => enterProjects(deps, actor) },
  enterByCheck: {
    permission: 'projects.view',
    act: async (actor, { deps, account }) => {
      const { uuid } = await deps.store.transaction(async (tx) => {
        const project = await tx.projects.insert(projectRecord(account.id));
        return tx.checks.insert(checkRecord(project.id));
      });
      return enterByCheck(deps, actor, { uuid });
    },
  },
  createToken: {
    permission: 'tokens.edit',
    act: (actor, { deps }) => createToken(deps, actor, CLIENT, NEW_TOKEN),
  },
  revokeToken: {
    permission: 'tokens.revoke',
    act: async (actor, { deps, account }) => {
      const { token } = await createToken(deps, operatorOn(account), CLIENT, NEW_TOKEN);
      return revokeToken(deps, actor, token.uuid);
    },
  },
  previewClosing: { permission: 'account.view', act: (actor, { deps }) => previewClosing(deps, actor) },
  closeAccount: {
    permission: 'account.secure',
    act: (actor, { deps, account }) => closeAccount(deps, actor, account.email),
  },
  confirmWithPassword: {
    permission: 'account.view',
    needsSession: true,
    act: (actor, { deps }) => confirmWithPassword(deps, actor, CLIENT, PASSWORD),
  },
};

const ROLES: readonly Role[] = ['read_only', 'member', 'manager', 'owner'];
const token = (role: Role, scopes: readonly Permission[]): Caller => ({
  kind: 'account_token',
  tokenId: 1,
  accountId: 1,
  role,
  scopes,
});

const CALLERS: Readonly<Record<string, Caller>> = {
  'a read-only key': { kind: 'api_key', keyId: 1, access: 'read_only' },
  'a read-write key': { kind: 'api_key', keyId: 1, access: 'read_write' },
  ...Object.fromEntries(
    ROLES.flatMap((role): [string, Caller][] => [
      [`a member with the role ${role}`, { kind: 'member', accountId: 1, role, isConfirmed: false }],
      [
        `a member with the role ${role} after a proof of identity`,
        { kind: 'member', accountId: 1, role, isConfirmed: true },
      ],
      [`a token for everything of an account with the role ${role}`, token(role, PERMISSIONS)],
      [`a token for nothing of an account with the role ${role}`, token(role, [])],
    ]),
  ),
  'an administrator': { kind: 'administrator', accountId: 1, isConfirmed: true },
  'the program': { kind: 'system' },
};

/** Actors on an account, with the id of a session that it has. */
function sessionCaller(facts: { readonly isConfirmed?: boolean; readonly isAdmin?: boolean }) {
  return (sessionId: number): AccountCaller => ({
    ...{ kind: 'session', sessionId, isConfirmed: false, isAdmin: false },
    ...facts,
  });
}

const ACCOUNT_CALLERS: Readonly<Record<string, (sessionId: number) => AccountCaller>> = {
  session: sessionCaller({}),
  'confirmed session': sessionCaller({ isConfirmed: true }),
  administrator: sessionCaller({ isAdmin: true }),
  'confirmed administrator': sessionCaller({ isConfirmed: true, isAdmin: true }),
  operator: () => ({ kind: 'operator' }),
  'token for everything': () => ({ kind: 'account_token', tokenId: 1, scopes: SCOPES, projectIds: null }),
  'token for nothing': () => ({ kind: 'account_token', tokenId: 1, scopes: [], projectIds: null }),
};

/** The runtime exports of a module, functions or anything else, that mention an actor. */
function exportsWithActor(source: string, actor = 'Actor'): string[] {
  // A statement begins where a line does; what is inside it is indented.
  return source.split(/^(?=\S)/m).flatMap((statement) => {
    const [, name] = /^export (?:async )?(?!type|interface)[a-z]+\*? (\w+)/.exec(statement) ?? [];
    return name !== undefined && new RegExp(`\\b${actor}\\b`).test(statement) ? [name] : [];
  });
}

test('no way to write a verb keeps it out of the list', () => {
  const verbs = [
    'export async function one(deps: Deps, actor: Actor): Promise<void> {\n  x();\n}',
    'export async function two(\n  deps: Deps,\n  { projectId }: Actor,\n): Promise<void> {\n  x();\n}',
    'export function* three(send: (to: string) => void, actor: Actor) {\n}',
    'export const four = (deps: Deps, { caller }: Pick<Actor, "caller">) => {\n};',
    'export class five {\n  act(actor: Actor) {}\n}',
  ];
  const others =
    'import type { Actor } from "./actor.ts";\nfunction six(actor: Actor) {\n}\nexport function seven() {\n}';

  assert.deepEqual(exportsWithActor([...verbs, others].join('\n')), ['one', 'two', 'three', 'four', 'five']);
});

/** Every export of the services that mentions the actor, except in the file that defines it. */
function verbsWith(actor: string, definedIn: string): string[] {
  const folder = new URL('../src/services/', import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== definedIn)
    .flatMap((name) => exportsWithActor(readFileSync(new URL(name, folder), 'utf8'), actor))
    .toSorted();
}

/** Functions that make an actor, or only look at one, are not verbs. */
const MAKERS = [
  ...[
    'enterByCheck',
    'enterByWall',
    'enterProject',
    'enterProjects',
    'actorIn',
    'fileActor',
    'lockTeam',
    'lockAsOwner',
    'lockOwnCheck',
    'recordInProject',
    'recordOnCheck',
    'recordOnChecks',
    'recordPolicy',
    'markOf',
    'namedPolicy',
    'insertPolicy',
    'withPolicyName',
  ],
  ...['roleByToken', 'roleOf'],
];

test('every verb that has an actor is tried here', () => {
  const verbs = verbsWith('Actor', 'core/actor.ts').filter((name) => !MAKERS.includes(name));
  assert.deepEqual(verbs, Object.keys(VERBS).toSorted());
});

test('every verb on an account is tried here', () => {
  assert.deepEqual(
    verbsWith('AccountActor', 'people/account-actor.ts'),
    Object.keys(ACCOUNT_VERBS).toSorted(),
  );
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  let unchanged: Promise<Things> | undefined;

  /** A refused caller changes nothing, so that all of them are tried on the same. */
  function thingsFor(allowed: boolean): Promise<Things> {
    if (allowed) return givenThings();
    unchanged ??= givenThings();
    return unchanged;
  }

  async function givenThings(): Promise<Things> {
    const { project, ownerId } = await app().givenProject({ limits: { checks: 100, pings: 100 } });
    const member = await givenAccount(app());
    await app().deps.store.transaction((tx) => tx.projects.addMember(project.id, member.id, 'member', 1));
    const check = await app().givenCheck(project, { status: 'paused', pingCount: 1 });
    await app().givenPing(check, { n: 1, body: Buffer.from('done') });
    const channel = await app().givenChannel(project);
    const invitation = invitationRecord(project.id, { expiresAt: Number.MAX_SAFE_INTEGER });
    const deps = app().node.accounts;
    await deps.store.transaction(async (tx) => {
      await tx.invitations.insert(invitation);
      await setPingKey(deps, tx, project, generatePingKey(deps.random.bytes));
    });
    const { wall, policy, calendar, statusPage, notice, update } = await deps.store.transaction(
      async (tx) => {
        const page = await tx.statusPages.insert(statusPageRecord(project.id));
        const told = await tx.statusPages.insertNotice(noticeRecord(page.id));
        return {
          statusPage: page,
          notice: told,
          update: await tx.statusPages.insertUpdate(noticeUpdateRecord(told.id)),
          wall: await tx.walls.insert(wallRecord(project.id)),
          policy: await tx.policies.insert(policyRecord(project.id)),
          calendar: await tx.calendars.insert(calendarRecord(project.id)),
        };
      },
    );
    const [key = assert.fail()] = await deps.store.apiKeys.ofProject(project.id);
    return {
      deps,
      ownerId,
      member,
      check,
      channelUuid: channel.uuid,
      memberUuid: member.uuid,
      invitationUuid: invitation.uuid,
      keyUuid: key.uuid,
      wallUuid: wall.uuid,
      policyUuid: policy.uuid,
      calendarUuid: calendar.uuid,
      statusPage,
      notice: { uuid: statusPage.uuid, notice: notice.uuid, update: update.uuid },
    };
  }

  /** An account with this role in the project. */
  async function givenPerson(projectId: number, role: Role | null): Promise<Account> {
    const { store } = app().deps;
    if (role === 'owner') return (await store.accounts.ownerOf(projectId)) ?? assert.fail();
    return store.transaction(async (tx) => {
      const account = await tx.accounts.insert(accountRecord());
      if (role !== null) await tx.projects.addMember(projectId, account.id, role, START);
      return account;
    });
  }

  async function givenActor({ check: { projectId } }: Things, caller: Caller): Promise<Actor> {
    if (!('accountId' in caller)) return { ...systemActor(projectId), caller };
    const { id } = await givenPerson(projectId, 'role' in caller ? caller.role : null);
    return { ...systemActor(projectId), caller: { ...caller, accountId: id } };
  }

  for (const [name, { permission, needsRole = false, act }] of Object.entries(VERBS)) {
    for (const [who, caller] of Object.entries(CALLERS)) {
      const allowed = isAllowed(caller, permission) && !(needsRole && caller.kind === 'system');
      test(`${name} ${allowed ? 'serves' : 'refuses'} ${who}`, async () => {
        const things = await thingsFor(allowed);
        const actor = await givenActor(things, caller);
        const error = await outcome(() => act(actor, things));

        assert.equal(error, allowed ? null : refusalOf(caller, permission));
      });
    }

    test(`${name} shows and changes nothing of another project`, async () => {
      const things = await thingsFor(false);
      const other = await app().givenProject();
      const actor = systemActor(other.project.id);
      const before = await stateOf(things);

      const error = await outcome(async () => {
        const found = JSON.stringify(await act(actor, things)) ?? '';
        const {
          check,
          channelUuid,
          memberUuid,
          invitationUuid,
          keyUuid,
          wallUuid,
          policyUuid,
          calendarUuid,
          statusPage,
        } = things;
        const uuids = [
          check.uuid,
          channelUuid,
          memberUuid,
          invitationUuid,
          keyUuid,
          wallUuid,
          policyUuid,
          calendarUuid,
          statusPage.uuid,
        ];
        assert.ok(!uuids.some((uuid) => found.includes(uuid)), found);
      });

      const refusals = [
        ...['check_of_other_project', 'channel_of_other_project', 'member_not_found', 'key_not_found'],
        ...['status_page_not_found', 'wall_not_found', 'policy_not_found', 'calendar_not_found'],
        ...['invitation_not_found', 'check_not_found', ...(needsRole ? ['permission_denied'] : [])],
      ];
      assert.ok(error === null || refusals.includes(error), `${error}`);
      assert.equal(await stateOf(things), before);
    });
  }

  async function givenAccountThings(): Promise<AccountThings> {
    const deps = app().node.accounts;
    const account = await givenAccount(app());
    const session = await deps.store.transaction((tx) =>
      tx.sessions.insert(sessionRecord(account.id, { createdAt: START, lastSeenAt: START })),
    );
    return { deps, account, session, instance: app().node.http.instance };
  }

  for (const [name, { permission, needsSession = false, act }] of Object.entries(ACCOUNT_VERBS)) {
    for (const [kind, callerOf] of Object.entries(ACCOUNT_CALLERS)) {
      const isSession = callerOf(0).kind === 'session';
      const allowed = isAllowedOnAccount(callerOf(0), permission) && (isSession || !needsSession);
      test(`${name} ${allowed ? 'serves' : 'refuses'} a caller who is: ${kind}`, async () => {
        const things = await givenAccountThings();
        const { account, session } = things;
        const by = { accountId: account.id, name: '', means: 'session' as const, remoteAddr: null };
        const actor = { accountId: account.id, caller: callerOf(session.id), by };

        const error = await outcome(() => act(actor, things));

        const canConfirm = needsConfirmationOnAccount(callerOf(0), permission);
        const refusal = canConfirm ? 'confirmation_required' : 'permission_denied';
        assert.equal(error, allowed ? null : refusal);
      });
    }
  }

  async function stateOf({ check, channelUuid }: Things): Promise<string> {
    const { store } = app().deps;
    return JSON.stringify([
      await store.projects.byId(check.projectId),
      await store.transfers.ofProject(check.projectId),
      await store.checks.byId(check.id),
      await store.channels.byUuid(channelUuid),
      await store.projects.teamOf(check.projectId),
      await store.invitations.ofProject(check.projectId, START),
      await store.apiKeys.ofProject(check.projectId),
    ]);
  }
});

function refusalOf(caller: Caller, permission: Permission): string {
  if (needsConfirmation(caller, permission)) return 'confirmation_required';
  return caller.kind === 'api_key' ? 'wrong_api_key' : 'permission_denied';
}

/** The code of the refusal; null when the verb served. */
async function outcome(act: () => unknown): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}
