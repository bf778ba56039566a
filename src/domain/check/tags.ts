/** Only spaces separate tags. Commas and tabs are part of a tag. */
export function splitTags(tags: string): string[] {
  return tags
    .split(' ')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
