import { AppError } from '../../domain/errors.ts';
import { MAX_PASSKEYS, PASSKEY_KINDS, type Passkey, type PasskeyKind } from '../../domain/people/passkey.ts';
import { type RegistrationOptions, readRegistration, registrationOptions } from '../../lib/webauthn.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { type AccountActor, actorsAccount, lockedAccount, requireOnAccount } from './account-actor.ts';
import {
  type Challenge,
  type ChallengeAnswer,
  newChallenge,
  notAccepted,
  requireSite,
  useChallenge,
} from './challenges.ts';
import type { Client } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { mailSecurity } from './mailing.ts';
import { firstRecoveryCodes, forgetNeedlessCodes } from './second-factors.ts';
import { lastWayIn } from './ways-in.ts';

const REGISTRATION = 'passkey registration';

export async function beginPasskey(
  deps: AccountDeps,
  actor: AccountActor,
  kind: PasskeyKind,
): Promise<Challenge<RegistrationOptions>> {
  requireOnAccount(actor, 'second_factors.edit');
  const account = await actorsAccount(deps.store, actor);
  const known = await deps.store.passkeys.ofAccount(account.id);
  const { bytes, sealed } = newChallenge(deps, REGISTRATION, { accountId: account.id, kind });
  const needsVerification = kind === 'passkey';
  const site = requireSite(deps);
  return { options: await registrationOptions(site, account, bytes, known, { needsVerification }), sealed };
}

/** Adds the key. Returns recovery codes if there were none. They are shown only now. */
export async function addPasskey(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  { sealed, response, name }: ChallengeAnswer & { readonly name: string },
): Promise<string[] | null> {
  requireOnAccount(actor, 'second_factors.edit');
  const asked = await useChallenge(deps, REGISTRATION, sealed);
  if (asked.accountId !== actor.accountId) throw new AppError('sign_in_expired');
  const kind = PASSKEY_KINDS.find((one) => one === asked.kind) ?? 'passkey';
  const needsVerification = kind === 'passkey';
  const site = requireSite(deps);
  const credential = await readRegistration(site, response, asked.challenge, { needsVerification });
  if (credential === null) throw notAccepted();
  const createdAt = deps.clock.now();
  const adding = deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    const known = await tx.passkeys.ofAccount(account.id);
    if (known.length >= MAX_PASSKEYS) throw new AppError('passkey_limit_reached');
    if ((await tx.passkeys.byCredentialId(credential.credentialId)) !== null) throw notAccepted();
    const uuid = deps.random.uuid();
    await tx.passkeys.insert({
      ...credential,
      kind,
      uuid,
      accountId: account.id,
      name,
      createdAt,
      lastUsedAt: null,
    });
    await tellPasskey(deps, tx, actor, client, `${kind}.added`, { uuid, name });
    return firstRecoveryCodes(deps, tx, account.id);
  });
  // If two add the same key at the same moment, the later one is refused.
  return adding.catch((error: unknown) => {
    throw isConflict(error) ? notAccepted() : error;
  });
}

/** Gives the key another name in lists. */
export async function renamePasskey(
  deps: AccountDeps,
  actor: AccountActor,
  uuid: string,
  name: string,
): Promise<void> {
  requireOnAccount(actor, 'second_factors.edit');
  await deps.store.transaction(async (tx) => {
    await lockedAccount(tx, actor);
    const passkey = (await tx.passkeys.ofAccount(actor.accountId)).find((one) => one.uuid === uuid);
    if (passkey === undefined || !(await tx.passkeys.rename(actor.accountId, uuid, name)))
      throw new AppError('passkey_not_found');
    await recordAct(deps, tx, actor.by, {
      action: `${passkey.kind}.renamed`,
      subject: { kind: 'passkey', id: uuid, name },
      details: { before: { name: passkey.name }, after: { name } },
    });
  });
}

export async function removePasskey(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  uuid: string,
): Promise<void> {
  requireOnAccount(actor, 'second_factors.edit');
  await deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    if ((await lastWayIn(deps, tx, account)).passkey === uuid) throw new AppError('last_way_in');
    const passkey = (await tx.passkeys.ofAccount(actor.accountId)).find((one) => one.uuid === uuid);
    if (passkey === undefined || !(await tx.passkeys.remove(actor.accountId, uuid)))
      throw new AppError('passkey_not_found');
    await forgetNeedlessCodes(tx, actor.accountId);
    await tellPasskey(deps, tx, actor, client, `${passkey.kind}.removed`, passkey);
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
