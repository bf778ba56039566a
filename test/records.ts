import { randomUUID } from 'node:crypto';
import type { Channel, NewChannel } from '../src/domain/alert/channel.ts';
import { type NewChannelMessage, newChannelMessage } from '../src/domain/alert/channel-message.ts';
import type { NewDelivery } from '../src/domain/alert/delivery.ts';
import { type NewMail, newMail } from '../src/domain/alert/mail.ts';
import { type Check, type NewCheck, newCheck } from '../src/domain/check/check.ts';
import type { Flip, NewFlip } from '../src/domain/check/flip.ts';
import type { NewQuietTime } from '../src/domain/check/quiet-time.ts';
import { DEFAULT_CONFIG } from '../src/domain/check/settings.ts';
import type { Account, NewAccount } from '../src/domain/people/account.ts';
import type { NewAccountToken } from '../src/domain/people/account-token.ts';
import type { NewAct } from '../src/domain/people/audit.ts';
import type { NewIdentity } from '../src/domain/people/identity.ts';
import type { NewInvitation } from '../src/domain/people/invitation.ts';
import type { NewLink } from '../src/domain/people/link.ts';
import type { NewPasskey } from '../src/domain/people/passkey.ts';
import type { NewApiKey, NewProject, Project } from '../src/domain/people/project.ts';
import type { NewSession } from '../src/domain/people/session.ts';
import type { NewPingAlias } from '../src/domain/ping/dialect.ts';
import type { IncomingPing, PingTarget } from '../src/domain/ping/incoming-ping.ts';
import { type NewPing, NO_RUN_FACTS } from '../src/domain/ping/ping.ts';
import type { NewCalendar } from '../src/domain/policy/stored-calendar.ts';
import type { NewPolicy } from '../src/domain/policy/stored-policy.ts';
import type { NewNoticeUpdate, NewStatusNotice, NewStatusPage } from '../src/domain/public/status-page.ts';
import type { NewWall } from '../src/domain/public/wall.ts';
import type { NewSavedView } from '../src/domain/saved-view.ts';
import type { Store, Writes } from '../src/storage/store.ts';

/** 2026-01-02T03:04:05.678901Z */
const CREATED_AT = 1_767_323_045_678_901;

/** Any text that nothing else has. */
export function unique(): string {
  return randomUUID();
}

// Valid records, unique wherever the schema demands it; a test overrides what it talks about.

