import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import { isStanding, MAX_SHOWN_INVITATIONS, type OpenInvitation } from '../../domain/people/invitation.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import {
  type AccountActor,
  actorsAccount,
  lockedAccount,
  requireOnAccount,
} from '../people/account-actor.ts';
import { isAddressProven } from '../people/address-proof.ts';
import { type Client, networkOf } from '../people/client.ts';
import { perNetwork, takeMail } from '../people/client-attempts.ts';
import type { AccountDeps } from '../people/deps.ts';
import { type FoundInvitation, findInvitation, tokenForAddress } from '../people/invitation-token.ts';
import { alreadyMember, invitationSubject, mailInvitation } from '../people/invitations.ts';
import { requireLocalSignIn } from '../people/local-sign-in.ts';
import type { OwnProject } from '../people/own-projects.ts';
import { hashChosen } from '../people/passwords.ts';
import { sessionOf } from '../people/sessions.ts';
import { type NewSignIn, type SigningIn, signIn } from '../people/sign-in.ts';
import { memberSubject } from '../project/members.ts';
import { enterTeam, requireRoom } from '../project/team.ts';
import { withFreeEmail } from './new-account.ts';
import { type NewProfile, register } from './sign-up.ts';

/** An invitation as the holder of its link sees it. */
export interface LookedAtInvitation extends FoundInvitation {
  /** Whether the proved address has an account. Null if no address is proved. */
  readonly hasAccount: boolean | null;
}

/** Looks at the invitation without using it up. */
export async function lookAtInvitation(deps: AccountDeps, token: string): Promise<LookedAtInvitation> {
  const found = await findUsable(deps, token);
  const { provenEmail } = found;
  const account = provenEmail === null ? null : await deps.store.accounts.byEmail(provenEmail);
  return { ...found, hasAccount: provenEmail === null ? null : account !== null };
}

/**
 * Invitations to the address of the signed-in person, if it is known to be theirs. Otherwise only the link tells who was
 * meant.
 */
export async function listOwnInvitations(deps: AccountDeps, actor: AccountActor): Promise<OpenInvitation[]> {
  requireOnAccount(actor, 'projects.join');
  const account = await actorsAccount(deps.store, actor);
  if (!(await hasProvenAddress(deps, deps.store, account))) return [];
  const { email } = account;
  const invitations = await deps.store.invitations.ofEmail(email, deps.clock.now(), MAX_SHOWN_INVITATIONS);
  return invitations.filter(isStanding);
}

/** Makes the signed-in person a member by an invitation to their address. */
export async function acceptOwnInvitation(
  deps: AccountDeps,
  actor: AccountActor,
  uuid: string,
): Promise<OwnProject> {
  requireOnAccount(actor, 'projects.join');
  return deps.store.transaction(async (tx) => {
    const { invitation, account } = await takeOwnInvitation(deps, tx, actor, uuid);
    return enter(deps, tx, invitation, account, actor.by);
  });
}

/** Ends an invitation to the address of the signed-in person. */
export async function declineOwnInvitation(
  deps: AccountDeps,
  actor: AccountActor,
  uuid: string,
): Promise<void> {
  requireOnAccount(actor, 'projects.join');
  await deps.store.transaction(async (tx) => {
    const { invitation } = await takeOwnInvitation(deps, tx, actor, uuid);
    const subject = invitationSubject(invitation);
    const { projectId } = invitation;
    await recordAct(deps, tx, actor.by, { action: 'invitation.declined', subject, projectId });
  });
}

/** Makes the signed-in person a member. An invitation for an address is only for the account with this address. */
export async function acceptInvitation(
  deps: AccountDeps,
  actor: AccountActor,
  token: string,
): Promise<OwnProject> {
  requireOnAccount(actor, 'projects.join');
  return deps.store.transaction(async (tx) => {
    const invitation = await takeInvitation(deps, tx, token);
    const account = await tx.accounts.lock(actor.accountId);
    if (account === null) throw new AppError('not_signed_in');
    if (invitation.email !== null && invitation.email !== account.email)
      throw new AppError(
        'other_address',
        `The invitation is for ${invitation.email}. You are signed in as ${account.email}.`,
      );
    return enter(deps, tx, invitation, account, actor.by);
  });
}

/** Ends the invitation. Nobody has to be signed in for that. */
export async function declineInvitation(deps: AccountDeps, client: Client, token: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const invitation = await takeInvitation(deps, tx, token);
    const { email, projectId } = invitation;
    const by = { accountId: null, name: email ?? 'link', means: 'link', remoteAddr: client.address } as const;
    const subject = invitationSubject(invitation);
    await recordAct(deps, tx, by, { action: 'invitation.declined', subject, projectId });
  });
}

/** The input of somebody without an account who joins. */
export interface Newcomer extends NewProfile {
  readonly token: string;
  /** Needed where the link proves no address. */
  readonly email: string | null;
  /** Without one the person signs in by links. */
  readonly password: string | null;
}

