import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import { visitsDigest } from '../../domain/people/session.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { type AccountActor, requireOnAccount, visitingSession } from './account-actor.ts';

/** The longest visit of an administrator to a project of others before they have to ask again. */
export const VISIT_SPAN: Micros = seconds(3_600);

type VisitDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/**
 * Lets an administrator into a project of others, in this session and for an hour. The log of the project tells it to its
 * owner. Entering again begins the hour anew.
 */
export async function visitProject(
  deps: VisitDeps,
  actor: AccountActor,
  uuid: string,
  reason: string,
): Promise<{ readonly project: Project; readonly endsAt: Instant }> {
  requireOnAccount(actor, 'instance.administer');
  requirePerson(actor);
  return deps.store.transaction(async (tx) => {
    const project = await tx.projects.byUuid(uuid);
    if (project === null || project.deletesAt !== null) throw new AppError('project_not_found');
    const endsAt = deps.clock.now() + VISIT_SPAN;
    const sessionId = (await visitingSession(tx, actor)) ?? (await addVisitingSession(deps, tx, actor));
    await tx.projects.beginVisit(sessionId, project.id, endsAt);
    await recordVisit(deps, tx, actor, project, { action: 'administrator.entered', details: { reason } });
    return { project, endsAt };
  });
}

/** Ends the visit. There may be none. */
export async function leaveVisited(deps: VisitDeps, actor: AccountActor, uuid: string): Promise<void> {
  requireOnAccount(actor, 'instance.view');
  requirePerson(actor);
  await deps.store.transaction(async (tx) => {
    const sessionId = await visitingSession(tx, actor);
    const project = await tx.projects.byUuid(uuid);
    if (sessionId === null || project === null) return;
    if (!(await tx.projects.endVisit(sessionId, project.id))) return;
    await recordVisit(deps, tx, actor, project, { action: 'administrator.left', details: {} });
  });
}

/** An operator is in all projects anyway. */
function requirePerson({ caller }: AccountActor): void {
  if (caller.kind !== 'session') throw new AppError('permission_denied');
}

/** If a proxy names people, visits belong to the account. */
async function addVisitingSession(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  actor: AccountActor,
): Promise<number> {
  // Two requests at the same time make one row.
  await tx.accounts.lock(actor.accountId);
  const made = await visitingSession(tx, actor);
  if (made !== null) return made;
  const now = clock.now();
  const { id } = await tx.sessions.insert({
    ...{ uuid: random.uuid(), accountId: actor.accountId, tokenDigest: visitsDigest(actor.accountId) },
    ...{ createdAt: now, lastSeenAt: now, sudoUntilAt: null, remoteAddr: actor.by.remoteAddr, userAgent: '' },
  });
  return id;
}

function recordVisit(
  deps: VisitDeps,
  tx: Parameters<typeof recordAct>[1],
  { by }: AccountActor,
  { id, uuid, name }: Project,
  act: { readonly action: string; readonly details: Readonly<Record<string, unknown>> },
): Promise<void> {
  return recordAct(deps, tx, by, { ...act, subject: { kind: 'project', id: uuid, name }, projectId: id });
}
