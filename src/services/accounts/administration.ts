import { type Account, PLACEHOLDER_EMAIL } from '../../domain/account.ts';
import type { ActedBy } from '../../domain/audit.ts';
import { AppError } from '../../domain/errors.ts';
import { SHOWN_LINK_SPAN } from '../../domain/link.ts';
import { recordAct } from '../audit.ts';
import { accountSubject } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';
import { makeLink } from './links.ts';
import { addAccount, addFirstProject, withFreeEmail } from './new-account.ts';
import { PROGRAM } from './password-work.ts';
import { hashChosen } from './passwords.ts';

// What an operator or an administrator does to accounts of others. Whoever calls has made sure that they may.

/** Accounts read at once. */
const PAGE = 100;

export interface CreateAccount {
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** Null: the person chooses one by a link. */
  readonly password: string | null;
}

/** Adds an account with a project to begin with. */
export async function createAccount(deps: AccountDeps, by: ActedBy, input: CreateAccount): Promise<Account> {
  const { password, ...person } = input;
  const passwordHash = password === null ? null : await hashChosen(deps, password, person.email, PROGRAM);
  return withFreeEmail(() =>
    deps.store.transaction(async (tx) => {
      const account = await addAccount(deps, tx, { ...person, passwordHash });
      await addFirstProject(deps, tx, account, { isProven: true });
      const details = { is_admin: account.isAdmin };
      await recordAct(deps, tx, by, { action: 'account.created', subject: accountSubject(account), details });
      return account;
    }),
  );
}

/** A link with which the person chooses a new password. Links from before work no longer. Returns its secret part. */
export async function offerPassword(deps: AccountDeps, by: ActedBy, { id }: Account): Promise<string> {
  return deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(id);
    if (account === null) throw new AppError('account_not_found');
    await tx.links.removeOfAccount(account.id, 'set_password');
    const subject = accountSubject(account);
    await recordAct(deps, tx, by, { action: 'account.password_link_made', subject });
    return makeLink(deps, tx, { purpose: 'set_password', accountId: id, email: null }, SHOWN_LINK_SPAN);
  });
}

/** Replaces the password, ends all sessions and revokes all tokens: whoever has them may not be the owner. */
export async function replacePassword(
  deps: AccountDeps,
  by: ActedBy,
  { id, email }: Account,
  password: string,
): Promise<void> {
  const passwordHash = await hashChosen(deps, password, email, PROGRAM);
  await deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(id);
    if (account === null) throw new AppError('account_not_found');
    await tx.accounts.save({ ...account, passwordHash });
    await tx.links.removeOfAccount(id);
    await tx.sessions.endOthers(id, null);
    await tx.accountTokens.removeAll(id);
    await recordAct(deps, tx, by, { action: 'account.password_replaced', subject: accountSubject(account) });
  });
}

/** For somebody who has lost the app and the recovery codes. Sessions and tokens end: whoever has them may not be the owner. */
export async function removeSecondFactors(deps: AccountDeps, by: ActedBy, { id }: Account): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(id);
    if (account === null) throw new AppError('account_not_found');
    await tx.secondFactors.removeAuthenticator(id);
    await tx.secondFactors.setRecoveryCodes(id, []);
    await tx.passkeys.removeAll(id);
    await tx.sessions.endOthers(id, null);
    await tx.accountTokens.removeAll(id);
    await recordAct(deps, tx, by, { action: 'second_factors.removed', subject: accountSubject(account) });
  });
}

/** Returns false if nothing had to be changed. */
export async function setAdmin(
  deps: AccountDeps,
  by: ActedBy,
  { id }: Account,
  isAdmin: boolean,
): Promise<boolean> {
  return deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(id);
    if (account === null) throw new AppError('account_not_found');
    if (account.isAdmin === isAdmin) return false;
    await tx.accounts.save({ ...account, isAdmin });
    const details = { before: { is_admin: account.isAdmin }, after: { is_admin: isAdmin } };
    const action = isAdmin ? 'admin.granted' : 'admin.revoked';
    await recordAct(deps, tx, by, { action, subject: accountSubject(account), details });
    return true;
  });
}

export async function findAccount({ store }: Pick<AccountDeps, 'store'>, email: string): Promise<Account> {
  const account = await store.accounts.byEmail(email.trim().toLowerCase());
  if (account === null) throw new AppError('account_not_found');
  return account;
}

/** All accounts of people, in order of creation. */
export async function* listAccounts({ store }: Pick<AccountDeps, 'store'>): AsyncGenerator<Account> {
  for (let page = await store.accounts.page(0, PAGE); page.length > 0; ) {
    yield* page.filter(({ email }) => email !== PLACEHOLDER_EMAIL);
    page = await store.accounts.page(page.at(-1)?.id ?? 0, PAGE);
  }
}
