import { toIsoSeconds } from '../lib/instant.ts';
import { listDeleted } from '../services/check/check-deletion.ts';
import { listCheckActs } from '../services/history/audit-log.ts';
import { listMoveTargets } from '../services/people/move-targets.ts';
import { cursorField } from '../wire/dashboard/audit-log-input.ts';
import { checkHistoryJson } from '../wire/dashboard/check-history-output.ts';
import { checkView, projectView } from './view.ts';

/** Acts on a check, the latest first. */
export const checkHistory = checkView({
  permission: 'checks.edit',
  input: { cursor: cursorField },
  read: async (deps, { actor, checkId, input }) =>
    checkHistoryJson(await listCheckActs(deps, actor, checkId, input.cursor)),
});

/** Projects to which a check of this project can be moved or copied. */
export const moveTargets = projectView({
  permission: 'checks.edit',
  read: async (deps, { person, actor }) =>
    (await listMoveTargets(deps, person, actor)).map(({ project, isCurrent, isFull }) => ({
      uuid: project.uuid,
      name: project.name,
      isCurrent,
      /** Whether its owner has as many checks as they can have. */
      isFull,
    })),
});

/** Checks that were deleted and can be restored. */
export const deletedChecks = projectView({
  permission: 'checks.edit',
  read: async (deps, { actor }) =>
    (await listDeleted(deps, actor)).map(({ uuid, name, slug, tags, deletesAt }) => ({
      uuid,
      name: name || slug,
      tags,
      deletesAt: toIsoSeconds(deletesAt),
    })),
});
