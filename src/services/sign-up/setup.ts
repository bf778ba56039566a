import { AppError } from '../../domain/errors.ts';
import { SHOWN_LINK_SPAN } from '../../domain/people/link.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { accountSubject } from '../people/account-actor.ts';
import { networkOf } from '../people/client.ts';
import type { AccountDeps } from '../people/deps.ts';
import { findLink, makeLink, takeLink } from '../people/links.ts';
import { hashChosen } from '../people/passwords.ts';
import { sessionOf } from '../people/sessions.ts';
import { type NewSignIn, type SigningIn, signIn } from '../people/sign-in.ts';
import { addFirstAdministrator, withFreeEmail } from './new-account.ts';

/** Whether nobody administers the installation. Each start then writes a link to the log. */
export async function needsSetup({ store }: Pick<Deps, 'store'>): Promise<boolean> {
  return !(await store.accounts.hasAdmin());
}

/**
 * While nobody administers the installation, makes a link for the person who will. Returns its secret part. Null if there
 * is an administrator.
 */
export async function offerSetup(deps: Deps): Promise<string | null> {
  if (!(await needsSetup(deps))) return null;
  return deps.store.transaction((tx) =>
    makeLink(deps, tx, { purpose: 'setup', accountId: null, email: null }, SHOWN_LINK_SPAN),
  );
}

export interface Setup {
  readonly token: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/**
 * Makes the person who opens the link the first account and administrator. If the first start has made a project, it
 * becomes theirs, with the keys that were printed.
 */
export async function completeSetup(
  deps: AccountDeps,
  browser: SigningIn,
  { token, email, name, password }: Setup,
): Promise<NewSignIn> {
  const { client } = browser;
  await findLink(deps, token, 'setup');
  const passwordHash = await hashChosen(deps, password, email, {
    network: networkOf(client),
    isKnown: false,
  });
  return withFreeEmail(() =>
    deps.store.transaction(async (tx) => {
      await takeLink(deps, tx, token, 'setup');
      if (await tx.accounts.hasAdmin()) throw new AppError('invalid_link');
      const account = await addFirstAdministrator(deps, tx, {
        email,
        name,
        passwordHash,
        isProven: true,
      });
      const by = { ...sessionOf(account.id, account.email, client), means: 'link' as const };
      await recordAct(deps, tx, by, { action: 'account.set_up', subject: accountSubject(account) });
      return signIn(deps, tx, account, browser, 'setup');
    }),
  );
}
