import { AppError } from '../../domain/errors.ts';
import { CHALLENGE_SPAN, MAX_PASSKEYS, type Passkey } from '../../domain/passkey.ts';
import {
  authenticationOptions,
  type RelyingParty,
  readAuthentication,
  readRegistration,
  registrationOptions,
} from '../../lib/webauthn.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import { recordAct } from '../audit.ts';
import {
  type AccountActor,
  accountSubject,
  actorsAccount,
  requireOnAccount,
  requireSession,
} from './account-actor.ts';
import type { Client } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { mailSecurity } from './mailing.ts';
import { openSealed, sealTogether } from './sealed.ts';
import { type MadeSession, rotateSession } from './sessions.ts';
import { type NewSignIn, type SigningIn, signIn } from './sign-in.ts';

const CHALLENGE_BYTES = 32;
const REGISTRATION = 'passkey registration';
const SIGNATURE = 'passkey signature';

/** What a browser gets, and sends back with its answer. */
export interface Challenge {
  /** For the browser, as WebAuthn has it. */
  readonly options: unknown;
  readonly sealed: string;
}

/** The answer of a browser to a challenge. */
export interface ChallengeAnswer {
  readonly sealed: string;
  /** As WebAuthn has it. */
  readonly response: Readonly<Record<string, unknown>>;
}

export async function listPasskeys(deps: AccountDeps, actor: AccountActor): Promise<Passkey[]> {
  requireOnAccount(actor, 'account.view');
  return deps.store.passkeys.ofAccount(actor.accountId);
}

export async function beginPasskey(deps: AccountDeps, actor: AccountActor): Promise<Challenge> {
  requireOnAccount(actor, 'account.secure');
  const account = await actorsAccount(deps.store, actor);
  const known = await deps.store.passkeys.ofAccount(account.id);
  const { bytes, sealed } = newChallenge(deps, REGISTRATION, { accountId: account.id });
  return { options: await registrationOptions(requireSite(deps), account, bytes, known), sealed };
}

export async function addPasskey(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  { sealed, response, name }: ChallengeAnswer & { readonly name: string },
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  const asked = await useChallenge(deps, REGISTRATION, sealed);
  if (asked.accountId !== actor.accountId) throw new AppError('sign_in_expired');
  const credential = await readRegistration(requireSite(deps), response, asked.challenge);
  if (credential === null) throw notAccepted();
  const createdAt = deps.clock.now();
  const adding = deps.store.transaction(async (tx) => {
    const account = await actorsAccount(tx, actor);
    const known = await tx.passkeys.ofAccount(account.id);
    if (known.length >= MAX_PASSKEYS) throw new AppError('passkey_limit_reached');
    if ((await tx.passkeys.byCredentialId(credential.credentialId)) !== null) throw notAccepted();
    const uuid = deps.random.uuid();
    await tx.passkeys.insert({
      ...credential,
      uuid,
      accountId: account.id,
      name,
      createdAt,
      lastUsedAt: null,
    });
    await tellPasskey(deps, tx, actor, client, 'passkey.added', { uuid, name });
  });
  // Of two that add the same key at the same moment, the later one is refused.
  await adding.catch((error: unknown) => {
    throw isConflict(error) ? notAccepted() : error;
  });
}

export async function removePasskey(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  uuid: string,
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  await deps.store.transaction(async (tx) => {
    const passkey = (await tx.passkeys.ofAccount(actor.accountId)).find((one) => one.uuid === uuid);
    if (passkey === undefined || !(await tx.passkeys.remove(actor.accountId, uuid)))
      throw new AppError('passkey_not_found');
    await tellPasskey(deps, tx, actor, client, 'passkey.removed', passkey);
  });
}

