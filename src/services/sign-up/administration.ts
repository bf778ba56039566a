import { AppError } from '../../domain/errors.ts';
import { type Account, type AccountLimits, PLACEHOLDER_EMAIL } from '../../domain/people/account.ts';
import { differences } from '../../domain/people/audit.ts';
import { SHOWN_LINK_SPAN } from '../../domain/people/link.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import {
  type AccountActor,
  accountSubject,
  administratorOn,
  requireOnAccount,
} from '../people/account-actor.ts';
import { requireOtherAdmin } from '../people/administrators.ts';
import { closeAccount } from '../people/closing.ts';
import type { AccountDeps } from '../people/deps.ts';
import { makeLink } from '../people/links.ts';
import { mailReset } from '../people/mailing.ts';
import { PROGRAM } from '../people/password-work.ts';
import { hashChosen } from '../people/passwords.ts';
import { endAllAccess } from '../people/sessions.ts';
import {
  addAccount,
  addFirstAdministrator,
  addFirstProject,
  type NewPerson,
  withFreeEmail,
} from './new-account.ts';

// Acts of an operator or an administrator on accounts of others.

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
export async function createAccount(
  deps: AccountDeps,
  actor: AccountActor,
  input: CreateAccount,
): Promise<Account> {
  requireOnAccount(actor, 'instance.administer');
  const { password, ...person } = input;
  const passwordHash = password === null ? null : await hashChosen(deps, password, person.email, PROGRAM);
  return withFreeEmail(() =>
    deps.store.transaction(async (tx) => {
      const account = await addPerson(deps, tx, { ...person, passwordHash, isProven: true });
      const details = { is_admin: account.isAdmin };
      await recordAct(deps, tx, actor.by, {
        action: 'account.created',
        subject: accountSubject(account),
        details,
      });
      return account;
    }),
  );
}

/** The first administrator gets the project of the first start, and others one of their own. */
async function addPerson(
  deps: AccountDeps,
  tx: Writes,
  person: NewPerson & { readonly isAdmin: boolean },
): Promise<Account> {
  if (person.isAdmin && !(await tx.accounts.hasAdmin())) return addFirstAdministrator(deps, tx, person);
  const account = await addAccount(deps, tx, person);
  await addFirstProject(deps, tx, account, person);
  return account;
}

/** A link with which the person chooses a new password. Links from before work no longer. Returns its secret part. */
export async function offerPassword(
  deps: AccountDeps,
  actor: AccountActor,
  { id }: Account,
): Promise<string> {
  requireOnAccount(actor, 'instance.administer');
  return deps.store.transaction(async (tx) => {
    const account = await lockFound(tx, id);
    await tx.links.removeOfAccount(account.id, 'set_password');
    const subject = accountSubject(account);
    await recordAct(deps, tx, actor.by, { action: 'account.password_link_made', subject });
    return makeLink(deps, tx, { purpose: 'set_password', accountId: id, email: null }, SHOWN_LINK_SPAN);
  });
}

/** Replaces the password, ends all sessions and revokes all tokens: their holder may not be the owner. */
export async function replacePassword(
  deps: AccountDeps,
  actor: AccountActor,
  { id, email }: Account,
  password: string,
): Promise<void> {
  requireOnAccount(actor, 'instance.administer');
  const passwordHash = await hashChosen(deps, password, email, PROGRAM);
  await deps.store.transaction(async (tx) => {
    const account = await lockFound(tx, id);
    await tx.accounts.save({ ...account, passwordHash });
    await tx.links.removeOfAccount(id);
    await endAllAccess(tx, account);
    await recordAct(deps, tx, actor.by, {
      action: 'account.password_replaced',
      subject: accountSubject(account),
    });
    await mailReset(deps, tx, account, 'password_changed');
  });
}

/** For somebody who has lost the app and the recovery codes. Ends sessions and tokens: their holder may be another. */
export async function removeSecondFactors(
  deps: AccountDeps,
  actor: AccountActor,
  { id }: Account,
): Promise<void> {
  requireOnAccount(actor, 'instance.administer');
  await deps.store.transaction(async (tx) => {
    const account = await lockFound(tx, id);
    await tx.secondFactors.removeAuthenticator(id);
    await tx.secondFactors.setRecoveryCodes(id, []);
    await tx.passkeys.removeAll(id);
    await endAllAccess(tx, account);
    await recordAct(deps, tx, actor.by, {
      action: 'second_factors.removed',
      subject: accountSubject(account),
    });
    await mailReset(deps, tx, account, 'second_factors_changed');
  });
}

