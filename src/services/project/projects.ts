import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { type ApiKeyKind, lookupPart } from '../../domain/people/api-key.ts';
import type { ActedBy, ActSubject } from '../../domain/people/audit.ts';
import {
  type ApiKey,
  type DeletedProject,
  type Project,
  RESTORABLE_FOR,
} from '../../domain/people/project.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, PROGRAM_ITSELF, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';

export async function readProject({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<Project> {
  requirePermission(actor, 'project.view');
  const project = await store.projects.byId(actor.projectId);
  // The project was deleted after the key was looked up.
  if (project === null || project.deletesAt !== null) throw new AppError('wrong_api_key');
  return project;
}

export async function renameProject(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  name: string,
): Promise<Project> {
  requirePermission(actor, 'project.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnProject(tx, actor);
    if (before.name === name) return before;
    await tx.projects.rename(before.id, name);
    await recordInProject(deps, tx, actor, {
      action: 'project.renamed',
      subject: projectSubject(before),
      details: { before: { name: before.name }, after: { name } },
    });
    return { ...before, name };
  });
}

/**
 * Deletes the project for everybody. Its owner can restore it until `deletesAt`: pings are still recorded and deadlines
 * watched, but nobody is told of anything. A person repeats its name. A program names it by its UUID alone (null).
 */
export async function deleteProject(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  typedName: string | null,
): Promise<DeletedProject> {
  requirePermission(actor, 'project.delete');
  return deps.store.transaction(async (tx) => {
    const project = await lockAsOwner(tx, actor);
    if (typedName !== null && typedName !== project.name)
      throw new AppError('invalid_field', 'This is not the name of the project.', { field: 'name' });
    const now = deps.clock.now();
    const deletesAt = now + RESTORABLE_FOR;
    await markDeleted(tx, project, deletesAt, now);
    await recordInProject(deps, tx, actor, {
      action: 'project.deleted',
      subject: projectSubject(project),
      details: { restorableUntil: toIsoSeconds(deletesAt) },
    });
    return { ...project, deletesAt };
  });
}

/** From now on a project that is locked is deleted for everybody, and at `deletesAt` for good. */
export async function markDeleted(
  tx: Writes,
  { id }: Project,
  deletesAt: Instant,
  now: Instant,
): Promise<void> {
  const reminded = await tx.mailPreferences.lockProjectAccountsToRemind(id);
  await tx.projects.setDeletion(id, deletesAt);
  await tx.transfers.remove(id);
  await tx.mailPreferences.updateReminderDates(reminded, now);
}

/** Undoes the deletion of a project that is locked. */
export async function undoDeletion(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  { id }: Project,
): Promise<void> {
  await tx.projects.setDeletion(id, null);
  await tx.mailPreferences.updateReminderDates(
    await tx.mailPreferences.lockProjectAccountsToRemind(id),
    clock.now(),
  );
}

/** The project of the actor, locked. It may have been deleted since the actor entered it. */
async function lockOwnProject(tx: Writes, { projectId }: Actor): Promise<Project> {
  const project = await tx.projects.lock(projectId);
  if (project === null || project.deletesAt !== null) throw new AppError('project_not_found');
  return project;
}

/** Locks the project for an act of its owner. The actor may have handed the project over since they entered it. */
export async function lockAsOwner(tx: Writes, actor: Actor): Promise<Project> {
  const project = await lockOwnProject(tx, actor);
  const { caller } = actor;
  if ('accountId' in caller && caller.accountId !== project.ownerId) throw new AppError('permission_denied');
  return project;
}

export function projectSubject({ uuid, name }: Pick<Project, 'uuid' | 'name'>): ActSubject {
  return { kind: 'project', id: uuid, name };
}

/** Only the program itself may choose these. Absent: new ones. */
export interface GivenProject {
  readonly uuid?: string | undefined;
  readonly badgeKey?: string | undefined;
}

export async function createProject(
  deps: Deps,
  tx: Writes,
  owner: Account,
  name: string,
  { uuid = deps.random.uuid(), badgeKey = deps.random.uuid() }: GivenProject = {},
): Promise<Project> {
  return tx.projects.insert({
    uuid,
    ownerId: owner.id,
    name,
    badgeKey,
    pingKeyDigest: null,
    pingKeySealed: null,
    createdAt: deps.clock.now(),
  });
}

export interface AddApiKey {
  readonly kind: ApiKeyKind;
  readonly name: string;
  readonly key: string;
  /** The maker of the key. Absent: the program itself. */
  readonly by?: ActedBy;
  readonly expiresAt?: Instant | null;
}

/** Adds an API key to the project. Only its digest is stored. */
export async function addApiKey(
  deps: Deps,
  tx: Writes,
  project: Pick<Project, 'id'>,
  { kind, name, key, by = PROGRAM_ITSELF, expiresAt = null }: AddApiKey,
): Promise<ApiKey> {
  return tx.apiKeys.insert({
    uuid: deps.random.uuid(),
    projectId: project.id,
    kind,
    name,
    lookup: lookupPart(key),
    digest: deps.vault.digest(key),
    secretId: deps.vault.secretId,
    createdAt: deps.clock.now(),
    madeBy: by.means,
    makerId: by.accountId,
    expiresAt,
    lastUsedAt: null,
    lastUsedAddr: null,
  });
}

/** Replaces the ping key. Its digest serves to find it; the sealed key lets members see it again. */
export async function setPingKey(
  deps: Deps,
  tx: Writes,
  project: Pick<Project, 'id'>,
  key: string,
): Promise<void> {
  await tx.projects.setPingKey(project.id, pingKeyDigest(key), deps.vault.seal(key));
}

/** The digest does not use the server's secret: otherwise a new secret would turn every ping by slug into a 404. */
export function pingKeyDigest(key: string): string {
  return sha256(key);
}
