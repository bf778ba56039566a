import type { Account } from '../../domain/people/account.ts';
import type { Reads } from '../../storage/store.ts';
import { type AccountActor, actorsAccount, requireOnAccount } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';

/** Ways in that cannot be removed, because the person would be locked out. */
export interface LastWayIn {
  /** The UUID of the only passkey, if nothing else signs the person in. */
  readonly passkey: string | null;
  /** Whether only the provider signs the person in. */
  readonly isIdentity: boolean;
}

export async function findLastWayIn(deps: AccountDeps, actor: AccountActor): Promise<LastWayIn> {
  requireOnAccount(actor, 'account.view');
  return lastWayIn(deps, deps.store, await actorsAccount(deps.store, actor));
}

/** Mail is enough for a link. A security key is not enough alone. */
export async function lastWayIn(
  { settings }: Pick<AccountDeps, 'settings'>,
  { passkeys, identities }: Pick<Reads, 'passkeys' | 'identities'>,
  { id, passwordHash }: Account,
): Promise<LastWayIn> {
  if (!settings.localSignIn) return { passkey: null, isIdentity: true };
  if (settings.hasMail || passwordHash !== null) return { passkey: null, isIdentity: false };
  const keys = (await passkeys.ofAccount(id)).filter(({ kind }) => kind === 'passkey');
  const hasProvider = settings.provider !== null && (await identities.ofAccount(id)).length > 0;
  const [only] = keys;
  return {
    passkey: keys.length === 1 && !hasProvider ? (only?.uuid ?? null) : null,
    isIdentity: keys.length === 0,
  };
}
