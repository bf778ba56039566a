import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { domainOf } from '../../domain/people/email-address.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { accountSubject } from '../people/account-actor.ts';
import { type Client, networkOf } from '../people/client.ts';
import { perNetwork, takeMail } from '../people/client-attempts.ts';
import type { AccountDeps } from '../people/deps.ts';
import { findLink, takeLink } from '../people/links.ts';
import { requireLocalSignIn } from '../people/local-sign-in.ts';
import { mailLinkTo, requireMail } from '../people/mailed-links.ts';
import { hashChosen } from '../people/passwords.ts';
import { sessionOf } from '../people/sessions.ts';
import { type NewSignIn, type SigningIn, signIn } from '../people/sign-in.ts';
import { addAccount, addFirstProject, withFreeEmail } from './new-account.ts';

export interface NewProfile {
  readonly name: string;
  /** The time zone of the browser; null if it does not tell. */
  readonly tz: string | null;
}

/**
 * Mails a link with which the person makes an account. Somebody who has one gets a link to sign in, so that nobody learns
 * who has an account.
 */
export async function requestSignUp(
  deps: AccountDeps,
  client: Client,
  email: string,
  next?: string,
): Promise<void> {
  requireMail(deps);
  requireOpen(deps, email);
  const account = await deps.store.accounts.byEmail(email);
  await takeMail(deps, client, account, email);
  const purpose = account === null ? 'sign_up' : 'sign_in';
  await deps.store.transaction((tx) => mailLinkTo(deps, tx, purpose, account, email, { next }));
}

/** Makes the account of the link's holder. Without a password the person signs in by links. */
export async function finishSignUp(
  deps: AccountDeps,
  browser: SigningIn,
  input: NewProfile & { readonly token: string; readonly password: string | null },
): Promise<NewSignIn> {
  const { token, password } = input;
  const { email } = await findLink(deps, token, 'sign_up');
  if (email === null) throw new AppError('invalid_link');
  requireOpen(deps, email);
  const requester = { network: networkOf(browser.client), isKnown: false };
  const passwordHash = password === null ? null : await hashChosen(deps, password, email, requester);
  return withFreeEmail(() =>
    deps.store.transaction(async (tx) => {
      await takeLink(deps, tx, token, 'sign_up');
      return join(deps, tx, browser, { ...input, email, passwordHash, isProven: true });
    }),
  );
}

/**
 * Makes an account at once, where no mail can be sent. It reveals which addresses have an account: without a mail there
 * is no other way to tell the reason of a refusal.
 */
export async function signUpWithoutMail(
  deps: AccountDeps,
  browser: SigningIn,
  input: NewProfile & { readonly email: string; readonly password: string },
): Promise<NewSignIn> {
  if (deps.settings.hasMail)
    throw new AppError('sign_up_closed', 'Sign up with a link that is mailed to you.');
  const { email, password } = input;
  requireOpen(deps, email);
  await deps.attempts.take(perNetwork('accountsPerNetwork', browser.client));
  const network = networkOf(browser.client);
  const passwordHash = await hashChosen(deps, password, email, { network, isKnown: false });
  return withFreeEmail(() =>
    deps.store.transaction((tx) => join(deps, tx, browser, { ...input, passwordHash, isProven: false })),
  );
}

async function join(
  deps: AccountDeps,
  tx: Writes,
  browser: SigningIn,
  person: NewProfile & Registration,
): Promise<NewSignIn> {
  const { isProven } = person;
  const account = await register(deps, tx, browser.client, person);
  await addFirstProject(deps, tx, account, { isProven });
  return signIn(deps, tx, account, browser, isProven ? 'link' : 'password');
}

interface Registration {
  readonly email: string;
  readonly passwordHash: string | null;
  /** Whether a mail has proved that the address is the person's. */
  readonly isProven: boolean;
}

/** Adds the account of a person who has asked for it. It has no project yet. */
export async function register(
  deps: AccountDeps,
  tx: Writes,
  client: Client,
  { email, name, tz, passwordHash, isProven }: NewProfile & Registration,
): Promise<Account> {
  const account = await addAccount(deps, tx, { email, name, passwordHash, isProven });
  if (tz !== null) await tx.mailPreferences.setReports(account.id, 'monthly', tz);
  const by = sessionOf(account.id, email, client);
  await recordAct(deps, tx, by, { action: 'account.signed_up', subject: accountSubject(account) });
  return account;
}

function requireOpen(deps: AccountDeps, email: string): void {
  requireLocalSignIn(deps);
  const { signUp } = deps.settings;
  if (!signUp.isOpen) throw new AppError('sign_up_closed', 'Nobody can sign up here. Ask for an invitation.');
  if (signUp.domains !== null && !signUp.domains.includes(domainOf(email)))
    throw new AppError('sign_up_closed', 'Addresses of this domain cannot sign up here.', { field: 'email' });
}
