import { type Actor, isAllowed } from '../domain/people/permission.ts';
import type { Deps } from '../services/deps.ts';
import { secretsMask } from '../wire/secrets-mask.ts';

/**
 * Bodies of pings may tell the address of their check: a mail is sent to it, a script prints it. For those who may not know
 * it, the finished text is masked, whatever part of a body it quotes.
 */
export async function maskFor(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  checkId: number,
): Promise<(text: string) => string> {
  if (isAllowed(actor.caller, 'checks.view_addresses')) return (text) => text;
  const check = await store.checks.byId(checkId);
  return check === null ? (text) => text : secretsMask(check.uuid);
}