export function accountRecord(overrides: Partial<NewAccount> = {}): NewAccount {
  const uuid = randomUUID();
  return {
    uuid,
    email: `${uuid}@example.org`,
    passwordHash: null,
    limits: { checks: 1000, pings: 100 },
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function projectRecord(ownerId: number, overrides: Partial<NewProject> = {}): NewProject {
  return {
    uuid: randomUUID(),
    ownerId,
    name: 'Backups',
    badgeKey: randomUUID(),
    pingKeyDigest: null,
    pingKeySealed: null,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function apiKeyRecord(projectId: number, overrides: Partial<NewApiKey> = {}): NewApiKey {
  const digest = randomUUID();
  return {
    uuid: randomUUID(),
    projectId,
    kind: 'read_write',
    name: digest,
    lookup: digest.slice(0, 8),
    digest,
    secretId: null,
    createdAt: CREATED_AT,
    madeBy: 'program',
    makerId: null,
    expiresAt: null,
    lastUsedAt: null,
    lastUsedAddr: null,
    ...overrides,
  };
}

export function accountTokenRecord(
  accountId: number,
  overrides: Partial<NewAccountToken> = {},
): NewAccountToken {
  const digest = randomUUID();
  return {
    uuid: randomUUID(),
    accountId,
    name: 'Terraform',
    lookup: digest.slice(0, 8),
    digest,
    scopes: [],
    projectIds: null,
    createdAt: CREATED_AT,
    expiresAt: null,
    lastUsedAt: null,
    lastUsedAddr: null,
    ...overrides,
  };
}

export function channelRecord(projectId: number, overrides: Partial<NewChannel> = {}): NewChannel {
  return {
    uuid: randomUUID(),
    projectId,
    kind: 'email',
    name: '',
    settings: { open: { email: 'alice@example.org' }, sealed: null },
    verified: true,
    off: null,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function checkRecord(projectId: number, overrides: Partial<NewCheck> = {}): NewCheck {
  const identity = { uuid: randomUUID(), badgeKey: randomUUID(), projectId, createdAt: CREATED_AT };
  return { ...newCheck(DEFAULT_CONFIG, identity), ...overrides };
}

export function pingRecord(checkId: number, overrides: Partial<NewPing> = {}): NewPing {
  return {
    checkId,
    n: 1,
    createdAt: CREATED_AT,
    occurredAt: null,
    ...NO_RUN_FACTS,
    signal: 'success',
    scheme: 'http',
    method: 'GET',
    remoteAddr: '127.0.0.1',
    userAgent: '',
    rid: null,
    exitStatus: null,
    body: null,
    ...overrides,
  };
}

/** A ping that has just come in by HTTP. */
export function incomingPing(target: PingTarget, overrides: Partial<IncomingPing> = {}): IncomingPing {
  return {
    target,
    fault: null,
    signal: 'success',
    exitStatus: null,
    rid: null,
    scheme: 'http',
    method: 'POST',
    remoteAddr: '192.0.2.1',
    userAgent: 'test',
    body: null,
    mail: null,
    ...overrides,
  };
}

export function flipRecord(checkId: number, overrides: Partial<NewFlip> = {}): NewFlip {
  return {
    checkId,
    createdAt: CREATED_AT,
    oldStatus: 'new',
    newStatus: 'up',
    reason: '',
    cause: '',
    ...overrides,
  };
}

export function deliveryRecord(
  flip: Pick<Flip, 'id' | 'checkId'>,
  channelId: number,
  overrides: Partial<NewDelivery> = {},
): NewDelivery {
  return {
    uuid: randomUUID(),
    checkId: flip.checkId,
    channelId,
    flipId: flip.id,
    accountId: 0,
    messageId: null,
    ordinal: 0,
    why: '',
    status: 'down',
    state: 'open',
    attemptCount: 0,
    nextAttemptAt: CREATED_AT,
    leasedUntilAt: null,
    error: '',
    createdAt: CREATED_AT,
    finishedAt: null,
    ...overrides,
  };
}

export function mailRecord(accountId: number, overrides: Partial<NewMail> = {}): NewMail {
  const mail = newMail(accountId, { kind: 'reminder', parameters: {} }, randomUUID(), CREATED_AT);
  return { ...mail, ...overrides };
}

/** A message to the channel that is due at once. */
export function channelMessageRecord(channelId: number, checkId: number | null): NewChannelMessage {
  const answer = { kind: 'answered', parameters: { at: CREATED_AT, by: 'Anna' } } as const;
  const channel = { id: channelId, accountId: 1, offReason: null };
  return newChannelMessage(channel, checkId, answer, randomUUID(), CREATED_AT);
}

export function sessionRecord(accountId: number, overrides: Partial<NewSession> = {}): NewSession {
  return {
    uuid: randomUUID(),
    accountId,
    tokenDigest: randomUUID(),
    createdAt: CREATED_AT,
    lastSeenAt: CREATED_AT,
    sudoUntilAt: null,
    remoteAddr: '192.0.2.1',
    userAgent: 'Firefox',
    ...overrides,
  };
}

export function statusPageRecord(projectId: number, overrides: Partial<NewStatusPage> = {}): NewStatusPage {
  return {
    uuid: randomUUID(),
    projectId,
    slug: `page-${randomUUID()}`,
    title: 'Example status',
    about: '',
    tz: 'UTC',
    isPublished: false,
    components: [],
    revision: 1,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function noticeRecord(pageId: number, overrides: Partial<NewStatusNotice> = {}): NewStatusNotice {
  return {
    uuid: randomUUID(),
    pageId,
    kind: 'incident',
    title: 'Backups do not run',
    componentIds: [],
    startsAt: CREATED_AT,
    endsAt: null,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function noticeUpdateRecord(
  noticeId: number,
  overrides: Partial<NewNoticeUpdate> = {},
): NewNoticeUpdate {
  return {
    uuid: randomUUID(),
    noticeId,
    state: 'looking',
    text: 'We look into it.',
    createdAt: CREATED_AT,
    author: 'alice@example.org',
    ...overrides,
  };
}

export function wallRecord(projectId: number, overrides: Partial<NewWall> = {}): NewWall {
  return {
    uuid: randomUUID(),
    projectId,
    name: 'Office',
    lookup: 'lookup',
    digest: randomUUID(),
    makerId: null,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function policyRecord(projectId: number, overrides: Partial<NewPolicy> = {}): NewPolicy {
  return {
    uuid: randomUUID(),
    projectId,
    name: 'patient',
    rules: '{"wait":900}',
    isDefault: false,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function calendarRecord(projectId: number, overrides: Partial<NewCalendar> = {}): NewCalendar {
  return {
    uuid: randomUUID(),
    projectId,
    name: 'working-hours',
    schedule: 'Mon..Fri 08:00',
    tz: 'Europe/Riga',
    durationSeconds: 36_000,
    exceptDates: '2026-12-24',
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function aliasRecord(overrides: Partial<NewPingAlias> = {}): NewPingAlias {
  return {
    uuid: randomUUID(),
    dialect: 'kuma',
    tokenDigest: randomUUID(),
    tokenSealed: 'sealed',
    checkId: null,
    projectId: null,
    createdAt: CREATED_AT,
    lastUsedAt: null,
    ...overrides,
  };
}

export function savedViewRecord(
  projectId: number,
  accountId: number,
  overrides: Partial<NewSavedView> = {},
): NewSavedView {
  return {
    uuid: randomUUID(),
    projectId,
    accountId,
    name: 'Backups',
    query: 'tag=backup',
    isShared: false,
    createdAt: CREATED_AT,
    ...overrides,
  };
}

export function linkRecord(accountId: number | null, overrides: Partial<NewLink> = {}): NewLink {
  return {
    digest: randomUUID(),
    purpose: 'sign_in',
    accountId,
    email: null,
    createdAt: CREATED_AT,
    expiresAt: CREATED_AT + 3_600_000_000,
    ...overrides,
  };
}

export function invitationRecord(projectId: number, overrides: Partial<NewInvitation> = {}): NewInvitation {
  return {
    uuid: randomUUID(),
    projectId,
    digest: randomUUID(),
    email: null,
    role: 'member',
    invitedBy: null,
    createdAt: CREATED_AT,
    expiresAt: CREATED_AT + 3_600_000_000,
    ...overrides,
  };
}

export function passkeyRecord(accountId: number, overrides: Partial<NewPasskey> = {}): NewPasskey {
  return {
    kind: 'passkey',
    uuid: randomUUID(),
    accountId,
    credentialId: randomUUID(),
    publicKey: 'key',
    counter: 0,
    name: 'Phone',
    createdAt: CREATED_AT,
    lastUsedAt: null,
    ...overrides,
  };
}

export function identityRecord(accountId: number, overrides: Partial<NewIdentity> = {}): NewIdentity {
  return {
    uuid: randomUUID(),
    accountId,
    issuer: 'https://id.example.org',
    subject: randomUUID(),
    email: 'alice@example.org',
    createdAt: CREATED_AT,
    lastUsedAt: CREATED_AT,
    ...overrides,
  };
}

export function actRecord(accountId: number | null, overrides: Partial<NewAct> = {}): NewAct {
  return {
    createdAt: CREATED_AT,
    accountId,
    actor: 'alice@example.org',
    means: 'session',
    remoteAddr: '192.0.2.1',
    projectId: null,
    action: 'account.renamed',
    subject: { kind: 'account', id: 'id', name: 'alice@example.org' },
    details: { before: { name: 'A' }, after: { name: 'B' } },
    ...overrides,
  };
}

/** A project of an owner of its own. */
export async function givenProject(
  store: Store,
  overrides: { account?: Partial<NewAccount>; project?: Partial<NewProject> } = {},
): Promise<{ account: Account; project: Project }> {
  return store.transaction(async (tx) => {
    const account = await tx.accounts.insert(accountRecord(overrides.account));
    return { account, project: await tx.projects.insert(projectRecord(account.id, overrides.project)) };
  });
}

/** A check of a project and an owner of its own. */
export async function givenCheck(store: Store, overrides: Partial<NewCheck> = {}): Promise<Check> {
  const { project } = await givenProject(store);
  return addCheck(store, project, overrides);
}

/** The project's checks with all their texts, in order of creation. */
export async function storedChecks(store: Store, { id }: Pick<Project, 'id'>): Promise<Check[]> {
  const outlines = await store.checks.outlinesOf(id);
  return store.checks.byIds(outlines.map((outline) => outline.id));
}

export function addCheck(store: Store, project: Project, overrides: Partial<NewCheck> = {}): Promise<Check> {
  return store.transaction((tx) => tx.checks.insert(checkRecord(project.id, overrides)));
}

export function addChannel(
  store: Store,
  project: Project,
  overrides: Partial<NewChannel> = {},
): Promise<Channel> {
  return store.transaction((tx) => tx.channels.insert(channelRecord(project.id, overrides)));
}

/** Assigns exactly these channels. */
export function assignChannels(store: Store, check: Check, channels: readonly Channel[]): Promise<void> {
  return store.transaction((tx: Writes) =>
    tx.checks.setChannels(
      check,
      channels.map((channel) => channel.id),
    ),
  );
}

/** How a file declares a project. */
export const ALPHA_OF_A_FILE = { name: 'Alpha', source: 'infra', isMade: false };

/** A quiet time of the whole project that comes once. */
export function quietTimeRecord(projectId: number, overrides: Partial<NewQuietTime> = {}): NewQuietTime {
  return {
    ...{ uuid: randomUUID(), projectId, name: 'deploy', reason: '', madeBy: 'CI', checkIds: [], tags: '' },
    ...{ fromAt: 0, untilAt: Number.MAX_SAFE_INTEGER, schedule: '', tz: 'UTC', durationSeconds: 60 },
    ...{ nextAt: null, createdAt: 0 },
    ...overrides,
  };
}
