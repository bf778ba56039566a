import { API_KEY_LENGTH, type ApiKeyKind, isPrintable, lookupPart } from '../domain/api-key.ts';
import { AppError } from '../domain/errors.ts';
import { equalInConstantTime } from '../lib/vault.ts';
import type { Deps } from './deps.ts';

/** Who calls a verb: the holder of one of a project's API keys. */
export interface Actor {
  readonly keyId: number;
  readonly projectId: number;
  readonly access: ApiKeyKind;
}

/** The actor that the key stands for. `need` says whether a read-only key is enough. */
export async function authenticate(
  deps: Pick<Deps, 'store' | 'vault'>,
  key: string,
  need: 'read' | 'write',
): Promise<Actor> {
  if (key.length !== API_KEY_LENGTH) throw new AppError('missing_api_key');
  if (!isPrintable(key)) throw new AppError('wrong_api_key');
  const digest = deps.vault.digest(key);
  const candidates = await deps.store.apiKeys.byLookup(lookupPart(key));
  const match = candidates.find((candidate) => equalInConstantTime(candidate.digest, digest));
  if (match === undefined) throw new AppError('wrong_api_key');
  // To the holder of a read-only key the other endpoints look as if the key were unknown.
  if (need === 'write' && match.kind !== 'read_write') throw new AppError('wrong_api_key');
  return { keyId: match.id, projectId: match.projectId, access: match.kind };
}
