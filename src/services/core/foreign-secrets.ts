import { FOREIGN_SECRET_ID } from '../../domain/people/api-key.ts';
import type { SignedTag } from '../../domain/public/badge.ts';
import { type ForeignSecret, foreignSecret, type Vault } from '../../lib/vault.ts';
import type { ForeignApiKey, KnownApiKey, Reads, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';

/**
 * The row of `instance` with the secrets of programs that people came from, sealed. They are no fallbacks of our own
 * secret: others had them, too. They count for API keys that were imported as digests, and for badge addresses.
 */
const ROW = 'foreign_secrets';

/** The key among candidates with its look-up characters whose digest another program made of it. */
export async function findForeign<Key extends Pick<KnownApiKey, 'digest' | 'secretId'>>(
  deps: ForeignDeps,
  candidates: readonly Key[],
  key: string,
): Promise<Key | undefined> {
  const foreign = candidates.filter(({ secretId }) => secretId === FOREIGN_SECRET_ID);
  if (foreign.length === 0) return undefined;
  const secrets = await foreignSecrets(deps);
  return foreign.find(({ digest }) => secrets.some((secret) => secret.isDigest(digest, key)));
}

/** Whether another program gave this badge address away. */
export async function isForeignBadge(
  deps: ForeignDeps,
  { signature, badgeKey, tag }: SignedTag,
): Promise<boolean> {
  const secrets = await foreignSecrets(deps);
  return secrets.some((secret) => secret.isBadgeSignature(signature, badgeKey, tag));
}

interface ForeignDeps {
  readonly store: Pick<Reads, 'instance'>;
  readonly vault: Pick<Vault, 'unseal'>;
}

async function foreignSecrets({ store, vault }: ForeignDeps): Promise<ForeignSecret[]> {
  return secretsIn(vault, await store.instance.get(ROW)).map(foreignSecret);
}

/** Accepts the secret from now on. */
export async function keepForeignSecret(
  { vault }: Pick<Deps, 'vault'>,
  tx: Writes,
  secretKey: string,
): Promise<void> {
  await tx.instance.setOnce(ROW, sealedList(vault, []));
  const kept = secretsIn(vault, await tx.instance.lock(ROW));
  if (!kept.includes(secretKey)) await tx.instance.set(ROW, sealedList(vault, [...kept, secretKey]));
}

/** Seals them under the present secret of the server. */
export async function resealForeignSecrets({ store, vault }: Pick<Deps, 'store' | 'vault'>): Promise<void> {
  if ((await store.instance.get(ROW)) === null) return;
  await store.transaction(async (tx) => {
    const sealed = await tx.instance.lock(ROW);
    const resealed = sealed === null ? null : vault.reseal(sealed);
    if (resealed !== null && resealed !== sealed) await tx.instance.set(ROW, resealed);
  });
}

/** Accepts none of them any longer. Returns the keys that nobody can use from now on. */
export async function forgetForeignSecrets({ store }: Pick<Deps, 'store'>): Promise<ForeignApiKey[]> {
  return store.transaction(async (tx) => {
    await tx.instance.delete(ROW);
    return tx.apiKeys.ofForeignSecrets();
  });
}

function sealedList({ seal }: Pick<Vault, 'seal'>, secrets: readonly string[]): string {
  return seal(JSON.stringify(secrets));
}

function secretsIn({ unseal }: Pick<Vault, 'unseal'>, sealed: string | null): string[] {
  const list = sealed === null ? null : unseal(sealed);
  // Only this file seals it.
  return list === null ? [] : (JSON.parse(list) as string[]);
}
