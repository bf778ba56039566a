import { AppError } from '../../domain/errors.ts';
import { ALL_CHECKS, type BadgeCounts, badgeLabel, type SignedTag } from '../../domain/public/badge.ts';
import { addCounts, NO_CHECKS, type SteadyCounts, type TagCounts } from '../../domain/public/kept-counts.ts';
import type { Instant } from '../../lib/instant.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { isForeignBadge } from '../core/foreign-secrets.ts';

/** Counting statuses needs only these. */
export type StatusDeps = Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** Checks that are read at once to be counted. */
const MAX_PAGE_CHECKS = 1_000;

/** Tags that are signed at once. */
const TAGS_AT_ONCE = 100;

/**
 * Yields the project's tags and `*`, each with its signature. It yields them in pages because there may be very many.
 */
export function listBadges(deps: Pick<Deps, 'store' | 'vault'>, actor: Actor): AsyncGenerator<SignedTag[]> {
  requirePermission(actor, 'checks.view');
  return signedTags(deps, actor.projectId);
}

async function* signedTags(
  deps: Pick<Deps, 'store' | 'vault'>,
  projectId: number,
): AsyncGenerator<SignedTag[]> {
  const project = await deps.store.projects.byId(projectId);
  if (project === null) return;
  const { badgeKey } = project;
  const sign = (tag: string) => ({ tag, badgeKey, signature: deps.vault.badgeSignature(badgeKey, tag) });
  // A check may also carry a tag named `*`.
  const tags = (await deps.store.checks.tagsOfProject(project.id)).filter((tag) => tag !== ALL_CHECKS);
  for (let first = 0; first < tags.length; first += TAGS_AT_ONCE)
    yield tags.slice(first, first + TAGS_AT_ONCE).map(sign);
  yield [sign(ALL_CHECKS)];
}

/** Whether the signature is right for this tag. */
export async function isTagSigned(
  deps: Pick<Deps, 'store' | 'vault'>,
  { badgeKey, signature, tag }: SignedTag,
): Promise<boolean> {
  if (deps.vault.isBadgeSignature(signature, badgeKey, tag)) return true;
  return isForeignBadge(deps, { badgeKey, signature, tag });
}

/** Counts the statuses of the checks with the tag. Returns null when there is no such badge. */
export async function tagBadge(deps: StatusDeps, signed: SignedTag): Promise<TagCounts | null> {
  if (!(await isTagSigned(deps, signed))) return null;
  const { store, clock } = deps;
  const project = await store.projects.byBadgeKey(signed.badgeKey);
  if (project === null || project.deletesAt !== null) return null;
  // The marks come first: a change after this is either counted or makes the marks differ.
  const marks = store.marks.of(project.id);
  const tag = signed.tag === ALL_CHECKS ? null : signed.tag;
  return { ...(await countStatuses(store, project.id, tag, clock.now())), marks, projectId: project.id };
}

/** Counts the statuses of the checks with the tag, or of all checks. */
export async function countStatuses(
  { checks }: Pick<Deps['store'], 'checks'>,
  projectId: number,
  tag: string | null,
  now: Instant,
): Promise<SteadyCounts> {
  let steady = NO_CHECKS;
  for (let after = 0; ; ) {
    const page = await checks.timedPage(projectId, after, MAX_PAGE_CHECKS, tag);
    steady = addCounts(steady, page, now);
    if (page.length < MAX_PAGE_CHECKS) return steady;
    after = page.at(-1)?.id ?? after;
  }
}

/** Returns the status of one check and its label. Returns null when no check has this badge key. */
export async function checkBadge(
  deps: Deps,
  badgeKey: string,
): Promise<{ label: string; counts: BadgeCounts } | null> {
  const check = await deps.store.checks.byBadgeKey(badgeKey);
  if (check === null) return null;
  return { label: badgeLabel(check), counts: addCounts(NO_CHECKS, [check], deps.clock.now()).counts };
}

/** Makes another badge key. Pictures with the one from before show nothing any more. */
export async function rotateBadgeKey(deps: Deps, actor: Actor): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await deps.store.transaction(async (tx) => {
    const project = await tx.projects.byId(actor.projectId);
    if (project === null) throw new AppError('project_not_found');
    await tx.projects.setBadgeKey(project.id, deps.random.uuid());
    const { uuid, name } = project;
    await recordInProject(deps, tx, actor, {
      action: 'badge_key.replaced',
      subject: { kind: 'badge_key', id: uuid, name },
    });
  });
}
