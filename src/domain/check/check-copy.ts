import { TEXT_LIMITS } from '../text-limits.ts';
import { type CheckConfig, DEFAULT_CONFIG } from './check.ts';
import type { CheckEdit } from './check-edit.ts';

const NAME_MARK = ' (copy)';
const SLUG_MARK = '-copy';
/** Characters of a long name that its copy keeps. */
const KEPT_OF_LONG_NAME = 90;

/** The settings of a copy: those of the check, with another name and slug. */
export function copyOf(check: CheckConfig): CheckEdit {
  const { kind, schedule, timeoutSeconds, ...settings } = configOf(check);
  return {
    ...settings,
    name: nameOfCopy(check.name),
    slug: slugOfCopy(check.slug),
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
export function configOf(check: CheckConfig): CheckConfig {
  // DEFAULT_CONFIG has exactly the keys of CheckConfig.
  const entries = Object.keys(DEFAULT_CONFIG).map((field) => [field, check[field as keyof CheckConfig]]);
  return Object.fromEntries(entries) as CheckConfig;
}
