import type { BadgeStates } from '../../domain/badge.ts';
import { type BadgeFormat, badgeUrl } from '../badge/addresses.ts';
import type { Site } from '../site.ts';

interface SignedTag {
  readonly tag: string;
  readonly badgeKey: string;
  readonly signature: string;
}

const VARIANTS: readonly [key: string, format: BadgeFormat, states: BadgeStates][] = [
  ['svg', 'svg', 2],
  ['svg3', 'svg', 3],
  ['json', 'json', 2],
  ['json3', 'json', 3],
  ['shields', 'shields', 2],
  ['shields3', 'shields', 3],
];

/** Six addresses for each tag, by tag. */
export function badgesJson(tags: readonly SignedTag[], site: Site): Record<string, Record<string, string>> {
  // Without a prototype a tag may have any name, `__proto__` too.
  const badges: Record<string, Record<string, string>> = Object.create(null);
  for (const signed of tags) {
    badges[signed.tag] = Object.fromEntries(
      VARIANTS.map(([key, format, states]) => [key, badgeUrl(site.root, { ...signed, format, states })]),
    );
  }
  return badges;
}
