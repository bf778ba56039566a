import { AppError } from '../../domain/errors.ts';
import { recordAct } from '../audit.ts';
import { accountSubject } from './account-actor.ts';
import type { Attempt } from './attempts.ts';
import { type Client, networkOf } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { knownDevice, newDeviceToken } from './devices.ts';
import { type MadeSession, sessionOf, startSession } from './sessions.ts';

/** What a sign-in leaves in the browser. */
export interface NewSignIn extends MadeSession {
  readonly device: string;
}

export interface PasswordSignIn {
  /** In lower case. */
  readonly email: string;
  readonly password: string;
  /** The token of the session that the browser has, if it has one. */
  readonly before: string | null;
}

/**
 * Signs in with a password. Whoever has no account gets the same answer after the same work. A browser that was signed in
 * to the account before has attempts of its own, so that strangers cannot use them up.
 */
export async function signInWithPassword(
  deps: AccountDeps,
  client: Client,
  { email, password, before }: PasswordSignIn,
): Promise<NewSignIn> {
  const account = await deps.store.accounts.byEmail(email);
  const device = knownDevice(deps, account, client);
  await takeAttempt(deps, client, email, device);
  const requester = { network: networkOf(client), isKnown: device !== null };
  const isRight = await deps.passwords.verify(password, account?.passwordHash ?? null, requester);
  if (account === null || !isRight) throw wrongCredentials();
  return deps.store.transaction(async (tx) => {
    const now = await tx.accounts.byId(account.id);
    // The password may have been changed while it was compared.
    if (now === null || now.passwordHash !== account.passwordHash) throw wrongCredentials();
    const made = await startSession(deps, tx, now, client, before);
    await recordAct(deps, tx, sessionOf(now.id, now.email, client), {
      action: 'account.signed_in',
      subject: accountSubject(now),
      details: { with: 'password' },
    });
    return { ...made, device: newDeviceToken(deps, now) };
  });
}

/** A known device that has used up its attempts counts as a stranger. */
async function takeAttempt(
  { attempts }: AccountDeps,
  client: Client,
  email: string,
  device: string | null,
): Promise<void> {
  const asStranger: Attempt[] = [
    { rule: 'passwordsPerNetwork', subject: networkOf(client) },
    { rule: 'passwordsPerAccount', subject: email },
  ];
  if (device === null) return attempts.take(asStranger);
  try {
    await attempts.take([{ rule: 'passwordsPerDevice', subject: device }]);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many_attempts') throw error;
    await attempts.take(asStranger);
  }
}

function wrongCredentials(): AppError {
  return new AppError('wrong_credentials', 'Incorrect email or password.');
}
