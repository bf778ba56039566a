import { SETTING_NAMES } from '../../domain/check/settings.ts';
import type { ActPlace, LoggedAct } from '../../domain/people/audit.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { snakeCase } from '../../lib/snake-case.ts';
import { fieldName } from '../api/check-fields.ts';
import { cursorText } from './audit-log-output.ts';
import { type CheckSettingsJson, NEW_SETTINGS } from './check-settings-output.ts';

export type CheckHistoryJson = ReturnType<typeof checkHistoryJson>;

/** Acts on a check, the latest first. */
export function checkHistoryJson({ acts, next }: { acts: readonly LoggedAct[]; next: ActPlace | null }) {
  return { changes: acts.map(changeJson), cursor: cursorText(next) };
}

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
