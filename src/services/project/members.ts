import { AppError } from '../../domain/errors.ts';
import type { ActSubject } from '../../domain/people/audit.ts';
import { isAllowed, type MemberRole } from '../../domain/people/permission.ts';
import type { Member, Project, TeamMember } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { type AccessLeft, accessMadeBy, type MadeAccess, settleAccess } from './member-access.ts';
import { leaveTeam, lockTeam } from './team.ts';

/** A person of the project, as somebody else of it sees them. */
export interface ShownMember {
  readonly member: TeamMember;
  /** Whether it is shown when they were last there, and whether they have a second factor. */
  readonly isWhole: boolean;
}

/** The owner, then the members in the order in which they came. */
export async function listMembers({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<ShownMember[]> {
  requirePermission(actor, 'members.view');
  const isWhole = isAllowed(actor.caller, 'members.edit');
  const team = await store.projects.teamOf(actor.projectId);
  return team.map((member) => ({ member, isWhole }));
}

/** Which member. `uuid` is the account's. */
interface OfMember {
  readonly uuid: string;
  /** Whether keys and wall displays that the person has made are revoked. */
  readonly revokes: boolean;
}

/** Access that the member has made. Null if the actor may not see keys. */
export async function listMemberAccess(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  uuid: string,
): Promise<MadeAccess | null> {
  requirePermission(actor, 'members.edit');
  const member = (await deps.store.projects.teamOf(actor.projectId)).find((one) => one.uuid === uuid);
  if (member === undefined) throw new AppError('member_not_found');
  return accessMadeBy(deps, deps.store, actor, member);
}

/** Gives a member another role. */
export async function changeRole(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  { uuid, role, revokes }: OfMember & { readonly role: MemberRole },
): Promise<AccessLeft> {
  requirePermission(actor, 'members.edit');
  return deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'members.edit');
    const member = await otherMember(tx, actor, project, uuid);
    const left = await settleAccess(deps, tx, actor, member, revokes);
    if (member.role === role) return left;
    await tx.projects.setRole(project.id, member.accountId, role);
    await recordInProject(deps, tx, actor, {
      action: 'member.role_changed',
      subject: memberSubject(member),
      details: { before: { role: member.role }, after: { role } },
    });
    return left;
  });
}

export async function removeMember(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  { uuid, revokes }: OfMember,
): Promise<AccessLeft> {
  requirePermission(actor, 'members.edit');
  return deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'members.edit');
    const member = await otherMember(tx, actor, project, uuid);
    const left = await settleAccess(deps, tx, actor, member, revokes);
    await leaveTeam(deps, tx, project, { id: member.accountId });
    await recordInProject(deps, tx, actor, {
      action: 'member.removed',
      subject: memberSubject(member),
      details: { before: { role: member.role } },
    });
    return left;
  });
}

/** Ends the actor's own membership. */
export async function leaveProject(deps: Pick<Deps, 'store' | 'clock'>, actor: Actor): Promise<void> {
  requirePermission(actor, 'project.leave');
  const { caller } = actor;
  if (!('role' in caller)) throw new AppError('permission_denied');
  await deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'project.leave');
    const account = await tx.accounts.byId(caller.accountId);
    if (account === null) throw new AppError('not_signed_in');
    const role = await tx.projects.roleOf(project.id, account.id);
    await leaveTeam(deps, tx, project, account);
    await recordInProject(deps, tx, actor, {
      action: 'member.left',
      subject: memberSubject(account),
      details: { before: { role } },
    });
  });
}

export function memberSubject({ uuid, email }: Pick<Member, 'uuid' | 'email'>): ActSubject {
  return { kind: 'member', id: uuid, name: email };
}

/** The member, if somebody else may change or remove them. */
async function otherMember(
  tx: Writes,
  { caller }: Actor,
  project: Project,
  uuid: string,
): Promise<TeamMember> {
  const member = (await tx.projects.teamOf(project.id)).find((one) => one.uuid === uuid);
  if (member === undefined) throw new AppError('member_not_found');
  if (member.role === 'owner')
    throw new AppError('invalid_member', 'The owner stays until the project is handed over.');
  if ('accountId' in caller && caller.accountId === member.accountId)
    throw new AppError('invalid_member', 'Your own role is changed by others. You can leave the project.');
  return member;
}