/**
 * Makes an account for somebody who was invited, also where nobody can sign up, and makes them a member. It gets no project
 * of its own. If the link proves no address and the service can send mail, it mails one that does, makes nothing, and
 * returns null.
 */
export async function joinWithNewAccount(
  deps: AccountDeps,
  browser: SigningIn,
  input: Newcomer,
): Promise<NewSignIn | null> {
  requireLocalSignIn(deps);
  const { provenEmail } = await findUsable(deps, input.token);
  const email = provenEmail ?? input.email;
  if (email === null) throw new AppError('invalid_field', 'email is missing', { field: 'email' });
  if (provenEmail === null && deps.settings.hasMail)
    return mailProof(deps, browser.client, input.token, email);
  if (provenEmail === null && input.password === null)
    throw new AppError('invalid_field', 'password is missing', { field: 'password' });
  if (provenEmail === null) await deps.attempts.take(perNetwork('accountsPerNetwork', browser.client));
  const requester = { network: networkOf(browser.client), isKnown: false };
  const passwordHash =
    input.password === null ? null : await hashChosen(deps, input.password, email, requester);
  return withFreeEmail(() =>
    deps.store.transaction(async (tx) => {
      const invitation = await takeInvitation(deps, tx, input.token);
      const isProven = provenEmail !== null;
      const account = await register(deps, tx, browser.client, { ...input, email, passwordHash, isProven });
      await enter(deps, tx, invitation, account, sessionOf(account.id, email, browser.client));
      return signIn(deps, tx, account, browser, isProven ? 'link' : 'password');
    }),
  );
}

/** The answer is the same whether the address has an account or not. The page of the link tells how to go on. */
async function mailProof(deps: AccountDeps, client: Client, token: string, email: string): Promise<null> {
  await takeMail(deps, client, await deps.store.accounts.byEmail(email), email);
  await deps.store.transaction((tx) => mailInvitation(deps, tx, email, tokenForAddress(deps, token, email)));
  return null;
}

async function findUsable(deps: AccountDeps, token: string): Promise<FoundInvitation> {
  const found = await findInvitation(deps, deps.store, token);
  if (found === null) throw new AppError('invalid_link');
  return found;
}

/**
 * Uses the invitation up, with its project locked. It is looked at again after the lock: meanwhile the inviter may have been
 * removed.
 */
async function takeInvitation(deps: AccountDeps, tx: Writes, token: string): Promise<OpenInvitation> {
  const before = await findInvitation(deps, tx, token);
  if (before === null) throw new AppError('invalid_link');
  await tx.projects.lock(before.invitation.projectId);
  const found = await findInvitation(deps, tx, token);
  if (found === null || !(await tx.invitations.remove(found.invitation.id)))
    throw new AppError('invalid_link');
  return found.invitation;
}

/** Takes an invitation of the person. It is searched by their address once more, with everything locked. */
async function takeOwnInvitation(
  deps: AccountDeps,
  tx: Writes,
  actor: AccountActor,
  uuid: string,
): Promise<{ readonly invitation: OpenInvitation; readonly account: Account }> {
  const find = async (account: Account) => {
    if (!(await hasProvenAddress(deps, tx, account))) return undefined;
    const found = await tx.invitations.ofEmail(account.email, deps.clock.now(), MAX_SHOWN_INVITATIONS);
    return found.find((one) => one.uuid === uuid && isStanding(one));
  };
  const before = await find(await actorsAccount(tx, actor));
  if (before === undefined) throw new AppError('invitation_not_found');
  await tx.projects.lock(before.projectId);
  const account = await lockedAccount(tx, actor);
  const invitation = await find(account);
  if (invitation === undefined || !(await tx.invitations.remove(invitation.id)))
    throw new AppError('invitation_not_found');
  return { invitation, account };
}

async function hasProvenAddress(
  { settings }: Pick<AccountDeps, 'settings'>,
  reads: Pick<Reads, 'instance'>,
  account: Account,
): Promise<boolean> {
  return settings.hasMail && (await isAddressProven(reads, account));
}

/** Makes the account a member of the project, which is locked. */
async function enter(
  deps: AccountDeps,
  tx: Writes,
  { projectId, role, inviter }: OpenInvitation,
  account: Account,
  by: ActedBy,
): Promise<OwnProject> {
  const project = await tx.projects.byId(projectId);
  if (project === null) throw new AppError('invalid_link');
  if ((await tx.projects.roleOf(projectId, account.id)) !== null) throw alreadyMember(account.email);
  await requireRoom(tx, project);
  await enterTeam(deps, tx, project, account, role);
  await recordAct(deps, tx, by, {
    action: 'member.joined',
    subject: memberSubject(account),
    projectId,
    details: { after: { role }, invited_by: inviter?.email ?? null },
  });
  return { project, role };
}
