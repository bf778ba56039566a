import { TEXT_LIMITS } from '../text-limits.ts';
import type { CheckEdit } from './check-edit.ts';
import { storedRules } from './run-rules.ts';
import { type CheckConfig, SETTING_NAMES } from './settings.ts';

const NAME_MARK = ' (copy)';
const SLUG_MARK = '-copy';
/** Characters of a long name that its copy keeps. */
const KEPT_OF_LONG_NAME = 90;

/** The settings of a copy: the check's, with another name and slug. */
export function copyOf(check: CheckConfig): CheckEdit {
  const { kind, schedule, timeoutSeconds, runRules, ...settings } = configOf(check);
  return {
    ...settings,
    name: nameOfCopy(check.name),
    slug: slugOfCopy(check.slug),
    runRules: storedRules(runRules),
    ...(kind === 'simple' ? { timeoutSeconds } : { schedule: { kind, expression: schedule } }),
  };
}

/** `Backup (copy)`. A name that would become too long is cut. */
export function nameOfCopy(name: string): string {
  if (name === '') return NAME_MARK.trim();
  const characters = [...name];
  if (characters.length + NAME_MARK.length <= TEXT_LIMITS.checkName) return name + NAME_MARK;
  return `${characters.slice(0, KEPT_OF_LONG_NAME).join('')}...${NAME_MARK}`;
}

/** Empty if it would become too long: half a slug would be the address of something else. */
function slugOfCopy(slug: string): string {
  if (slug === '' || slug.length + SLUG_MARK.length > TEXT_LIMITS.checkSlug) return '';
  return slug + SLUG_MARK;
}

/** The settings of a check, without its state. */
function configOf(check: CheckConfig): CheckConfig {
  // SETTING_NAMES has exactly the keys of CheckConfig.
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, check[name]])) as CheckConfig;
}