async function tellPasskey(
  deps: AccountDeps,
  tx: Writes,
  actor: AccountActor,
  client: Client,
  action: string,
  { uuid, name }: Pick<Passkey, 'uuid' | 'name'>,
): Promise<void> {
  await recordAct(deps, tx, actor.by, { action, subject: { kind: 'passkey', id: uuid, name } });
  await mailSecurity(deps, tx, { id: actor.accountId }, 'second_factors_changed', client);
}

/** A challenge for anybody: the browser knows whose keys it has. */
export async function beginSignature(deps: AccountDeps): Promise<Challenge> {
  const { bytes, sealed } = newChallenge(deps, SIGNATURE, {});
  return { options: await authenticationOptions(requireSite(deps), bytes), sealed };
}

/** Signs in with a passkey. The device has verified the person, so that no second factor is asked for. */
export async function signInWithPasskey(
  deps: AccountDeps,
  browser: SigningIn,
  answer: ChallengeAnswer,
): Promise<NewSignIn> {
  const { passkey, counter } = await readSignature(deps, answer);
  return deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(passkey.accountId);
    if (account === null) throw notAccepted();
    await tx.passkeys.noteUse(passkey.id, { counter, at: deps.clock.now() });
    return signIn(deps, tx, account, browser, 'passkey');
  });
}

/** Allows what is dangerous for a while, after a signature of one of the person's passkeys. */
export async function confirmWithPasskey(
  deps: AccountDeps,
  actor: AccountActor,
  answer: ChallengeAnswer,
): Promise<MadeSession> {
  requireOnAccount(actor, 'account.view');
  const sessionId = requireSession(actor);
  const { passkey, counter } = await readSignature(deps, answer);
  if (passkey.accountId !== actor.accountId) throw notAccepted();
  return deps.store.transaction(async (tx) => {
    await tx.passkeys.noteUse(passkey.id, { counter, at: deps.clock.now() });
    const made = await rotateSession(deps, tx, sessionId);
    const subject = accountSubject(await actorsAccount(tx, actor));
    await recordAct(deps, tx, actor.by, {
      action: 'account.confirmed',
      subject,
      details: { with: 'passkey' },
    });
    return made;
  });
}

async function readSignature(
  deps: AccountDeps,
  { sealed, response }: ChallengeAnswer,
): Promise<{ passkey: Passkey; counter: number }> {
  const { challenge } = await useChallenge(deps, SIGNATURE, sealed);
  const passkey = await deps.store.passkeys.byCredentialId(String(response.id ?? '').replaceAll('\0', ''));
  if (passkey === null) throw notAccepted();
  const counter = await readAuthentication(requireSite(deps), response, challenge, passkey);
  if (counter === null) throw notAccepted();
  return { passkey, counter };
}

function newChallenge(
  deps: AccountDeps,
  purpose: string,
  values: Readonly<Record<string, unknown>>,
): { bytes: Uint8Array; sealed: string } {
  const bytes = deps.random.bytes(CHALLENGE_BYTES);
  const challenge = Buffer.from(bytes).toString('base64url');
  return { bytes, sealed: sealTogether(deps, purpose, { ...values, challenge }) };
}

/** A challenge is answered once, so that nobody can use an answer again that they have seen. */
async function useChallenge(
  deps: AccountDeps,
  purpose: string,
  sealed: string,
): Promise<{ challenge: string; accountId: unknown }> {
  const asked = openSealed(deps, purpose, sealed, CHALLENGE_SPAN);
  if (asked === null || typeof asked.challenge !== 'string') throw new AppError('sign_in_expired');
  await deps.attempts.take([{ rule: 'usesPerChallenge', subject: asked.challenge }]);
  return { challenge: asked.challenge, accountId: asked.accountId };
}

/** Browsers offer passkeys on https sites and on this machine only. */
function requireSite({ settings }: AccountDeps): RelyingParty {
  if (settings.passkeySite === null) throw new AppError('not_found');
  return settings.passkeySite;
}

function notAccepted(): AppError {
  return new AppError('wrong_credentials', 'The passkey was not accepted.');
}
