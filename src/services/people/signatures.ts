import type { Passkey } from '../../domain/people/passkey.ts';
import { authenticationOptions, type SignatureOptions } from '../../lib/webauthn.ts';
import type { Writes } from '../../storage/store.ts';
import { type AccountActor, requireOnAccount, requireSession } from './account-actor.ts';
import {
  type Challenge,
  type ChallengeAnswer,
  newChallenge,
  notAccepted,
  readSignature,
  requireSite,
  useChallenge,
} from './challenges.ts';
import { notingWrong } from './code-attempts.ts';
import type { AccountDeps } from './deps.ts';
import { requireLocalSignIn } from './local-sign-in.ts';
import { confirmSession, type MadeSession } from './sessions.ts';
import {
  completeSignIn,
  factorSender,
  type NewSignIn,
  openPending,
  type SigningIn,
  signIn,
} from './sign-in.ts';

// Acts with passkeys and security keys.

const SIGN_IN = 'passkey signature';
const SECOND_FACTOR = 'security key signature';
const CONFIRMATION = 'passkey confirmation';

/** A challenge for anybody: the browser knows whose keys it has. */
export async function beginSignature(deps: AccountDeps): Promise<Challenge<SignatureOptions>> {
  requireLocalSignIn(deps);
  const { bytes, sealed } = newChallenge(deps, SIGN_IN, {});
  const options = await authenticationOptions(requireSite(deps), bytes, { verification: 'required' });
  return { options, sealed };
}

/** Signs in with a passkey. The device has verified the person, so that no second factor is asked for. */
export async function signInWithPasskey(
  deps: AccountDeps,
  browser: SigningIn,
  { sealed, response }: ChallengeAnswer,
): Promise<NewSignIn> {
  requireLocalSignIn(deps);
  const { challenge } = await useChallenge(deps, SIGN_IN, sealed);
  const { passkey, counter } = await readSignature(deps, challenge, response, () => true);
  // A security key may be there without the person: it needs another proof beside it.
  if (passkey.kind !== 'passkey') throw notAccepted();
  return deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(passkey.accountId);
    if (account === null) throw notAccepted();
    await useKey(deps, tx, passkey, counter);
    return signIn(deps, tx, account, browser, 'passkey');
  });
}

/** A challenge for the keys of a person who has given the first proof. */
export async function beginSecondFactor(
  deps: AccountDeps,
  pending: string,
): Promise<Challenge<SignatureOptions>> {
  const { accountId } = openPending(deps, pending);
  return beginFor(deps, SECOND_FACTOR, accountId, 'discouraged');
}

/** Completes a sign-in with a key. To have the key is enough beside the first proof. */
export async function signInWithKey(
  deps: AccountDeps,
  browser: SigningIn,
  { pending, sealed, response }: ChallengeAnswer & { readonly pending: string },
): Promise<NewSignIn> {
  const first = openPending(deps, pending);
  const { challenge, accountId } = await useChallenge(deps, SECOND_FACTOR, sealed);
  const sender = await factorSender(deps, browser.client, first);
  return notingWrong(deps, sender, async () => {
    const { passkey, counter } = await readSignature(deps, challenge, response, () => false);
    if (accountId !== first.accountId || passkey.accountId !== first.accountId) throw notAccepted();
    return completeSignIn(deps, browser, first, async (tx) => {
      await useKey(deps, tx, passkey, counter);
      return 'security_key';
    });
  });
}

/** A challenge for the keys of a signed-in person. */
export async function beginConfirmation(
  deps: AccountDeps,
  actor: AccountActor,
): Promise<Challenge<SignatureOptions>> {
  requireOnAccount(actor, 'account.view');
  return beginFor(deps, CONFIRMATION, actor.accountId, 'preferred');
}

/** Allows dangerous acts for a while, after a signature of one of the person's keys. */
export async function confirmWithPasskey(
  deps: AccountDeps,
  actor: AccountActor,
  { sealed, response }: ChallengeAnswer,
): Promise<MadeSession> {
  requireOnAccount(actor, 'account.view');
  requireSession(actor);
  const { challenge, accountId } = await useChallenge(deps, CONFIRMATION, sealed);
  const isVerified = ({ kind }: { kind: string }) => kind === 'passkey';
  const { passkey, counter } = await readSignature(deps, challenge, response, isVerified);
  if (accountId !== actor.accountId || passkey.accountId !== actor.accountId) throw notAccepted();
  return deps.store.transaction(async (tx) => {
    await useKey(deps, tx, passkey, counter);
    return confirmSession(deps, tx, actor, passkey.kind);
  });
}

async function beginFor(
  deps: AccountDeps,
  purpose: string,
  accountId: number,
  verification: 'discouraged' | 'preferred',
): Promise<Challenge<SignatureOptions>> {
  const { bytes, sealed } = newChallenge(deps, purpose, { accountId });
  const keys = await deps.store.passkeys.ofAccount(accountId);
  return { options: await authenticationOptions(requireSite(deps), bytes, { verification, keys }), sealed };
}

/** Somebody may have removed the key since its signature was read. */
async function useKey({ clock }: AccountDeps, tx: Writes, { id }: Passkey, counter: number): Promise<void> {
  if (!(await tx.passkeys.noteUse(id, { counter, at: clock.now() }))) throw notAccepted();
}
