import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/project.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { recordAct } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { type AccountActor, requireOnAccount, requireSession } from './account-actor.ts';

/** How long an administrator may stay in a project of others before they have to ask again. */
export const VISIT_SPAN: Micros = seconds(3_600);

type VisitDeps = Pick<Deps, 'store' | 'clock'>;

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
  const sessionId = requireSession(actor);
  return deps.store.transaction(async (tx) => {
    const project = await tx.projects.byUuid(uuid);
    if (project === null || project.deletesAt !== null) throw new AppError('project_not_found');
    const endsAt = deps.clock.now() + VISIT_SPAN;
    await tx.projects.beginVisit(sessionId, project.id, endsAt);
    await recordVisit(deps, tx, actor, project, { action: 'administrator.entered', details: { reason } });
    return { project, endsAt };
  });
}

/** Ends the visit. There may be none. */
export async function leaveVisited(deps: VisitDeps, actor: AccountActor, uuid: string): Promise<void> {
  requireOnAccount(actor, 'instance.view');
  const sessionId = requireSession(actor);
  await deps.store.transaction(async (tx) => {
    const project = await tx.projects.byUuid(uuid);
    if (project === null || !(await tx.projects.endVisit(sessionId, project.id))) return;
    await recordVisit(deps, tx, actor, project, { action: 'administrator.left', details: {} });
  });
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
