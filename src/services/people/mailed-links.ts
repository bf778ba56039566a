import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { type Link, type LinkPurpose, MAILED_LINK_SPAN } from '../../domain/people/link.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { accountSubject } from './account-actor.ts';
import { type Client, networkOf } from './client.ts';
import { takeMail } from './client-attempts.ts';
import type { AccountDeps } from './deps.ts';
import { findLink, invalidLink, makeLink, takeLink } from './links.ts';
import { requireLocalSignIn } from './local-sign-in.ts';
import { type MailedLink, mailLink, mailSecurity } from './mailing.ts';
import { hashChosen, type NewPassword } from './passwords.ts';
import { sessionOf } from './sessions.ts';
import { proceed, type SignInStep, type SigningIn } from './sign-in.ts';

/** A link that somebody has asked for. */
interface RequestedLink {
  readonly token: string;
  /** Whether the mail counts as one of a known browser's own. */
  readonly isOwn: boolean;
}

/**
 * Mails a link to the account with this address, if there is one. The answer and the work are the same if there is
 * none. Earlier links go on working: a stranger may have asked.
 */
export async function mailRequestedLink(
  deps: AccountDeps,
  client: Client,
  purpose: 'sign_in' | 'set_password',
  email: string,
  parts: Pick<MailedLink, 'code' | 'next'>,
): Promise<RequestedLink> {
  requireLocalSignIn(deps);
  requireMail(deps);
  const found = await deps.store.accounts.byEmail(email);
  const account = found?.isActive ? found : null;
  const { isOwn } = await takeMail(deps, client, account, email, purpose);
  const token = await deps.store.transaction((tx) => mailLinkTo(deps, tx, purpose, account, null, parts));
  return { token, isOwn };
}

/**
 * Makes a link and queues its mail: to the account, else to the address, else to nobody. All three take the same
 * statements. Returns the secret part of the link.
 */
export async function mailLinkTo(
  deps: AccountDeps,
  tx: Writes,
  purpose: LinkPurpose,
  account: Account | null,
  address: string | null,
  parts: Pick<MailedLink, 'code' | 'next'>,
): Promise<string> {
  const to = { accountId: account?.id ?? null, email: account?.email ?? address };
  const token = await makeLink(deps, tx, { purpose, ...to }, MAILED_LINK_SPAN);
  await mailLink(deps, tx, { accountId: to.accountId, address: to.email }, { purpose, token, ...parts });
  return token;
}

export function requireMail({ settings }: AccountDeps): void {
  if (!settings.hasMail) throw new AppError('no_mail');
}

export async function signInByLink(
  deps: AccountDeps,
  browser: SigningIn,
  token: string,
): Promise<SignInStep> {
  requireLocalSignIn(deps);
  return deps.store.transaction(async (tx) => {
    const account = await accountOfLink(deps, tx, token, 'sign_in');
    return proceed(deps, tx, account, browser, 'link');
  });
}

/** Sets the password of the link's holder, ends all sessions, revokes the tokens if they want it, and signs in. */
export async function setPasswordByLink(
  deps: AccountDeps,
  browser: SigningIn,
  { token, password, revokesTokens }: NewPassword & { readonly token: string },
): Promise<SignInStep> {
  requireLocalSignIn(deps);
  const { client } = browser;
  const link = await findLink(deps, token, 'set_password');
  const { email } = (await deps.store.accounts.byId(link.accountId ?? 0)) ?? invalidLink();
  const passwordHash = await hashChosen(deps, password, email, {
    network: networkOf(client),
    isKnown: false,
  });
  return deps.store.transaction(async (tx) => {
    const account = await accountOfLink(deps, tx, token, 'set_password');
    await savePassword(deps, tx, account, passwordHash, client);
    await tx.sessions.endOthers(account.id, null);
    const tokens = revokesTokens ? await tx.accountTokens.removeAll(account.id) : 0;
    const by = { ...sessionOf(account.id, account.email, client), means: 'link' as const };
    await recordAct(deps, tx, by, {
      action: 'account.password_set',
      subject: accountSubject(account),
      details: { revoked_tokens: tokens },
    });
    return proceed(deps, tx, { ...account, passwordHash }, browser, 'link');
  });
}

/** Saves the password and tells its owner. Earlier links were asked for by somebody who may not be the owner. */
export async function savePassword(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  passwordHash: string,
  client: Client,
): Promise<void> {
  await tx.accounts.save({ ...account, passwordHash });
  await tx.links.removeOfAccount(account.id);
  await mailSecurity(deps, tx, account, 'password_changed', client);
}

/** Uses the link up, and returns its account. */
async function accountOfLink(
  deps: AccountDeps,
  tx: Writes,
  token: string,
  purpose: LinkPurpose,
): Promise<Account> {
  return accountOf(tx, await takeLink(deps, tx, token, purpose));
}

/** The account whose address the link proves. */
export async function accountOf(tx: Writes, { accountId, email }: Link): Promise<Account> {
  const account = await tx.accounts.lock(accountId ?? 0);
  // A link that was mailed proves the address to which it went, and no other.
  if (!account?.isActive || (email !== null && email !== account.email)) return invalidLink();
  return account;
}
