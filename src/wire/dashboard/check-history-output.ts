import { SETTING_NAMES } from '../../domain/check/settings.ts';
import type { ActPlace, LoggedAct, Means } from '../../domain/people/audit.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { snakeCase } from '../../lib/snake-case.ts';
import { fieldName } from '../api/check-fields.ts';
import { cursorText } from './audit-log-output.ts';
import { type CheckSettingsJson, NEW_SETTINGS } from './check-settings-output.ts';

/** Something that somebody did to a check. */
export interface CheckChangeJson {
  readonly at: string;
  /** The name of the actor at that time. */
  readonly actor: string;
  readonly means: Means;
  /** The name of the action, such as `check.updated`. */
  readonly action: string;
  /** The settings that changed. Before a check was made, they are those of a new form. Long texts and lists are cut. */
  readonly before: Partial<CheckSettingsJson>;
  readonly after: Partial<CheckSettingsJson>;
}

export interface CheckHistoryJson {
  /** The latest first. */
  readonly changes: readonly CheckChangeJson[];
  /** For the next page. Null at the end. */
  readonly cursor: string | null;
}

export function checkHistoryJson(page: {
  readonly acts: readonly LoggedAct[];
  readonly next: ActPlace | null;
}): CheckHistoryJson {
  return { changes: page.acts.map(changeJson), cursor: cursorText(page.next) };
}

function changeJson({ createdAt, actor, means, action, details }: LoggedAct): CheckChangeJson {
  const after = settingsOf(details.after);
  const before = { ...NEW_SETTINGS, ...settingsOf(details.before) };
  return {
    ...{ at: toIsoSeconds(createdAt), actor, means, action },
    before: Object.fromEntries(Object.entries(before).filter(([name]) => Object.hasOwn(after, name))),
    after,
  };
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
