export const SLUG_MAX_LENGTH = 100;

/** The characters of a slug. */
export const SLUG_PATTERN = /^[a-z0-9-_]*$/;

/** Makes a slug from a check's name, as API v1 and v2 do. `"Foo Bar! ÄÖ_x"` becomes `foo-bar-ao_x`. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\0-\x7F]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[\s-]+/g, '-')
    .slice(0, SLUG_MAX_LENGTH)
    .replace(/^[-_]+|[-_]+$/g, '');
}
