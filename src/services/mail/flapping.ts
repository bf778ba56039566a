import { newMail } from '../../domain/alert/mail.ts';
import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import type { MailPreferences } from '../../domain/people/account.ts';
import { seconds } from '../../lib/instant.ts';
import type { FlappingQuery } from '../../storage/store.ts';
import type { FlappingNotice } from '../../wire/mail/flapping-mail.ts';
import type { Deps } from '../core/deps.ts';
import { ofProgram, valueRead } from '../core/reads.ts';

/** A check with more flips than this within the span is flapping. */
const MAX_FLIPS = 200;
const SPAN = seconds(86_400);
/** People are told about one check at most once in this time. */
const TOLD_EVERY = seconds(86_400);

const JOB = 'flapping';
const EVERY = seconds(3600);
/** A date later than this comes from a clock that was wrong. Other nodes' clocks may be a little ahead. */
const MAX_WAIT = EVERY + TOLERATED_AHEAD;
/** One node leases the job for this long. If it dies, another node takes over after that. */
const LEASE_SPAN = seconds(300);
const MAX_AT_ONCE = 100;

export const flapping = valueRead(ofProgram, ({ store }: Pick<Deps, 'store'>, query: FlappingQuery) =>
  store.flips.flapping(query),
);

/**
 * Runs once an hour on one node. Queues a notice about each flapping check to the owner and the members. Returns
 * whether there may be more.
 */
export async function queueFlappingNotices(deps: Deps): Promise<boolean> {
  const now = deps.clock.now();
  const dueAt = await deps.store.jobs.dueAt(JOB);
  if (dueAt !== null && dueAt > now && dueAt <= now + MAX_WAIT) return false;
  const isOurs = await deps.store.transaction((tx) =>
    tx.jobs.claim(JOB, now, now + LEASE_SPAN, now + MAX_WAIT),
  );
  if (!isOurs) return false;
  const query = {
    since: now - SPAN,
    until: now,
    moreThan: MAX_FLIPS,
    notToldSince: now - TOLD_EVERY,
    limit: MAX_AT_ONCE,
  };
  // Outside of the transaction, because this reads all flips of a day.
  const { head: found } = await deps.reads.ask(flapping, query);
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

export interface FlappingData extends Omit<FlappingNotice, 'site'> {
  readonly kind: 'flapping';
}

/** Returns null when the check is deleted, or when the account has no access to it any more. */
export async function readFlapping(
  { store }: Pick<Deps, 'store'>,
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
