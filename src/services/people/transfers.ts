import { newMail } from '../../domain/alert/mail.ts';
import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Member, Project, Transfer } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordAct, recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockAsOwner, projectSubject } from '../project/projects.ts';
import { type AccountActor, requireOnAccount } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';
import { freeChecks, requireRoomForProject } from './own-projects.ts';

/** An offer to take a project over, with the address of the member who has it. */
export interface Offer extends Transfer {
  readonly email: string;
}

/** The offer of the project. Null if it is offered to nobody. */
export async function readOffer({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<Offer | null> {
  requirePermission(actor, 'project.view');
  const transfer = await store.transfers.ofProject(actor.projectId);
  const account = transfer && (await store.accounts.byId(transfer.accountId));
  return transfer && account && { ...transfer, email: account.email };
}

/**
 * Offers the project to a member, in place of an earlier offer. The member is told by mail, if the service sends any.
 * A file says who owns the projects that it declares, so these cannot be handed over here.
 */
export async function offerProject(deps: AccountDeps, actor: Actor, memberUuid: string): Promise<void> {
  requirePermission(actor, 'project.transfer');
  await deps.attempts.take([{ rule: 'offersPerOwner', subject: String(actor.ownerId) }]);
  await deps.store.transaction(async (tx) => {
    const project = await lockAsOwner(tx, actor);
    await requireUndeclared(tx, project);
    const member = await memberOf(tx, project, memberUuid);
    const now = deps.clock.now();
    await tx.transfers.save({ projectId: project.id, accountId: member.accountId, createdAt: now });
    if (deps.settings.hasMail) {
      const subject = { kind: 'transfer', parameters: { projectId: project.id } } as const;
      await tx.mails.insertMany([newMail(member.accountId, subject, deps.random.uuid(), now)]);
    }
    await recordInProject(deps, tx, actor, {
      action: 'project.offered',
      subject: projectSubject(project),
      details: { to: member.email },
    });
  });
}

async function requireUndeclared(tx: Writes, { id }: Project): Promise<void> {
  if (await tx.projects.isDeclared(id))
    throw new AppError('project_declared', "The operator's file says who owns this project.");
}

async function memberOf(tx: Writes, { id }: Project, uuid: string): Promise<Member> {
  const member = (await tx.projects.membersOf(id)).find((one) => one.uuid === uuid);
  if (member === undefined) throw new AppError('member_not_found');
  return member;
}

/** Takes the offer back, if there is one. */
export async function withdrawOffer(deps: Deps, actor: Actor): Promise<void> {
  requirePermission(actor, 'project.transfer');
  await deps.store.transaction(async (tx) => {
    const project = await lockAsOwner(tx, actor);
    if (!(await tx.transfers.remove(project.id))) return;
    await recordInProject(deps, tx, actor, {
      action: 'project.offer_withdrawn',
      subject: projectSubject(project),
    });
  });
}

/**
 * Makes the person the owner of a project that is offered to them. The former owner becomes a member. The checks count
 * for the new owner from now on, and must fit into the rest of their limit.
 */
export async function acceptProject(deps: Deps, actor: AccountActor, uuid: string): Promise<void> {
  requireOnAccount(actor, 'projects.edit');
  await deps.store.transaction(async (tx) => {
    const project = await lockOffered(tx, actor, uuid);
    await requireUndeclared(tx, project);
    const { former, next } = await lockBoth(tx, project.ownerId, actor.accountId);
    const checks = await tx.checks.countOfProject(project.id);
    await requireRoomForChecks(tx, next, checks);
    await requireRoomForProject(tx, next.id);
    // The offer ends with the membership.
    await tx.projects.removeMember(project.id, next.id);
    await tx.projects.setOwner(project.id, next.id);
    await tx.projects.addMember(project.id, former.id, 'member', deps.clock.now());
    await tx.accounts.moveCheckSlots(former.id, next.id, checks);
    await recordAct(deps, tx, actor.by, {
      action: 'project.transferred',
      subject: projectSubject(project),
      projectId: project.id,
      details: { before: { owner: former.email }, after: { owner: next.email } },
    });
  });
}

export async function declineProject(deps: Deps, actor: AccountActor, uuid: string): Promise<void> {
  requireOnAccount(actor, 'projects.edit');
  await deps.store.transaction(async (tx) => {
    const project = await lockOffered(tx, actor, uuid);
    await tx.transfers.remove(project.id);
    await recordAct(deps, tx, actor.by, {
      action: 'project.offer_declined',
      subject: projectSubject(project),
      projectId: project.id,
    });
  });
}

/** The project, locked, if it is offered to the actor. For everybody else there is no such offer. */
async function lockOffered(tx: Writes, { accountId }: AccountActor, uuid: string): Promise<Project> {
  const project = await tx.projects.lockByUuid(uuid);
  if (project === null || project.deletesAt !== null) throw new AppError('offer_not_found');
  const transfer = await tx.transfers.ofProject(project.id);
  if (transfer?.accountId !== accountId) throw new AppError('offer_not_found');
  if ((await tx.projects.roleOf(project.id, accountId)) === null) throw new AppError('offer_not_found');
  return project;
}

/** Both accounts, locked. Every process locks them in the same order, so that none waits for another in a circle. */
async function lockBoth(
  tx: Writes,
  formerId: number,
  nextId: number,
): Promise<{ readonly former: Account; readonly next: Account }> {
  const locked = new Map<number, Account | null>();
  for (const id of [formerId, nextId].toSorted((one, other) => one - other))
    locked.set(id, await tx.accounts.lock(id));
  const [former, next] = [locked.get(formerId), locked.get(nextId)];
  if (!former || !next) throw new AppError('not_signed_in');
  return { former, next };
}

async function requireRoomForChecks(tx: Writes, account: Account, checks: number): Promise<void> {
  const free = await freeChecks(tx, account);
  if (checks <= free) return;
  const text = `The project has ${checks} checks, and your account has room for ${free} more.`;
  throw new AppError('check_quota_too_small', text);
}
