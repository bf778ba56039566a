import type { Channel } from '../../domain/alert/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { API_KEY_LENGTH, hasExpired, isPrintable, lookupPart } from '../../domain/people/api-key.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import { type Actor, isAllowed, needsConfirmation, type Permission } from '../../domain/people/permission.ts';
import type { Vault } from '../../lib/vault.ts';
import type { KnownApiKey, Reads } from '../../storage/store.ts';
import type { Deps } from './deps.ts';
import { findForeign } from './foreign-secrets.ts';
import type { KeyUses } from './key-uses.ts';

export type { Actor };

/** The program, for its own work. */
export const PROGRAM_ITSELF: ActedBy = {
  accountId: null,
  name: 'tocsin',
  means: 'program',
  remoteAddr: null,
};

/** The program, in one project. `by` names the person it acts for. */
export function systemActor(projectId: number, by: ActedBy = PROGRAM_ITSELF): Actor {
  return { projectId, ownerId: null, caller: { kind: 'system' }, by };
}

export interface KeyDeps extends Pick<Deps, 'store' | 'vault' | 'clock'> {
  readonly keyUses: Pick<KeyUses, 'note'>;
}

/** The actor that the API key stands for. `remoteAddr` is where the request comes from. */
export async function authenticate(deps: KeyDeps, key: string, remoteAddr: string | null): Promise<Actor> {
  if (key.length !== API_KEY_LENGTH) throw new AppError('missing_api_key');
  if (!isPrintable(key)) throw new AppError('wrong_api_key');
  const digest = deps.vault.digest(key);
  const candidates = await deps.store.apiKeys.byLookup(lookupPart(key));
  const match =
    // The duration of comparing digests reveals nothing about a key: nobody can choose a digest.
    candidates.find((candidate) => candidate.digest === digest) ?? (await findKey(deps, candidates, key));
  const now = deps.clock.now();
  if (match === undefined || hasExpired(match, now)) throw new AppError('wrong_api_key');
  deps.keyUses.note('apiKeys', match, now, remoteAddr);
  if (match.secretId !== deps.vault.secretId) await noteDigest(deps, match, digest);
  return {
    projectId: match.projectId,
    ownerId: match.ownerId,
    caller: { kind: 'api_key', keyId: match.id, access: match.kind },
    by: { accountId: null, name: match.name, means: 'api_key', remoteAddr },
  };
}

/** The key among candidates with its look-up characters, also by a digest under another secret that is accepted. */
export async function findKey(
  deps: { readonly store: Pick<Reads, 'instance'>; readonly vault: Pick<Vault, 'isDigest' | 'unseal'> },
  candidates: readonly KnownApiKey[],
  key: string,
): Promise<KnownApiKey | undefined> {
  const own = candidates.find((candidate) => deps.vault.isDigest(candidate.digest, key));
  return own ?? findForeign(deps, candidates, key);
}

/**
 * Stores the key's digest under the present secret. That needs the key itself, which is known only now. A database that
 * cannot store it does not stop the request.
 */
async function noteDigest(
  { store, vault: { secretId } }: Pick<Deps, 'store' | 'vault'>,
  key: KnownApiKey,
  digest: string,
): Promise<void> {
  try {
    await store.transaction((tx) => tx.apiKeys.setDigest(key, { digest, secretId }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Returns the check if it belongs to the actor's project. */
export function ownCheck<Owned extends { readonly projectId: number }>(
  { projectId }: Actor,
  check: Owned | null,
): Owned {
  if (check === null) throw new AppError('check_not_found');
  if (check.projectId !== projectId) throw new AppError('check_of_other_project');
  return check;
}

/** Returns the channel if it belongs to the actor's project. */
export function ownChannel({ projectId }: Actor, channel: Channel | null): Channel {
  if (channel === null) throw new AppError('channel_not_found');
  if (channel.projectId !== projectId) throw new AppError('channel_of_other_project');
  return channel;
}

/** Every service function that an actor calls begins with this. */
export function requirePermission({ caller }: Pick<Actor, 'caller'>, permission: Permission): void {
  if (isAllowed(caller, permission)) return;
  if (needsConfirmation(caller, permission)) throw new AppError('confirmation_required');
  // A read-only key gets the same answer as an unknown key on every endpoint that it may not use.
  throw new AppError(caller.kind === 'api_key' ? 'wrong_api_key' : 'permission_denied');
}
