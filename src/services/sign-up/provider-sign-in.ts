import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { type Identity, PROVIDER_SIGN_IN_SPAN } from '../../domain/people/identity.ts';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import { OpenIdFailure, type OpenIdSecrets } from '../../lib/openid.ts';
import { equalInConstantTime } from '../../lib/vault.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import {
  type AccountActor,
  lockedAccount,
  requireOnAccount,
  requireSession,
} from '../people/account-actor.ts';
import { perNetwork } from '../people/client-attempts.ts';
import type { AccountDeps } from '../people/deps.ts';
import { applyGroups } from '../people/group-roles.ts';
import { type PersonOfProvider, personOf } from '../people/provider-claims.ts';
import { openSealed, sealTogether } from '../people/sealed.ts';
import {
  confirmSession,
  endAllAccess,
  findSignedIn,
  type MadeSession,
  sessionOf,
} from '../people/sessions.ts';
import { type NewSignIn, type SigningIn, signIn } from '../people/sign-in.ts';
import { addIdentity, mayLink } from './identities.ts';
import { addProvidedAccount, claimAccount, withOneAccount } from './provided-account.ts';

const SECRET_BYTES = 32;
const SEALED_FOR = 'provider sign-in';

/** Why a person goes to the provider: to sign in, to connect it with their account, or to prove who they are. */
const ERRANDS = ['sign_in', 'connect', 'confirm'] as const;

type Errand = (typeof ERRANDS)[number];

/** Given to the browser before it goes to the provider. */
export interface BegunAtProvider {
  /** The page of the provider. */
  readonly address: string;
  /** Only the browser keeps this, in a cookie. So nobody can come back from the provider in its place. */
  readonly sealed: string;
}

/** Brought back by the browser. */
export interface AtProvider {
  readonly errand: Errand;
  /** The path where the person goes on. */
  readonly next: string;
  /** The account that it is about. Null for a sign-in. */
  readonly accountId: number | null;
  readonly secrets: OpenIdSecrets;
  readonly begunAt: number;
}

/** The result. `made` is new for the browser: a session, or another token for the session that it has. */
export interface BackFromProvider {
  readonly next: string;
  readonly made: NewSignIn | MadeSession | null;
}

export function beginProviderSignIn(deps: AccountDeps, next: string): Promise<BegunAtProvider> {
  return begin(deps, { errand: 'sign_in', accountId: null, next });
}

export async function beginConnecting(
  deps: AccountDeps,
  actor: AccountActor,
  next: string,
): Promise<BegunAtProvider> {
  requireOnAccount(actor, 'account.secure');
  return begin(deps, { errand: 'connect', accountId: actor.accountId, next });
}

/** The provider asks for a proof even if it knows the person. */
export async function beginConfirming(
  deps: AccountDeps,
  actor: AccountActor,
  next: string,
): Promise<BegunAtProvider> {
  requireOnAccount(actor, 'account.view');
  requireSession(actor);
  return begin(deps, { errand: 'confirm', accountId: actor.accountId, next });
}

async function begin(
  deps: AccountDeps,
  { errand, accountId, next }: Pick<AtProvider, 'errand' | 'accountId' | 'next'>,
): Promise<BegunAtProvider> {
  const secret = () => Buffer.from(deps.random.bytes(SECRET_BYTES)).toString('base64url');
  const secrets = { state: secret(), nonce: secret(), verifier: secret() };
  const address = await asking(() => openIdOf(deps).address(secrets, { asksAgain: errand === 'confirm' }));
  return { address, sealed: sealTogether(deps, SEALED_FOR, { errand, accountId, next, ...secrets }) };
}

/** The content that the browser has kept. Null if it is too old, or was not made here. */
export function openAtProvider(deps: AccountDeps, sealed: string): AtProvider | null {
  const values = openSealed(deps, SEALED_FOR, sealed, PROVIDER_SIGN_IN_SPAN);
  const errand = ERRANDS.find((one) => one === values?.errand);
  if (values === null || errand === undefined) return null;
  const { accountId, next, state, nonce, verifier, at } = values;
  return {
    errand,
    next: String(next),
    accountId: accountId === null ? null : Number(accountId),
    secrets: { state: String(state), nonce: String(nonce), verifier: String(verifier) },
    begunAt: Number(at),
  };
}

/** Finishes the person's errand at the provider. `answer` is the query with which the browser has come back. */
export async function finishAtProvider(
  deps: AccountDeps,
  browser: SigningIn,
  begun: AtProvider,
  answer: URLSearchParams,
): Promise<BackFromProvider> {
  const person = await identify(deps, browser, begun, answer);
  const { next } = begun;
  switch (begun.errand) {
    case 'sign_in':
      return {
        next,
        made: await withOneAccount(() =>
          deps.store.transaction((tx) => signInPerson(deps, tx, browser, person)),
        ),
      };
    case 'connect':
      await connect(deps, browser, begun, person);
      return { next, made: null };
    case 'confirm':
      return { next, made: await confirm(deps, browser, begun, person) };
    default:
      return begun.errand satisfies never;
  }
}

