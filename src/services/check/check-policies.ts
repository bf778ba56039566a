import { withMark } from '../../domain/check/sources.ts';
import { AppError } from '../../domain/errors.ts';
import { logged } from '../../domain/people/audit.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import { withPolicyName } from '../core/policies.ts';
import type { BulkResult } from './check-bulk.ts';
import { type CheckDeps, markOf } from './checks.ts';

/** Gives checks of the project another policy, in one act. Those that are not of the project are left out. */
export async function setPolicyOfChecks(
  deps: CheckDeps,
  actor: Actor,
  uuids: readonly string[],
  name: string,
): Promise<BulkResult> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const { policy } = await withPolicyName(deps, tx, actor, { policy: name });
    const known = await tx.checks.namesIn(actor.projectId, { uuids, slugs: [] });
    const held = await tx.checks.lockByIds(known.map(({ id }) => id));
    const checks = (await tx.checks.byIds([...held])).filter(
      ({ projectId }) => projectId === actor.projectId,
    );
    const changed = checks.filter((check) => check.policy !== policy);
    const mark = markOf(deps, actor);
    await tx.checks.setPolicies(
      changed.map((check) => ({ ...check, policy, sources: withMark(check.sources, ['policy'], mark) })),
    );
    await tx.outages.wake(
      changed.filter(({ isHeard }) => isHeard).map(({ id }) => id),
      deps.clock.now(),
    );
    const project = await tx.projects.byId(actor.projectId);
    if (changed.length > 0)
      await recordInProject(deps, tx, actor, {
        action: 'project.checks_policy_set',
        subject: { kind: 'project', id: project?.uuid ?? '', name: project?.name ?? '' },
        details: logged({ policy, checks: changed.map((check) => check.name || check.slug) }),
      });
    const done = new Set(checks.map(({ uuid }) => uuid));
    const missing = uuids.filter((uuid) => !done.has(uuid));
    const error = new AppError('check_not_found');
    return {
      done: [...done],
      refused: new Map(missing.length === 0 ? [] : [[error.code, { error, uuids: missing }]]),
    };
  });
}
