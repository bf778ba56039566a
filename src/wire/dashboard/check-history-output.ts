import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import type { ActPlace, LoggedAct, Means } from '../../domain/people/audit.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { cursorText } from './audit-log-output.ts';
import { type CheckSettingsJson, checkSettingsJson } from './check-settings-output.ts';

/** Something that somebody did to a check. */
export interface CheckChangeJson {
  readonly at: string;
  /** The name of whoever did it, as it was then. */
  readonly actor: string;
  readonly means: Means;
  /** What was done, such as `check.updated`. */
  readonly action: string;
  /** The settings that changed. Long texts and lists are cut. */
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
  return {
    ...{ at: toIsoSeconds(createdAt), actor, means, action },
    before: settingsOf(details.before),
    after: settingsOf(details.after),
  };
}

/** Settings that the log calls otherwise than a form does. */
const FORM_NAMES: Readonly<Record<string, keyof CheckSettingsJson>> = {
  description: 'desc',
  timeout_seconds: 'timeout',
  grace_seconds: 'grace',
  start_keywords: 'start_kw',
  success_keywords: 'success_kw',
  failure_keywords: 'failure_kw',
};

const SETTINGS = new Set(Object.keys(checkSettingsJson(DEFAULT_CONFIG, [])));

/** Drops values that are not settings, such as the status of a paused check: the action already says them. */
function settingsOf(logged: unknown): Partial<CheckSettingsJson> {
  if (typeof logged !== 'object' || logged === null) return {};
  const named = Object.entries(logged).map(([name, value]) => [FORM_NAMES[name] ?? name, value]);
  return Object.fromEntries(named.filter(([name]) => SETTINGS.has(name)));
}
