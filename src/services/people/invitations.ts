import { newMailTo } from '../../domain/alert/mail.ts';
import { AppError } from '../../domain/errors.ts';
import type { ActSubject } from '../../domain/people/audit.ts';
import {
  INVITATION_SPAN,
  type Invitation,
  isStanding,
  MAX_PROJECT_INVITATIONS,
  type OpenInvitation,
} from '../../domain/people/invitation.ts';
import { mailboxOf } from '../../domain/people/mailbox.ts';
import type { MemberRole } from '../../domain/people/permission.ts';
import type { Acquaintance } from '../../domain/people/project.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam, requireRoom } from '../project/team.ts';
import type { Attempt } from './attempts.ts';
import type { AccountDeps } from './deps.ts';
import { requireMail } from './mailed-links.ts';

const TOKEN_BYTES = 32;
const MAX_PRUNED_AT_ONCE = 500;

/** People who are suggested at once. */
export const MAX_SUGGESTED_PEOPLE = 50;

/** An invitation that was just made or renewed. */
export interface MadeInvitation {
  readonly invitation: OpenInvitation;
  /** The secret part of the link, which the inviter passes on. Null if it was mailed. It is stored nowhere. */
  readonly token: string | null;
}

/** The open invitations, in order of creation. */
export async function listInvitations(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
): Promise<OpenInvitation[]> {
  requirePermission(actor, 'members.edit');
  return standingIn(store, actor, clock);
}

/**
 * Invites the owner of the address by a mail, or with a link that the actor passes on. An earlier invitation of the same
 * address is void.
 */
export async function invite(
  deps: AccountDeps,
  actor: Actor,
  { email, role }: { readonly email: string | null; readonly role: MemberRole },
): Promise<MadeInvitation> {
  requirePermission(actor, 'members.edit');
  if (email !== null) await requireNewcomer(deps.store, actor, email);
  await count(deps, actor, email);
  return deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'members.edit');
    await requireRoom(tx, project);
    const now = deps.clock.now();
    if (email !== null) {
      await requireNewcomer(tx, actor, email);
      await tx.invitations.removeOfEmail(project.id, email);
    }
    await requirePlace(deps, tx, actor);
    const { token, ...stored } = newSecret(deps, actor);
    const uuid = deps.random.uuid();
    await tx.invitations.insert({ uuid, projectId: project.id, email, role, createdAt: now, ...stored });
    return handOut(deps, tx, actor, { token, email, action: 'invitation.made' });
  });
}

/** Mails the invitation again, or makes another link for it. The link from before works no longer. */
export async function renewInvitation(
  deps: AccountDeps,
  actor: Actor,
  uuid: string,
): Promise<MadeInvitation> {
  requirePermission(actor, 'members.edit');
  const { email } = findIn(await standingIn(deps.store, actor, deps.clock), uuid);
  await count(deps, actor, email);
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'members.edit');
    const invitation = findIn(await standingIn(tx, actor, deps.clock), uuid);
    const { token, ...stored } = newSecret(deps, actor);
    await tx.invitations.renew({ ...invitation, ...stored });
    return handOut(deps, tx, actor, { token, email, action: 'invitation.renewed' });
  });
}

/** Takes the invitation back. Its link works no longer. */
export async function revokeInvitation(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  uuid: string,
): Promise<void> {
  requirePermission(actor, 'members.edit');
  await deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'members.edit');
    const invitation = findIn(await standingIn(tx, actor, deps.clock), uuid);
    await tx.invitations.remove(invitation.id);
    const subject = invitationSubject(invitation);
    await recordInProject(deps, tx, actor, { action: 'invitation.revoked', subject });
  });
}

/**
 * Members of other projects of the owner, as suggestions for an invitation. A manager sees members of projects in which
 * they have a role, and learns nothing of the others.
 */
export async function suggestPeople(deps: Pick<Deps, 'store'>, actor: Actor): Promise<Acquaintance[]> {
  requirePermission(actor, 'members.edit');
  const { caller, projectId } = actor;
  const asker = 'role' in caller && caller.role !== 'owner' ? caller.accountId : null;
  return deps.store.transaction((tx) => tx.projects.acquaintancesOf(projectId, asker, MAX_SUGGESTED_PEOPLE));
}

export function invitationSubject({ uuid, email }: Pick<Invitation, 'uuid' | 'email'>): ActSubject {
  return { kind: 'invitation', id: uuid, name: email ?? 'whoever has the link' };
}

