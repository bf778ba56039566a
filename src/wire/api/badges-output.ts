import type { BadgeStates } from '../../domain/public/badge.ts';
import { type BadgeFormat, badgeUrl } from '../badge/addresses.ts';
import type { Site } from '../site.ts';

interface SignedTag {
  readonly tag: string;
  readonly badgeKey: string;
  readonly signature: string;
}

/** The addresses of one tag's badges. */
export type BadgeUrlsJson = ReturnType<typeof badgeUrlsJson>;

/** The text of `{"badges": {…}}`, a piece for each page of tags. */
export async function* badgeListText(
  pages: AsyncIterable<readonly SignedTag[]>,
  site: Site,
): AsyncGenerator<string> {
  let before = '{"badges":{';
  for await (const page of pages) {
    // Removes the braces of the page's own object.
    yield before + JSON.stringify(badgesJson(page, site)).slice(1, -1);
    before = ',';
  }
  yield before === ',' ? '}}' : `${before}}}`;
}

/** Six addresses for each tag, by tag. */
export function badgesJson(tags: readonly SignedTag[], site: Site): Record<string, BadgeUrlsJson> {
  // Has no prototype, so a tag may have any name, even `__proto__`.
  const badges: Record<string, BadgeUrlsJson> = Object.create(null);
  for (const signed of tags) badges[signed.tag] = badgeUrlsJson(signed, site);
  return badges;
}

function badgeUrlsJson(signed: SignedTag, { root }: Site) {
  const urlOf = (format: BadgeFormat, states: BadgeStates) => badgeUrl(root, { ...signed, format, states });
  return {
    svg: urlOf('svg', 2),
    svg3: urlOf('svg', 3),
    json: urlOf('json', 2),
    json3: urlOf('json', 3),
    shields: urlOf('shields', 2),
    shields3: urlOf('shields', 3),
  };
}
