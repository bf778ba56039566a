import type { MailPreferences } from '../domain/account.ts';
import { newMail } from '../domain/mail.ts';
import { TOLERATED_AHEAD } from '../domain/status.ts';
import { seconds } from '../lib/instant.ts';
import type { Deps } from './deps.ts';

/** More changes than this within the span are no coincidence. */
const MAX_FLIPS = 200;
const SPAN = seconds(86_400);
/** Of one check people are told once in so long. */
const TOLD_EVERY = seconds(86_400);

const JOB = 'flapping';
const EVERY = seconds(3600);
/** Another node may have dated it by a clock that is a little ahead. */
const MAX_WAIT = EVERY + TOLERATED_AHEAD;
/** For how long the job is one node's; whoever dies over it is followed by another then. */
const LEASE_SPAN = seconds(300);
const MAX_AT_ONCE = 100;

/**
 * Once in an hour, by one node: queues a notice to owner and members of each check that changes its status all the
 * time. Says whether there may be more.
 */
export async function queueFlappingNotices(deps: Deps): Promise<boolean> {
  const now = deps.clock.now();
  const dueAt = await deps.store.jobs.dueAt(JOB);
  if (dueAt !== null && dueAt > now && dueAt <= now + MAX_WAIT) return false;
  const isOurs = await deps.store.transaction((tx) =>
    tx.jobs.claim(JOB, now, now + LEASE_SPAN, now + MAX_WAIT),
  );
  if (!isOurs) return false;
  // Outside of the transaction: all changes of a day are looked through.
  const found = await deps.store.flips.flapping({
    since: now - SPAN,
    until: now,
    moreThan: MAX_FLIPS,
    notToldSince: now - TOLD_EVERY,
    limit: MAX_AT_ONCE,
  });
  const hasMore = found.length === MAX_AT_ONCE;
  const flipsOf = new Map(found.map(({ checkId, flips }) => [checkId, flips]));
  await deps.store.transaction(async (tx) => {
    const ours = await tx.flips.noteFlapping([...flipsOf.keys()], now, now - TOLD_EVERY);
    const readers = await tx.mailPreferences.readersOf(ours);
    await tx.mails.insertMany(
      readers.map(({ accountId, checkId }) => {
        const parameters = { checkId, flips: flipsOf.get(checkId) ?? 0 };
        return newMail(accountId, { kind: 'flapping', parameters }, deps.random.uuid(), now);
      }),
    );
    await tx.jobs.postpone(JOB, hasMore ? now : now + EVERY);
  });
  return hasMore;
}

export interface FlappingData {
  readonly kind: 'flapping';
  readonly check: { readonly name: string; readonly uniqueKey: string };
  readonly project: { readonly name: string };
  readonly flips: number;
}

/** Null where the check is gone, or is no business of the account any more. */
export async function readFlapping(
  { store }: Deps,
  { accountId }: MailPreferences,
  { checkId, flips }: { readonly checkId: number; readonly flips: number },
): Promise<FlappingData | null> {
  const check = await store.checks.byId(checkId);
  const projects = await store.projects.accessibleTo(accountId);
  const project = projects.find(({ id }) => id === check?.projectId);
  if (check === null || project === undefined) return null;
  return {
    kind: 'flapping',
    check: { name: check.name, uniqueKey: check.uniqueKey },
    project: { name: project.name },
    flips,
  };
}
