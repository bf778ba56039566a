import { AppError } from '../../domain/errors.ts';
import { type Link, type LinkPurpose, type NewLink, VOIDED_TOGETHER } from '../../domain/people/link.ts';
import type { Micros } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

const TOKEN_BYTES = 32;
const MAX_PRUNED_AT_ONCE = 500;

/** Makes a link and returns its secret part, which is stored nowhere. */
export async function makeLink(
  { random, clock }: Pick<Deps, 'random' | 'clock'>,
  tx: Writes,
  link: Pick<NewLink, 'purpose' | 'accountId' | 'email'>,
  span: Micros,
): Promise<string> {
  const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
  const now = clock.now();
  await tx.links.insert({ ...link, digest: sha256(token), createdAt: now, expiresAt: now + span });
  return token;
}

/** Uses the link up, with other links for the same purpose. Everybody who opens one of them later finds it used. */
export async function takeLink(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  token: string,
  purpose: LinkPurpose,
): Promise<Link> {
  return takeByDigest({ clock }, tx, sha256(token), purpose);
}

/** Uses the link up for somebody who has proved otherwise that it is theirs. */
export async function takeByDigest(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  digest: string,
  purpose: LinkPurpose,
): Promise<Link> {
  const now = clock.now();
  const { accountId, email } = (await tx.links.find(digest, purpose, now)) ?? invalidLink();
  // Removing links of an account locks it first. So if two use links of one account, one waits for the other.
  if (accountId !== null) await tx.accounts.lock(accountId);
  const link = (await tx.links.take(digest, purpose, now)) ?? invalidLink();
  if (VOIDED_TOGETHER.includes(purpose)) {
    if (accountId !== null) await tx.links.removeOfAccount(accountId, purpose);
    else if (email !== null) await tx.links.removeOfEmail(email, purpose);
  }
  return link;
}

/** Looks at the link without using it up, so that work is done for links that exist only. */
export async function findLink(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  token: string,
  purpose: LinkPurpose,
): Promise<Link> {
  return (await store.links.find(sha256(token), purpose, clock.now())) ?? invalidLink();
}

/** Deletes a bounded number of links that have expired. Returns whether there may be more. */
export async function pruneLinks({ store, clock }: Pick<Deps, 'store' | 'clock'>): Promise<boolean> {
  const now = clock.now();
  const pruned = await store.transaction((tx) => tx.links.prune(now, MAX_PRUNED_AT_ONCE));
  return pruned === MAX_PRUNED_AT_ONCE;
}

export function invalidLink(): never {
  throw new AppError('invalid_link');
}
