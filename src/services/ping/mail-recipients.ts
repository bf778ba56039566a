import type { PingTarget } from '../../domain/ping/incoming-ping.ts';
import { type MailFilter, mailFilterOf } from '../../domain/ping/mail-filter.ts';
import type { SlugTarget } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** The check that an address belongs to. */
export interface MailedTo {
  /** Null when the check has none. */
  readonly filter: MailFilter | null;
  /** The account that owns the project of the check. */
  readonly ownerId: number;
}

export type MailRecipient = MailedTo | 'not_found' | 'ambiguous';

/** Looks up the check of each address. Nothing is locked: it may change until the ping is recorded. */
export async function findMailRecipients(
  { store }: Pick<Deps, 'store'>,
  targets: readonly PingTarget[],
): Promise<MailRecipient[]> {
  const uuids: string[] = [];
  const slugs: SlugTarget[] = [];
  for (const target of targets) {
    if ('uuid' in target) uuids.push(target.uuid);
    else slugs.push(target);
  }
  const checks = await store.checks.mailed(unique(uuids), uniqueSlugs(slugs));
  const found = Map.groupBy(checks, ({ uuid, foundBy }) => (foundBy === null ? uuid : slugKey(foundBy)));
  return targets.map((target) => {
    const [check, ...others] = found.get('uuid' in target ? target.uuid : slugKey(target)) ?? [];
    if (check === undefined) return 'not_found';
    return others.length > 0 ? 'ambiguous' : { filter: mailFilterOf(check), ownerId: check.ownerId };
  });
}

function unique(uuids: readonly string[]): string[] {
  return [...new Set(uuids)];
}

/** A slug that is asked for twice would be found twice, and then count as ambiguous. */
function uniqueSlugs(slugs: readonly SlugTarget[]): SlugTarget[] {
  return [...new Map(slugs.map((slug) => [slugKey(slug), slug])).values()];
}

function slugKey({ pingKeyDigest, slug }: SlugTarget): string {
  return `${pingKeyDigest}/${slug}`;
}
