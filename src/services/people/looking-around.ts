import { AppError } from '../../domain/errors.ts';
import type { AccountDeps } from './deps.ts';
import { type MadeSession, startSession } from './sessions.ts';
import type { SigningIn } from './sign-in.ts';

/** Signs the browser in to the account of visitors. There is one only in a demonstration. */
export async function lookAround(deps: AccountDeps, { client, before }: SigningIn): Promise<MadeSession> {
  const { demonstration } = deps.settings;
  if (demonstration === null) throw new AppError('not_found');
  return deps.store.transaction(async (tx) => {
    const account = await tx.accounts.byEmail(demonstration.email);
    if (account === null) throw new AppError('not_found');
    return startSession(deps, tx, account, client, before, demonstration.maxSessions);
  });
}