async function identify(
  deps: AccountDeps,
  { client }: SigningIn,
  { errand, secrets, begunAt }: AtProvider,
  answer: URLSearchParams,
): Promise<PersonOfProvider> {
  const { provider } = deps.settings;
  const openId = openIdOf(deps);
  if (provider === null) throw new AppError('not_found');
  if (!equalInConstantTime(answer.get('state') ?? '', secrets.state)) throw new AppError('provider_refused');
  await deps.attempts.take([
    { rule: 'usesPerProviderSignIn', subject: secrets.state },
    ...perNetwork('providerSignInsPerNetwork', client),
  ]);
  const secondsAgo = Math.ceil((deps.clock.now() - begunAt) / MICROS_PER_SECOND);
  const claims = await asking(() =>
    openId.identify(answer, secrets, {
      wanted: ['email', 'email_verified', provider.groupsClaim],
      provedWithin: errand === 'confirm' ? secondsAgo : null,
    }),
  );
  return personOf(claims, provider);
}

/** Signs in. The second factor is the provider's matter. */
async function signInPerson(
  deps: AccountDeps,
  tx: Writes,
  browser: SigningIn,
  person: PersonOfProvider,
): Promise<NewSignIn> {
  const identity = await tx.identities.bySubject(person.issuer, person.subject);
  const known = identity === null ? null : await tx.accounts.lock(identity.accountId);
  const account = known ?? (await accountFor(deps, tx, browser, person));
  if (identity !== null) await noteUse(deps, tx, identity, person);
  await applyGroups(deps, tx, account, person.groups, sessionOf(account.id, account.email, browser.client));
  return signIn(deps, tx, account, browser, 'provider');
}

/** The account for a first sign-in: the one with the person's address, if it may be linked, or a new one. */
async function accountFor(
  deps: AccountDeps,
  tx: Writes,
  { client }: SigningIn,
  person: PersonOfProvider,
): Promise<Account> {
  const found = await tx.accounts.byEmail(person.email);
  const existing = found && (await tx.accounts.lock(found.id));
  if (existing === null) {
    const by = { means: 'session' as const, remoteAddr: client.address };
    const account = await addProvidedAccount(deps, tx, person, by);
    await addIdentity(deps, tx, account, person);
    return account;
  }
  // Another first sign-in of the person may have made the account before this one got the lock.
  const meanwhile = await tx.identities.bySubject(person.issuer, person.subject);
  if (meanwhile?.accountId === existing.id) return existing;
  if (!(await mayLink(deps, tx, existing, person))) throw new AppError('account_exists');
  // The signed-in person may be somebody else.
  await endAllAccess(tx, existing);
  await tx.links.removeOfAccount(existing.id);
  const claimed = await claimAccount(
    deps,
    tx,
    existing,
    sessionOf(existing.id, existing.email, client),
    client,
  );
  await addIdentity(deps, tx, claimed, person, client);
  return claimed;
}

async function connect(
  deps: AccountDeps,
  browser: SigningIn,
  begun: AtProvider,
  person: PersonOfProvider,
): Promise<void> {
  const actor = await sameActor(deps, browser, begun);
  requireOnAccount(actor, 'account.secure');
  const adding = deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    const known = await tx.identities.bySubject(person.issuer, person.subject);
    if (known?.accountId === account.id) return;
    if (known !== null) throw new AppError('identity_conflict');
    await addIdentity(deps, tx, account, person, browser.client);
  });
  await adding.catch((error: unknown) => {
    throw isConflict(error) ? new AppError('identity_conflict') : error;
  });
}

/** Allows dangerous acts for a while, after a proof that the provider has asked for. */
async function confirm(
  deps: AccountDeps,
  browser: SigningIn,
  begun: AtProvider,
  person: PersonOfProvider,
): Promise<MadeSession> {
  const actor = await sameActor(deps, browser, begun);
  return deps.store.transaction(async (tx) => {
    const identity = await tx.identities.bySubject(person.issuer, person.subject);
    if (identity?.accountId !== actor.accountId) throw new AppError('identity_conflict');
    await noteUse(deps, tx, identity, person);
    return confirmSession(deps, tx, actor, 'provider');
  });
}

/** The signed-in person, if it is still the one who went to the provider. */
async function sameActor(
  deps: AccountDeps,
  { client, before }: SigningIn,
  { accountId }: AtProvider,
): Promise<AccountActor> {
  const signedIn = before === null ? null : await findSignedIn(deps, before, client);
  if (signedIn === null || signedIn.actor.accountId !== accountId) throw new AppError('not_signed_in');
  return signedIn.actor;
}

async function noteUse(
  { clock }: AccountDeps,
  tx: Writes,
  { id }: Identity,
  { email }: PersonOfProvider,
): Promise<void> {
  await tx.identities.noteUse(id, { email, at: clock.now() });
}

function openIdOf({ openId }: AccountDeps): NonNullable<AccountDeps['openId']> {
  if (openId === null) throw new AppError('not_found');
  return openId;
}

/** Asks the provider. The reason of a failure is for the log. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof OpenIdFailure)) throw cause;
    const code = cause.kind === 'unavailable' ? 'provider_unavailable' : 'provider_refused';
    throw new AppError(code, code, { cause });
  }
}
