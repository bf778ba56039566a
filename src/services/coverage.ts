import { AppError } from '../domain/errors.ts';
import { type Actor, isAllowed } from '../domain/people/permission.ts';
import { type ChoosableCheck, CoverageCollector, type CoveredProject } from '../domain/public/coverage.ts';
import { requirePermission } from './actor.ts';
import { recordInProject } from './audit.ts';
import { summaryPages } from './check-list.ts';
import type { Deps } from './deps.ts';
import { type MailReadingDeps, shownStatus } from './reports.ts';

/** Checks that a search offers. */
export const MAX_OFFERED_CHECKS = 50;

/** A project with what opens its badges. */
export interface Coverages extends CoveredProject {
  /** Null for somebody who must not see addresses. */
  readonly badgeKey: string | null;
}

/** How the project, each of its tags and the checks that match are doing. */
export async function readCoverage(deps: MailReadingDeps, actor: Actor, search: string): Promise<Coverages> {
  requirePermission(actor, 'checks.view');
  const project = await deps.store.projects.byId(actor.projectId);
  if (project === null) throw new AppError('project_not_found');
  const now = deps.clock.now();
  const collector = new CoverageCollector();
  const checks: ChoosableCheck[] = [];
  const wanted = search.toLowerCase();
  for await (const page of summaryPages(deps, actor.projectId)) {
    for (const check of page) {
      const status = shownStatus(check, now);
      collector.add(check, status);
      const isWanted = `${check.name} ${check.slug} ${check.tags}`.toLowerCase().includes(wanted);
      if (isWanted && checks.length <= MAX_OFFERED_CHECKS) checks.push({ ...check, status });
    }
  }
  const { badgeKey } = project;
  return {
    ...collector.result,
    now,
    checks: checks.slice(0, MAX_OFFERED_CHECKS),
    hasMore: checks.length > MAX_OFFERED_CHECKS,
    badgeKey: isAllowed(actor.caller, 'keys.edit') ? badgeKey : null,
  };
}

/** Makes another badge key. Pictures with the one from before show nothing any more. */
export async function rotateBadgeKey(deps: Deps, actor: Actor): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await deps.store.transaction(async (tx) => {
    const project = await tx.projects.byId(actor.projectId);
    if (project === null) throw new AppError('project_not_found');
    await tx.projects.setBadgeKey(project.id, deps.random.uuid());
    const { uuid, name } = project;
    await recordInProject(deps, tx, actor, {
      action: 'badge_key.replaced',
      subject: { kind: 'badge_key', id: uuid, name },
    });
  });
}
