import type { Actor } from '../domain/people/permission.ts';
import type { Deps } from '../services/core/deps.ts';
import { addressMask } from '../services/core/hidden-addresses.ts';

/** Masks a finished text, which may quote any part of a body. */
export async function maskFor(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  checkId: number,
): Promise<(text: string) => string> {
  const check = await store.checks.byId(checkId);
  return check === null ? (text) => text : addressMask(actor.caller, check);
}
