import {
  ALL_CHECKS,
  type BadgeCounts,
  badgeLabel,
  countStatuses,
  NO_CHECKS,
  sumOf,
} from '../domain/badge.ts';
import { type Actor, requirePermission } from './actor.ts';
import { summaryPages } from './check-list.ts';
import type { Deps } from './deps.ts';

/** A tag and the signature that opens its public badge. */
export interface SignedTag {
  readonly tag: string;
  readonly badgeKey: string;
  readonly signature: string;
}

/** Tags that are signed at once. */
const TAGS_AT_ONCE = 100;

/** The project's tags and `*`, each with what its badge addresses need, some at a time: there may be very many. */
export function listBadges(deps: Deps, actor: Actor): AsyncGenerator<SignedTag[]> {
  requirePermission(actor, 'checks.view');
  return signedTags(deps, actor.projectId);
}

async function* signedTags(deps: Deps, projectId: number): AsyncGenerator<SignedTag[]> {
  const project = await deps.store.projects.byId(projectId);
  if (project === null) return;
  const { badgeKey } = project;
  const sign = (tag: string) => ({ tag, badgeKey, signature: deps.vault.badgeSignature(badgeKey, tag) });
  // A check may carry a tag of that name, too.
  const tags = (await deps.store.checks.tagsOfProject(project.id)).filter((tag) => tag !== ALL_CHECKS);
  for (let first = 0; first < tags.length; first += TAGS_AT_ONCE)
    yield tags.slice(first, first + TAGS_AT_ONCE).map(sign);
  yield [sign(ALL_CHECKS)];
}

/**
 * How the checks with the tag are doing; null when the signature is not that of the tag. `giveWay` is awaited again and
 * again, so that others have their turn while many checks are counted.
 */
export async function tagBadge(
  deps: Deps,
  { badgeKey, signature, tag }: SignedTag,
  giveWay: () => Promise<void>,
): Promise<BadgeCounts | null> {
  if (!deps.vault.isBadgeSignature(signature, badgeKey, tag)) return null;
  const project = await deps.store.projects.byBadgeKey(badgeKey);
  if (project === null) return null;
  let counts = NO_CHECKS;
  for await (const page of summaryPages(deps, project.id, tag === ALL_CHECKS ? null : tag)) {
    counts = sumOf(counts, countStatuses(page, deps.clock.now()));
    await giveWay();
  }
  return counts;
}

/** How one check is doing, with its label; null when no check has this badge key. */
export async function checkBadge(
  deps: Deps,
  badgeKey: string,
): Promise<{ label: string; counts: BadgeCounts } | null> {
  const check = await deps.store.checks.byBadgeKey(badgeKey);
  if (check === null) return null;
  return { label: badgeLabel(check), counts: countStatuses([check], deps.clock.now()) };
}