/** Queues the mail with the link. The secret is sealed there: the row of the invitation has only a digest of it. */
export async function mailInvitation(
  { random, clock, vault }: Pick<Deps, 'random' | 'clock' | 'vault'>,
  tx: Writes,
  address: string,
  token: string,
): Promise<void> {
  const subject = { kind: 'invitation' as const, parameters: { sealed: vault.seal(token) } };
  await tx.mails.insertMany([newMailTo({ accountId: null, address }, subject, random.uuid(), clock.now())]);
}

/** Deletes a bounded number of invitations that have expired. Returns whether there may be more. */
export async function pruneInvitations({ store, clock }: Pick<Deps, 'store' | 'clock'>): Promise<boolean> {
  const now = clock.now();
  const pruned = await store.transaction((tx) => tx.invitations.prune(now, MAX_PRUNED_AT_ONCE));
  return pruned === MAX_PRUNED_AT_ONCE;
}

async function standingIn(
  { invitations }: Pick<Reads, 'invitations'>,
  { projectId }: Actor,
  clock: Deps['clock'],
): Promise<OpenInvitation[]> {
  return (await invitations.ofProject(projectId, clock.now())).filter(isStanding);
}

function findIn(invitations: readonly OpenInvitation[], uuid: string): OpenInvitation {
  const found = invitations.find((one) => one.uuid === uuid);
  if (found === undefined) throw new AppError('invitation_not_found');
  return found;
}

/** Refuses one open invitation more than a project may have. Void ones of removed inviters make place. */
async function requirePlace({ clock }: Pick<Deps, 'clock'>, tx: Writes, { projectId }: Actor): Promise<void> {
  const open = await tx.invitations.ofProject(projectId, clock.now());
  const standing = open.filter(isStanding);
  for (const { id } of open.filter((one) => !standing.includes(one))) await tx.invitations.remove(id);
  if (standing.length >= MAX_PROJECT_INVITATIONS) throw new AppError('invitation_limit_reached');
}

async function requireNewcomer(
  { accounts, projects }: Pick<Reads, 'accounts' | 'projects'>,
  { projectId }: Actor,
  email: string,
): Promise<void> {
  const account = await accounts.byEmail(email);
  if (account === null || (await projects.roleOf(projectId, account.id)) === null) return;
  throw alreadyMember(email);
}

export function alreadyMember(email: string): AppError {
  return new AppError('already_member', `${email} is already a member`, { field: 'email' });
}

/** Counts the invitation. People whom the owner works with already do not count, but their mailboxes do. */
async function count(deps: AccountDeps, { caller, projectId }: Actor, email: string | null): Promise<void> {
  const attempts: Attempt[] = [];
  if (email !== null) {
    requireMail(deps);
    attempts.push({ rule: 'invitationsPerMailbox', subject: mailboxOf(email) });
  }
  if ('accountId' in caller && !(await isKnown(deps, projectId, email)))
    attempts.push({ rule: 'invitationsPerAccount', subject: String(caller.accountId) });
  try {
    await deps.attempts.take(attempts);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many_attempts') throw error;
    const { retryAfterSeconds } = error;
    throw new AppError(
      'too_many_invitations',
      undefined,
      retryAfterSeconds === null ? {} : { retryAfterSeconds },
    );
  }
}

async function isKnown({ store }: AccountDeps, projectId: number, email: string | null): Promise<boolean> {
  const account = email === null ? null : await store.accounts.byEmail(email);
  return account !== null && (await store.projects.isInOtherProject(projectId, account.id));
}

function newSecret({ random, clock }: Deps, { caller }: Actor) {
  const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
  const invitedBy = 'accountId' in caller ? caller.accountId : null;
  return { token, digest: sha256(token), invitedBy, expiresAt: clock.now() + INVITATION_SPAN };
}

/** Mails the link, or returns it for the inviter to pass on. */
async function handOut(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  {
    token,
    email,
    action,
  }: { readonly token: string; readonly email: string | null; readonly action: string },
): Promise<MadeInvitation> {
  const invitation = await tx.invitations.find(sha256(token), deps.clock.now());
  if (invitation === null) throw new AppError('invitation_not_found');
  if (email !== null) await mailInvitation(deps, tx, email, token);
  const details = { after: { role: invitation.role } };
  await recordInProject(deps, tx, actor, { action, subject: invitationSubject(invitation), details });
  return { invitation, token: email === null ? token : null };
}
