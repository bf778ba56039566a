import { type AccountActor, actorsAccount, requireOnAccount } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';
import { asksForSecond, secondFactorsOf } from './second-factors.ts';

/** Ways for a signed-in person to confirm their identity, the easiest first. */
export type ConfirmationWay = 'passkey' | 'password' | 'code' | 'recovery_code' | 'provider' | 'mail';

/**
 * A person with a second factor confirms with it. With the password or the mailbox alone somebody could remove it. The
 * provider signs in without it, so it confirms without it, too.
 */
export async function listConfirmationWays(
  { store, settings }: AccountDeps,
  actor: AccountActor,
): Promise<ConfirmationWay[]> {
  requireOnAccount(actor, 'account.view');
  const { id, passwordHash } = await actorsAccount(store, actor);
  const factors = await secondFactorsOf(store, id);
  const identities = await store.identities.ofAccount(id);
  const hasPassword = passwordHash !== null;
  const hasSecond = asksForSecond(factors);
  const hasApp = factors.authenticator !== null;
  const isOffered: Readonly<Record<ConfirmationWay, boolean>> = {
    passkey: factors.passkeys.length > 0 && settings.passkeySite !== null,
    password: hasPassword && !hasSecond,
    code: hasApp,
    // Beside an app the same field takes both.
    recovery_code: factors.recoveryCodesLeft > 0 && !hasApp,
    provider: settings.provider !== null && identities.length > 0,
    // A reader of somebody's mail must not use it where a stronger proof is needed.
    mail: settings.localSignIn && settings.hasMail && !hasPassword && !hasSecond,
  };
  return (Object.keys(isOffered) as ConfirmationWay[]).filter((way) => isOffered[way]);
}