/** Returns false if nothing had to be changed. */
export async function setAdmin(
  deps: AccountDeps,
  actor: AccountActor,
  { id }: Account,
  isAdmin: boolean,
): Promise<boolean> {
  requireOnAccount(actor, 'instance.administer');
  return deps.store.transaction(async (tx) => {
    if (!isAdmin) await requireOtherAdmin(tx, actor.caller, id);
    const account = await lockFound(tx, id);
    if (account.isAdmin === isAdmin) return false;
    await tx.accounts.save({ ...account, isAdmin });
    const details = differences({ is_admin: account.isAdmin }, { is_admin: isAdmin }) ?? {};
    const action = isAdmin ? 'admin.granted' : 'admin.revoked';
    await recordAct(deps, tx, actor.by, { action, subject: accountSubject(account), details });
    return true;
  });
}

/**
 * Nobody signs in to an account that is not active: its sessions end, and its links work no longer. Its projects are
 * watched as before. Returns false if nothing had to be changed.
 */
export async function setActive(
  deps: AccountDeps,
  actor: AccountActor,
  { id }: Account,
  isActive: boolean,
): Promise<boolean> {
  requireOnAccount(actor, 'instance.administer');
  return deps.store.transaction(async (tx) => {
    if (!isActive) await requireOtherAdmin(tx, actor.caller, id);
    const account = await lockFound(tx, id);
    if (account.isActive === isActive) return false;
    await tx.accounts.save({ ...account, isActive });
    if (!isActive) {
      await tx.links.removeOfAccount(id);
      await tx.sessions.endOthers(id, null);
    }
    const action = isActive ? 'account.activated' : 'account.deactivated';
    await recordAct(deps, tx, actor.by, { action, subject: accountSubject(account) });
    return true;
  });
}

/** The number of checks that the account may have, and of pings that are kept of each. */
export async function setAccountLimits(
  deps: AccountDeps,
  actor: AccountActor,
  { id }: Account,
  limits: Partial<AccountLimits>,
): Promise<AccountLimits> {
  requireOnAccount(actor, 'instance.administer');
  return deps.store.transaction(async (tx) => {
    const account = await lockFound(tx, id);
    const after = { ...account.limits, ...limits };
    const details = differences({ ...account.limits }, { ...after });
    if (details === null) return after;
    await tx.accounts.setLimits(id, after);
    const subject = accountSubject(account);
    await recordAct(deps, tx, actor.by, { action: 'account.limits_changed', subject, details });
    return after;
  });
}

/** Signs the person out everywhere. Returns the number of sessions. */
export async function endAllSessions(
  deps: AccountDeps,
  actor: AccountActor,
  { id }: Account,
): Promise<number> {
  requireOnAccount(actor, 'instance.administer');
  return deps.store.transaction(async (tx) => {
    const account = await lockFound(tx, id);
    const count = await tx.sessions.endOthers(id, null);
    const subject = accountSubject(account);
    await recordAct(deps, tx, actor.by, { action: 'sessions.ended', subject, details: { count } });
    return count;
  });
}

/** Deletes an account with its projects. The address is repeated, since this cannot be undone. */
export async function deleteAccount(
  deps: AccountDeps,
  actor: AccountActor,
  account: Account,
  typedEmail: string,
): Promise<void> {
  const onAccount = administratorOn(actor, account);
  // The last administrator cannot lose this, and hence cannot be deleted.
  if (account.isAdmin && typedEmail === account.email) await setAdmin(deps, actor, account, false);
  await closeAccount(deps, onAccount, typedEmail);
}

async function lockFound(tx: Writes, id: number): Promise<Account> {
  const account = await tx.accounts.lock(id);
  if (account === null) throw new AppError('account_not_found');
  return account;
}

export async function findAccountByUuid(
  { store }: Pick<AccountDeps, 'store'>,
  actor: AccountActor,
  uuid: string,
): Promise<Account> {
  requireOnAccount(actor, 'instance.view');
  const account = await store.accounts.byUuid(uuid);
  if (account === null) throw new AppError('account_not_found');
  return account;
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
