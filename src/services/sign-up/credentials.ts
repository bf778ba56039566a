import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { MAILED_LINK_SPAN } from '../../domain/people/link.ts';
import { mailboxOf } from '../../domain/people/mailbox.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import {
  type AccountActor,
  accountSubject,
  actorsAccount,
  lockedAccount,
  ownSessionId,
  requireOnAccount,
} from '../people/account-actor.ts';
import { type Client, networkOf } from '../people/client.ts';
import type { AccountDeps } from '../people/deps.ts';
import { makeLink, takeLink } from '../people/links.ts';
import { savePassword } from '../people/mailed-links.ts';
import { mailLink, mailSecurity } from '../people/mailing.ts';
import { hashChosen, type NewPassword } from '../people/passwords.ts';
import { withFreeEmail } from './new-account.ts';

/** Sets the actor's own password. All their other sessions end, and their tokens if they want it. */
export async function changePassword(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  { password, revokesTokens }: NewPassword,
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  const { email } = await actorsAccount(deps.store, actor);
  const requester = { network: networkOf(client), isKnown: true };
  const passwordHash = await hashChosen(deps, password, email, requester);
  await deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    await savePassword(deps, tx, account, passwordHash, client);
    await tx.sessions.endOthers(account.id, ownSessionId(actor));
    const tokens = revokesTokens ? await tx.accountTokens.removeAll(account.id) : 0;
    await recordAct(deps, tx, actor.by, {
      action: 'account.password_changed',
      subject: accountSubject(account),
      details: { revoked_tokens: tokens },
    });
  });
}

/**
 * Asks for another address. Both mailboxes get a link, and the address changes when both links were used. Only a reader
 * of the new mailbox finds out whether it has an account. Where no mail can be sent, the address changes at once.
 */
export async function changeEmail(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  newEmail: string,
): Promise<'changed' | 'asked'> {
  requireOnAccount(actor, 'account.secure');
  requireOwnAddress(deps);
  if (!deps.settings.hasMail) {
    await withFreeEmail(() =>
      deps.store.transaction(async (tx) => {
        const account = await lockedAccount(tx, actor);
        requireOther(account, newEmail);
        await applyEmail(deps, tx, account, newEmail, client);
      }),
    );
    return 'changed';
  }
  await deps.attempts.take([
    { rule: 'mailsPerDevice', subject: `account ${actor.accountId}` },
    { rule: 'mailsPerMailbox', subject: mailboxOf(newEmail) },
  ]);
  await deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    requireOther(account, newEmail);
    await requireUndeclared(tx, account);
    await tx.links.removeOfAccount(account.id, 'change_email');
    const expiresAt = deps.clock.now() + MAILED_LINK_SPAN;
    const unconfirmed = { isOldConfirmed: false, isNewConfirmed: false };
    await tx.emailChanges.save({ accountId: account.id, newEmail, ...unconfirmed, expiresAt });
    for (const email of [account.email, newEmail]) {
      const link = { purpose: 'change_email' as const, accountId: account.id, email };
      const token = await makeLink(deps, tx, link, MAILED_LINK_SPAN);
      await mailLink(deps, tx, { accountId: account.id, address: email }, { purpose: 'change_email', token });
    }
    const details = { before: { email: account.email }, after: { email: newEmail } };
    await recordAct(deps, tx, actor.by, {
      action: 'account.email_change_asked',
      subject: accountSubject(account),
      details,
    });
  });
  return 'asked';
}

/** A change to the same address would never be confirmed: there is one mailbox and not two. */
function requireOther({ email }: Account, newEmail: string): void {
  if (email === newEmail)
    throw new AppError('invalid_field', 'This is the address of the account already.', { field: 'email' });
}

/** A file names the owners of its projects by address. With another address its projects would be made again. */
async function requireUndeclared(tx: Writes, { id }: Account): Promise<void> {
  const declared = await tx.declarations.entriesOf('project', id);
  if (declared.length === 0) return;
  const text = "The operator's file names the owner of your projects by this address.";
  throw new AppError('project_declared', text, { field: 'email' });
}

/** The remaining step after a link was used. */
export type EmailConfirmation = 'changed' | 'old_left' | 'new_left';

/** Confirms the change for the mailbox that the link was sent to. */
export async function confirmEmail(
  deps: AccountDeps,
  client: Client,
  token: string,
): Promise<EmailConfirmation> {
  requireOwnAddress(deps);
  return withFreeEmail(() =>
    deps.store.transaction(async (tx) => {
      const link = await takeLink(deps, tx, token, 'change_email');
      const account = await tx.accounts.lock(link.accountId ?? 0);
      const change = account && (await tx.emailChanges.lock(account.id, deps.clock.now()));
      if (account === null || change === null) throw new AppError('invalid_link');
      const confirmed =
        link.email === account.email
          ? { ...change, isOldConfirmed: true }
          : { ...change, isNewConfirmed: true };
      if (confirmed.isOldConfirmed && confirmed.isNewConfirmed) {
        await applyEmail(deps, tx, account, change.newEmail, client);
        return 'changed';
      }
      await tx.emailChanges.save(confirmed);
      return confirmed.isOldConfirmed ? 'new_left' : 'old_left';
    }),
  );
}

/**
 * A proxy knows people by their addresses: with another one the person would get a new account. Where a provider vouches for
 * addresses and no mail can prove another one, nobody may take the address of a colleague.
 */
function requireOwnAddress({ settings: { remoteUser, provider, hasMail } }: AccountDeps): void {
  if (remoteUser !== null || (provider !== null && !hasMail)) throw new AppError('local_sign_in_off');
}

async function applyEmail(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  email: string,
  client: Client,
): Promise<void> {
  await requireUndeclared(tx, account);
  if ((await tx.accounts.byEmail(email)) !== null)
    throw new AppError('email_taken', 'This address has an account.', { field: 'email' });
  // If mail is sent, both mailboxes have confirmed the change.
  const addressProvedAt = deps.settings.hasMail ? deps.clock.now() : null;
  await tx.accounts.save({ ...account, email, addressProvedAt });
  await tx.emailChanges.remove(account.id);
  // They prove an address that is no longer the account's.
  await tx.links.removeOfAccount(account.id);
  await mailSecurity(deps, tx, account, 'email_changed', client, account.email);
  const by = {
    accountId: account.id,
    name: account.email,
    means: 'link' as const,
    remoteAddr: client.address,
  };
  const details = { before: { email: account.email }, after: { email } };
  await recordAct(deps, tx, by, {
    action: 'account.email_changed',
    subject: accountSubject(account),
    details,
  });
}
