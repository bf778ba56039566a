import { AppError } from '../../domain/errors.ts';
import { isTotpCode } from '../../domain/people/second-factor.ts';
import type { AttemptRuleName } from './attempts.ts';
import type { Client } from './client.ts';
import { perNetwork, refusalOf } from './client-attempts.ts';
import type { AccountDeps } from './deps.ts';
import { mailSecurity } from './mailing.ts';

/** The sender of a second factor. They have given the first proof, or are signed in. */
export interface FactorSender {
  readonly accountId: number;
  readonly client: Client;
  /** Identifies a browser that was signed in to the account before, or the session. Null for a stranger. */
  readonly own: string | null;
}

/** Identifies the session. People whom a proxy names have none that lasts. */
export function ofSession(sessionId: number | null): string | null {
  return sessionId === null ? null : `session ${sessionId}`;
}

/**
 * Counts a code. Strangers share the codes of an app for an account. Recovery codes are counted for each sender alone:
 * they are too random to be guessed, so limiting each sender is enough. So nobody can use up the owner's.
 */
export async function takeCode(
  deps: Pick<AccountDeps, 'attempts'>,
  { accountId, client, own }: FactorSender,
  code: string,
): Promise<void> {
  const subject = String(accountId);
  const ofOwn = (rule: AttemptRuleName) => (own === null ? null : { rule, subject: `${subject} ${own}` });
  const refusal = isTotpCode(code)
    ? await refusalOf(deps, ofOwn('codesPerDevice'), [{ rule: 'codesPerAccount', subject }])
    : await refusalOf(
        deps,
        ofOwn('recoveryCodesPerSender'),
        perNetwork('recoveryCodesPerSender', client, subject),
      );
  if (refusal !== null) throw refusal;
}

/** Notes when a second factor is wrong. After several the owner is told: somebody may know their password. */
export async function notingWrong<T>(
  deps: AccountDeps,
  sender: FactorSender,
  prove: () => Promise<T>,
): Promise<T> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials') await noteWrong(deps, sender);
    throw error;
  }
}

async function noteWrong(deps: AccountDeps, { accountId, client }: FactorSender): Promise<void> {
  const subject = String(accountId);
  if ((await deps.attempts.tryTake([{ rule: 'wrongFactorsUntold', subject }])) === null) return;
  if ((await deps.attempts.tryTake([{ rule: 'wrongFactorNotices', subject }])) !== null) return;
  await deps.store.transaction((tx) =>
    mailSecurity(deps, tx, { id: accountId }, 'wrong_second_factors', client),
  );
}
