import { isOutage } from '../domain/errors.ts';
import type { Random } from '../lib/random.ts';
import { createVault, type Vault } from '../lib/vault.ts';
import { StorageError } from './driver.ts';
import type { KeptSecrets, SecretKeys } from './secret-key.ts';
import type { Store } from './store.ts';

/** The row of `instance` that tells which secret the database belongs to. It does not tell the secret. */
const ROW = 'secret_check';

/** The secrets that a program has for a database. */
export interface SecretSources {
  /** Null if the operator has configured none. */
  readonly configured: SecretKeys | null;
  readonly kept: KeptSecrets;
  readonly random: Random;
}

/**
 * Throws if the database belongs to a secret that is not among ours: what was sealed could not be opened, and what is made now
 * could not be opened by the right one. Changes nothing. A database without tables belongs to nobody.
 */
export async function requireKnownSecret(
  { instance }: Pick<Store, 'instance'>,
  sources: SecretSources,
): Promise<void> {
  const owner = await instance.get(ROW).catch((error: unknown) => {
    if (isOutage(error)) throw error;
    return null;
  });
  if (owner === null) return;
  const { configured, kept, random } = sources;
  const isOwner = ({ current, fallbacks }: SecretKeys) =>
    createVault(current, random, fallbacks).knowsSecret(owner);
  const used = configured ?? (await kept.find());
  if (used !== null && isOwner(used)) return;
  const other = configured && (await kept.find());
  throw new StorageError('fault', `${refusal(sources, used, other !== null && isOwner(other))} ${UNCHANGED}`);
}

const LOST = 'If it is lost for good: tocsin rotate-secret --lost.';
const UNCHANGED = 'Nothing was changed.';

function refusal(
  { configured, kept }: SecretSources,
  used: SecretKeys | null,
  isKeptTheOwner: boolean,
): string {
  if (isKeptTheOwner)
    return `SECRET_KEY is not the secret key of this database, which is in the ${kept.place}: remove SECRET_KEY, or set it to that one.`;
  if (configured !== null)
    return `SECRET_KEY is not the secret key of this database: set it to the one from before. If you want to change it, put the one from before into SECRET_KEY_FALLBACKS. ${LOST}`;
  if (used === null)
    return `the secret key of this database is missing: SECRET_KEY is not set, and there is none in the ${kept.place}. Put it back there, or set it as SECRET_KEY. ${LOST}`;
  return `the secret key in the ${kept.place} is not the one of this database: put that one in its place, or set it as SECRET_KEY. ${LOST}`;
}

/** Whether the database belongs to a secret key. */
export async function hasOwner({ instance }: Pick<Store, 'instance'>): Promise<boolean> {
  return (await instance.get(ROW)) !== null;
}

export async function isSecretKnown({ instance }: Pick<Store, 'instance'>, vault: Vault): Promise<boolean> {
  const owner = await instance.get(ROW);
  return owner === null || vault.knowsSecret(owner);
}

/** From now on the database belongs to the present secret, unless it belongs to one already. */
export async function claimDatabase(store: Store, { secretId }: Vault): Promise<void> {
  if ((await store.instance.get(ROW)) === null)
    await store.transaction((tx) => tx.instance.setOnce(ROW, secretId));
}

/** From now on the database belongs to the present secret, whichever it belonged to. */
export async function handOverDatabase(store: Store, { secretId }: Vault): Promise<void> {
  await store.transaction((tx) => tx.instance.set(ROW, secretId));
}
