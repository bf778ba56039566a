import { SETTING_NAMES } from '../domain/check/settings.ts';
import type { LoggedAct } from '../domain/people/audit.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { snakeCase } from '../lib/snake-case.ts';
import { listDeleted } from '../services/check/check-deletion.ts';
import { listCheckActs } from '../services/history/audit-log.ts';
import { listMoveTargets } from '../services/people/move-targets.ts';
import { fieldName } from '../wire/api/check-fields.ts';
import { cursorField } from '../wire/dashboard/audit-log-input.ts';
import { cursorText } from '../wire/dashboard/audit-log-output.ts';
import { type CheckSettingsJson, NEW_SETTINGS } from '../wire/dashboard/check-settings-output.ts';
import { checkView, projectView } from './view.ts';

/** Acts on a check, the latest first. */
export const checkHistory = checkView({
  permission: 'checks.edit',
  input: { cursor: cursorField },
  read: async (deps, { actor, checkId, input }) => {
    const { acts, next } = await listCheckActs(deps, actor, checkId, input.cursor);
    return { changes: acts.map(changeJson), cursor: cursorText(next) };
  },
});

function changeJson({ createdAt, actor, means, action, details }: LoggedAct) {
  const after = settingsOf(details.after);
  const known = Object.entries({ ...NEW_SETTINGS, ...settingsOf(details.before) });
  /** The settings that changed. Before creation they are the defaults of a new form. Long texts and lists are cut. */
  const before: typeof after = Object.fromEntries(known.filter(([name]) => Object.hasOwn(after, name)));
  return { at: toIsoSeconds(createdAt), actor, means, action, before, after };
}

/** The names of settings in forms, by their names in the log. */
const FORM_NAMES = new Map<string, string>([
  ...SETTING_NAMES.map((name) => [snakeCase(name), fieldName(name)] as const),
  ['channels', 'channels'],
]);

/** Drops values that are not settings, such as the status of a paused check: the action already says them. */
function settingsOf(logged: unknown): Partial<CheckSettingsJson> {
  const entries = Object.entries(logged ?? {}).map(([name, value]) => [FORM_NAMES.get(name), value]);
  return Object.fromEntries(entries.filter(([name]) => name !== undefined));
}

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
