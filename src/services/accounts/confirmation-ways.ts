import { type AccountActor, actorsAccount, requireOnAccount } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';
import { asksForSecond, secondFactorsOf } from './second-factors.ts';

/** By what somebody who is signed in can prove once more who they are, the easiest first. */
export type ConfirmationWay = 'passkey' | 'password' | 'code' | 'provider' | 'mail';

export async function listConfirmationWays(
  { store, settings }: AccountDeps,
  actor: AccountActor,
): Promise<ConfirmationWay[]> {
  requireOnAccount(actor, 'account.view');
  const { id, passwordHash } = await actorsAccount(store, actor);
  const factors = await secondFactorsOf(store, id);
  const identities = await store.identities.ofAccount(id);
  const hasPassword = passwordHash !== null;
  const isOffered: Readonly<Record<ConfirmationWay, boolean>> = {
    passkey: factors.passkeys.length > 0 && settings.passkeySite !== null,
    password: hasPassword,
    code: factors.authenticator !== null,
    provider: settings.provider !== null && identities.length > 0,
    // Whoever reads somebody's mail must not do with it what needs a stronger proof.
    mail: settings.localSignIn && settings.hasMail && !hasPassword && !asksForSecond(factors),
  };
  return (Object.keys(isOffered) as ConfirmationWay[]).filter((way) => isOffered[way]);
}
