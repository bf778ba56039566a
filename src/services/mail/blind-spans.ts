import { newMail } from '../../domain/alert/mail.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';
import { ofProgram, valueRead } from '../core/reads.ts';

/** Accounts told in one transaction. */
const MAX_AT_ONCE = 200;

export const concernedAccounts = valueRead(
  ofProgram,
  (
    { store }: Pick<Deps, 'store'>,
    { toldUpTo, until }: { readonly toldUpTo: number; readonly until: Instant },
  ) => store.mailPreferences.afterBlindness(toldUpTo, MAX_AT_ONCE, until),
);

/**
 * Queues a mail about a blind span to every account that has a watched check. Each call handles one page of accounts.
 * The position is stored in the same transaction as the mails, so each account gets exactly one mail. When no mail is
 * sent, the span is only marked as told. Returns false when every span is told.
 */
export async function queueBlindnessNotices(deps: Deps, sendsMail: boolean): Promise<boolean> {
  const span = await deps.store.liveness.untoldSpan();
  if (span === null) return false;
  const { id, from, until, toldUpTo } = span;
  const page = sendsMail ? (await deps.reads.ask(concernedAccounts, { toldUpTo, until })).head : [];
  const last = page.length < MAX_AT_ONCE ? null : (page.at(-1)?.accountId ?? null);
  const concerned = page.filter(({ isConcerned }) => isConcerned);
  await deps.store.transaction(async (tx) => {
    if (!(await tx.liveness.moveTold(id, toldUpTo, last))) return;
    const now = deps.clock.now();
    await tx.mails.insertMany(
      concerned.map(({ accountId, excused }) =>
        newMail(
          accountId,
          { kind: 'blindness', parameters: { from, until, excused } },
          deps.random.uuid(),
          now,
        ),
      ),
    );
  });
  return true;
}
