import { TEXT_LIMITS } from '../text-limits.ts';

/** A list of tags that people may write has no more. */
export const MAX_TAGS = TEXT_LIMITS.checkTags / 2;

/** Only spaces separate tags. Commas and tabs are part of a tag. */
export function splitTags(tags: string): string[] {
  return tags
    .split(' ')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
