import { AppError } from '../../domain/errors.ts';
import { CONFIRMATION_CODE_SPAN, MAILED_CODE_GROUPS, MAILED_LINK_SPAN } from '../../domain/people/link.ts';
import { mailboxOf } from '../../domain/people/mailbox.ts';
import { newTypedCode, plainCode } from '../../domain/people/typed-code.ts';
import type { Micros } from '../../lib/instant.ts';
import { equalInConstantTime, sha256 } from '../../lib/vault.ts';
import { type AccountActor, lockedAccount, requireOnAccount, requireSession } from './account-actor.ts';
import type { Attempt } from './attempts.ts';
import type { Client } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { makeLink, takeByDigest } from './links.ts';
import { requireLocalSignIn } from './local-sign-in.ts';
import { accountOf, mailRequestedLink, requireMail } from './mailed-links.ts';
import { mailLink } from './mailing.ts';
import { openSealed, sealTogether } from './sealed.ts';
import { asksForSecond, secondFactorExists, secondFactorsOf, wrongCode } from './second-factors.ts';
import { confirmSession, type MadeSession } from './sessions.ts';
import { proceed, type SignInStep, type SigningIn } from './sign-in.ts';

/**
 * A code in a mail belongs to a link: it works once, as long as the link does. Only the browser that has asked for it
 * can use it, since that browser keeps the code, sealed, and sends it back with the typed one.
 */
export interface AwaitedCode {
  readonly pending: string;
}

export interface TypedCode extends AwaitedCode {
  readonly code: string;
}

const SIGN_IN = 'mailed code to sign in';
const CONFIRMATION = 'mailed code to confirm';

/** Mails a link and a code to sign in with. The answer does not reveal whether the address has an account. */
export async function requestSignIn(
  deps: AccountDeps,
  client: Client,
  email: string,
  next?: string,
): Promise<AwaitedCode> {
  const code = newMailedCode(deps);
  const { token, isOwn } = await mailRequestedLink(deps, client, 'sign_in', email, { code, next });
  // A digest, so that the answer does not tell by its length how the address is spelt.
  const mailbox = isOwn ? null : sha256(mailboxOf(email));
  return { pending: sealTogether(deps, SIGN_IN, { link: sha256(token), code, mailbox }) };
}

export async function signInByCode(
  deps: AccountDeps,
  browser: SigningIn,
  typed: TypedCode,
): Promise<SignInStep> {
  requireLocalSignIn(deps);
  const { link } = await readCode(deps, SIGN_IN, typed, MAILED_LINK_SPAN);
  return deps.store.transaction(async (tx) => {
    const account = await accountOf(tx, await takeByDigest(deps, tx, link, 'sign_in'));
    return proceed(deps, tx, account, browser, 'mailed_code');
  });
}

/** Mails a code with which a person without other proofs confirms their identity. */
export async function requestConfirmation(deps: AccountDeps, actor: AccountActor): Promise<AwaitedCode> {
  requireOnAccount(actor, 'account.view');
  const sessionId = requireSession(actor);
  // If a provider signs people in, it also proves their identity.
  requireLocalSignIn(deps);
  requireMail(deps);
  await deps.attempts.take([{ rule: 'mailsPerDevice', subject: `account ${actor.accountId}` }]);
  const code = newMailedCode(deps);
  const purpose = 'confirm';
  return deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    // A reader of somebody's mail must not use it where a stronger proof is needed.
    const factors = await secondFactorsOf(tx, account.id);
    if (asksForSecond(factors)) throw secondFactorExists();
    if (account.passwordHash !== null)
      throw new AppError('stronger_proof_exists', 'Confirm with your password.');
    const { id: accountId, email } = account;
    const token = await makeLink(deps, tx, { purpose, accountId, email }, CONFIRMATION_CODE_SPAN);
    await mailLink(deps, tx, { accountId, address: email }, { purpose, token, code });
    return { pending: sealTogether(deps, CONFIRMATION, { link: sha256(token), code, sessionId }) };
  });
}

/** Allows dangerous acts for a while, after a code that was mailed for this session. */
export async function confirmWithMailedCode(
  deps: AccountDeps,
  actor: AccountActor,
  typed: TypedCode,
): Promise<MadeSession> {
  requireOnAccount(actor, 'account.view');
  const own = requireSession(actor);
  const { link, sessionId } = await readCode(deps, CONFIRMATION, typed, CONFIRMATION_CODE_SPAN);
  if (sessionId !== own) throw new AppError('sign_in_expired');
  return deps.store.transaction(async (tx) => {
    await accountOf(tx, await takeByDigest(deps, tx, link, 'confirm'));
    return confirmSession(deps, tx, actor, 'mailed_code');
  });
}

/** The content sealed with the code, if the person has typed it right. */
async function readCode(
  deps: AccountDeps,
  purpose: string,
  { pending, code: typed }: TypedCode,
  span: Micros,
): Promise<{ link: string; sessionId: unknown }> {
  const { link, code, sessionId, mailbox } = openSealed(deps, purpose, pending, span) ?? {};
  if (typeof link !== 'string' || typeof code !== 'string') throw new AppError('sign_in_expired');
  // Strangers can have many codes mailed. When they have used up the tries, the links in those mails still work.
  const ofStrangers: readonly Attempt[] =
    typeof mailbox === 'string' ? [{ rule: 'triesPerMailbox', subject: mailbox }] : [];
  await deps.attempts.take([{ rule: 'triesPerMailedCode', subject: link }, ...ofStrangers]);
  return equalInConstantTime(plainCode(typed), plainCode(code)) ? { link, sessionId } : wrongCode();
}

function newMailedCode({ random }: AccountDeps): string {
  return newTypedCode(MAILED_CODE_GROUPS, random.bytes);
}
