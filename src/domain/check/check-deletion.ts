import type { Instant } from '../../lib/instant.ts';
import { RESTORABLE_FOR } from '../people/project.ts';
import type { Check } from './check.ts';

/** Deleted checks of a project that can be restored. With one more, the first of them is gone for good. */
export const MAX_RESTORABLE_CHECKS = 1_000;

/** Whether jobs probably still use the address of the check. */
export function hasPingedLately({ lastReceivedAt }: Pick<Check, 'lastReceivedAt'>, now: Instant): boolean {
  return lastReceivedAt !== null && lastReceivedAt > now - RESTORABLE_FOR;
}

/** The text that a person types to confirm that they mean this check. */
export function nameToType({ name, slug, uniqueKey }: Pick<Check, 'name' | 'slug' | 'uniqueKey'>): string {
  return name || slug || uniqueKey.slice(0, 8);
}
