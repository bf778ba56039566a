/** Only the space separates tags; a comma or a tab belongs to the tag it stands in. */
export function splitTags(tags: string): string[] {
  return tags
    .split(' ')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
