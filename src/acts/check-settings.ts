import { AppError } from '../domain/errors.ts';
import { text } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { findWithChannels } from '../services/check/checks.ts';
import { lastEdit } from '../services/history/audit-log.ts';
import { savedSettings } from '../views/saved-settings.ts';
import { editOf, SETTINGS_FIELDS } from '../wire/dashboard/check-settings-input.ts';
import { optional } from '../wire/dashboard/input.ts';
import { checkAct, projectAct } from './act.ts';

export const createCheck = projectAct({
  permission: 'checks.edit',
  input: SETTINGS_FIELDS,
  run: async ({ checkWriter }, { actor, input }) => {
    const { edit, channels = '*' } = editOf(input);
    const { check } = await checkWriter.perform({
      verb: 'create',
      actor,
      input: { edit, channels, match: null },
    });
    return { uuid: check.uuid };
  },
});

export const updateCheck = checkAct({
  permission: 'checks.edit',
  /** `seen` is the version of the settings that the form began with. */
  input: { ...SETTINGS_FIELDS, seen: optional(text({ maxLength: 100 })) },
  run: async (deps, { actor, checkId: id, input: { seen, ...given } }) => {
    const input = { ...editOf(given), ...(seen !== undefined && { seen }), isQuiet: true };
    try {
      return savedSettings(await deps.checkWriter.perform({ verb: 'update', actor, id, input }));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'check_changed')) throw error;
      // The page shows the present settings, and their last editor.
      const found = await findWithChannels(deps, actor, id);
      const subject = found.check.uniqueKey;
      const { head: edit } = await deps.reads.ask(lastEdit, { actor, subject });
      const conflict = {
        ...savedSettings(found),
        by: edit?.actor ?? null,
        at: edit && toIsoSeconds(edit.createdAt),
      };
      throw new AppError(error.code, error.message, { details: { conflict } });
    }
  },
});
