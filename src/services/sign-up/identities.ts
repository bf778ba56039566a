import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Identity } from '../../domain/people/identity.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { type AccountActor, lockedAccount, requireOnAccount } from '../people/account-actor.ts';
import type { Client } from '../people/client.ts';
import type { AccountDeps } from '../people/deps.ts';
import { applyGroups } from '../people/group-roles.ts';
import { mailReset, mailSecurity } from '../people/mailing.ts';
import type { PersonOfProvider } from '../people/provider-claims.ts';
import { secondFactorsOf } from '../people/second-factors.ts';
import { endAllAccess, sessionOf } from '../people/sessions.ts';
import { lastWayIn } from '../people/ways-in.ts';

/**
 * Whether the account of this address becomes the person's without asking. It does if nobody could sign in to it in
 * another way than by the address, which the provider has verified; or if the provider is the only way to sign in.
 * Otherwise somebody with an address at the provider would take over an account that has a password or a key.
 */
export async function mayLink(
  { settings }: AccountDeps,
  tx: Writes,
  { id, passwordHash }: Account,
  { issuer }: PersonOfProvider,
): Promise<boolean> {
  const identities = await tx.identities.ofAccount(id);
  if (identities.some((one) => one.issuer === issuer)) throw new AppError('identity_conflict');
  if (!settings.localSignIn) return true;
  const { authenticator, passkeys } = await secondFactorsOf(tx, id);
  return passwordHash === null && authenticator === null && passkeys.length === 0;
}

/** Connects the account and the person. Its owner is told, unless the account has just been made. */
export async function addIdentity(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  { issuer, subject, email }: PersonOfProvider,
  client: Client | null = null,
): Promise<void> {
  const uuid = deps.random.uuid();
  const now = deps.clock.now();
  const accountId = account.id;
  await tx.identities.insert({ uuid, accountId, issuer, subject, email, createdAt: now, lastUsedAt: now });
  if (client === null) return;
  await recordAct(deps, tx, sessionOf(accountId, account.email, client), {
    action: 'identity.connected',
    subject: { kind: 'identity', id: uuid, name: email },
    details: { issuer },
  });
  await mailSecurity(deps, tx, account, 'identities_changed', client);
}

/** Disconnects. Roles by groups of the provider are taken back. */
export async function removeIdentity(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  uuid: string,
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  await deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    const identity = (await tx.identities.ofAccount(account.id)).find((one) => one.uuid === uuid);
    if (identity === undefined) throw new AppError('identity_not_found');
    if ((await lastWayIn(deps, tx, account)).isIdentity) throw new AppError('last_way_in');
    await disconnect(deps, tx, actor, account, identity);
    await mailSecurity(deps, tx, account, 'identities_changed', client);
  });
}

/** For a person who has another subject at the provider now. Holders of sessions or tokens may not be the owner. */
export async function removeIdentities(deps: AccountDeps, actor: AccountActor): Promise<number> {
  requireOnAccount(actor, 'account.secure');
  return deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    const identities = await tx.identities.ofAccount(account.id);
    for (const identity of identities) await disconnect(deps, tx, actor, account, identity);
    await endAllAccess(tx, account);
    if (identities.length > 0) await mailReset(deps, tx, account, 'identities_changed');
    return identities.length;
  });
}

async function disconnect(
  deps: AccountDeps,
  tx: Writes,
  { by }: AccountActor,
  account: Account,
  { uuid, email, issuer }: Identity,
): Promise<void> {
  await tx.identities.remove(account.id, uuid);
  await applyGroups(deps, tx, account, [], by);
  await recordAct(deps, tx, by, {
    action: 'identity.disconnected',
    subject: { kind: 'identity', id: uuid, name: email },
    details: { issuer },
  });
}
