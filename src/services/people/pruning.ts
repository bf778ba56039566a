import { pruneAttempts } from './attempts.ts';
import type { AccountDeps } from './deps.ts';
import { pruneInvitations } from './invitations.ts';
import { pruneLinks } from './links.ts';
import { forgetOldPasswords } from './old-passwords.ts';
import { pruneSessions } from './sessions.ts';

const MAX_PRUNED_AT_ONCE = 500;

/** Deletes a bounded number of rows that are past their time. Returns whether there may be more. */
export async function pruneAccountData(deps: AccountDeps): Promise<boolean> {
  const now = deps.clock.now();
  const changes = await deps.store.transaction((tx) => tx.emailChanges.prune(now, MAX_PRUNED_AT_ONCE));
  const hasMore = [
    changes === MAX_PRUNED_AT_ONCE,
    await pruneSessions(deps),
    await pruneAttempts(deps),
    await pruneLinks(deps),
    await pruneInvitations(deps),
  ];
  await forgetOldPasswords(deps);
  return hasMore.includes(true);
}
