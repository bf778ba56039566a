import type { OwnedRow } from '../../domain/change.ts';
import type { CheckRef } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Role } from '../../domain/people/permission.ts';
import { type DeletedProject, MAX_OWNED_PROJECTS, type Project } from '../../domain/people/project.ts';
import type { ProjectOverview, Reads, Writes } from '../../storage/store.ts';
import type { Actor } from '../core/actor.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { createProject, projectSubject, undoDeletion } from '../project/projects.ts';
import { type AccountActor, actorsAccount, requireOnAccount, visitingSession } from './account-actor.ts';
import { enterByToken, isFor } from './tokens.ts';

/** A project and the role that the person has in it. */
export interface OwnProject {
  readonly project: Project;
  readonly role: Role;
}

/** The projects that the person owns or is a member of, in order of creation. */
export async function listProjects(
  { store }: Pick<Deps, 'store'>,
  actor: AccountActor,
): Promise<OwnProject[]> {
  requireOnAccount(actor, 'projects.view');
  const projects = await store.projects.withRoles(actor.accountId);
  return projects.filter(({ project }) => isFor(actor.caller, project));
}

/** The list of a person's projects, without the statuses of checks. */
export interface ProjectList {
  readonly projects: readonly ProjectOverview[];
  /** Own projects that the person has deleted and can restore. */
  readonly deleted: readonly DeletedProject[];
  /** The number of checks that the person's projects may still get. */
  readonly freeChecks: number;
}

export async function readProjectList(
  { store, clock }: Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  actor: AccountActor,
): Promise<ProjectList> {
  requireOnAccount(actor, 'projects.view');
  const account = await actorsAccount(store, actor);
  const projects = await store.projects.overviewsOf(account.id);
  const deleted = await store.projects.restorableOf(account.id, clock.now());
  return {
    projects: projects.filter(({ project }) => isFor(actor.caller, project)),
    deleted: deleted.filter((project) => isFor(actor.caller, project)),
    freeChecks: await freeChecks(store, account),
  };
}

/** An account may have more checks than its limit allows: pings can create some beyond it. */
export async function freeChecks(
  { accounts }: Pick<Reads, 'accounts'>,
  { id, limits }: Account,
): Promise<number> {
  return Math.max(0, limits.checks - (await accounts.checkCount(id)));
}

export async function createOwnProject(deps: Deps, actor: AccountActor, name: string): Promise<Project> {
  requireOnAccount(actor, 'projects.edit');
  return deps.store.transaction(async (tx) => {
    const owner = await tx.accounts.lock(actor.accountId);
    if (owner === null) throw new AppError('not_signed_in');
    await requireRoomForProject(tx, owner.id);
    const project = await createProject(deps, tx, owner, name);
    await recordAct(deps, tx, actor.by, {
      action: 'project.created',
      subject: projectSubject(project),
      projectId: project.id,
    });
    return project;
  });
}

/** Call it with the account locked, so that two requests do not pass the limit together. */
export async function requireRoomForProject(tx: Writes, ownerId: number): Promise<void> {
  const owned = await tx.projects.ownedBy(ownerId);
  if (owned.length >= MAX_OWNED_PROJECTS) throw new AppError('project_limit_reached');
}

/** Brings back a project that its owner has deleted. */
export async function restoreProject(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: AccountActor,
  uuid: string,
): Promise<Project> {
  requireOnAccount(actor, 'projects.edit');
  return deps.store.transaction(async (tx) => {
    const project = await tx.projects.lockByUuid(uuid);
    const isRestorable = (project?.deletesAt ?? 0) > deps.clock.now();
    if (project?.ownerId !== actor.accountId || !isRestorable) throw new AppError('project_not_found');
    await undoDeletion(deps, tx, project);
    await recordAct(deps, tx, actor.by, {
      action: 'project.restored',
      subject: projectSubject(project),
      projectId: project.id,
    });
    return { ...project, deletesAt: null };
  });
}

/**
 * The person as an actor in the project. Without a role in it, the answer is the same as for a project that does not
 * exist, except for an administrator who visits it.
 */
export async function enterProject(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  actor: AccountActor,
  uuid: string,
): Promise<Actor> {
  requireOnAccount(actor, 'projects.view');
  const { caller, accountId } = actor;
  if (caller.kind === 'account_token') return enterByToken({ store }, { ...actor, caller }, uuid);
  const access = await store.projects.accessOf(accountId, uuid);
  if (access !== null) return actorIn(access.project, actor, access.role);
  const sessionId = await visitingSession(store, actor);
  const visited = sessionId === null ? null : await store.projects.visitedIn(sessionId, uuid, clock.now());
  if (visited === null) throw new AppError('project_not_found');
  return actorIn(visited, actor, 'administrator');
}

/** The person as an actor in each of their projects, in order of creation. */
export async function enterProjects(
  deps: Pick<Deps, 'store'>,
  person: AccountActor,
): Promise<{ readonly project: string; readonly actor: Actor }[]> {
  const projects = await listProjects(deps, person);
  return projects.map(({ project, role }) => ({
    project: project.uuid,
    actor: actorIn(project, person, role),
  }));
}

/**
 * The person as an actor in the project of the check. Without a role in it, the answer is the same as for a check that
 * does not exist, except for an administrator who visits the project.
 */
export async function enterByCheck(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  actor: AccountActor,
  ref: CheckRef,
): Promise<{ readonly actor: Actor; readonly check: OwnedRow }> {
  requireOnAccount(actor, 'projects.view');
  const access = await store.checks.accessOf(actor.accountId, ref);
  if (access !== null) {
    const { check, ownerId, role } = access;
    return { actor: actorIn({ id: check.projectId, ownerId }, actor, role), check };
  }
  const sessionId = await visitingSession(store, actor);
  const visited = sessionId === null ? null : await store.checks.visitedIn(sessionId, ref, clock.now());
  if (visited === null) throw new AppError('check_not_found');
  const { check, ownerId } = visited;
  return { actor: actorIn({ id: check.projectId, ownerId }, actor, 'administrator'), check };
}

function actorIn(
  { id: projectId, ownerId }: Pick<Project, 'id' | 'ownerId'>,
  { caller, accountId, by }: AccountActor,
  role: Role | 'administrator',
): Actor {
  const isConfirmed = caller.kind === 'session' && caller.isConfirmed;
  if (role === 'administrator')
    return { projectId, ownerId, caller: { kind: 'administrator', accountId, isConfirmed }, by };
  return { projectId, ownerId, caller: { kind: 'member', accountId, role, isConfirmed }, by };
}

/** The role of the account for which the program acts by a token. */
export function roleByToken({ caller }: Actor): Role {
  if (caller.kind !== 'account_token') throw new AppError('permission_denied');
  return caller.role;
}

/** The role of the person. An administrator has one of their own in projects of others. */
export function roleOf({ caller }: Actor): Role | 'administrator' {
  if (caller.kind === 'member') return caller.role;
  if (caller.kind === 'administrator') return 'administrator';
  throw new AppError('permission_denied');
}
