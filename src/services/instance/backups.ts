import { newMail } from '../../domain/alert/mail.ts';
import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';

/** The name of the work in `jobs`. */
const JOB = 'backup';
/** The keys in `instance`. */
const LAST_AT = 'last_backup_at';
const FAILED_SINCE = 'backup_failing_since_at';
/** A node that makes a backup extends its claim by this. If it dies, another one takes over after it. */
const LEASE_SPAN = seconds(120);
export const LEASE_EXTENDED_EVERY_MS = 30_000;
const AFTER_FAILURE = seconds(3600);

export interface BackupMaker {
  /** Makes a backup and verifies it, in a thread of its own. Gives up when the node stops. */
  make(stopping: AbortSignal): Promise<void>;
}

/** Facts of the node that makes a backup. */
export interface BackupRun {
  /** Aborted when the node stops. */
  readonly stopping: AbortSignal;
  /** Repeats the call until it is disposed. */
  extending(extend: () => Promise<void>): Disposable;
}

/**
 * Makes a backup if one is due, on one node of all. While it is made, which may take long, the claim is extended. A node that
 * stops leaves the backup to the next one at once. Administrators are told of the first of several failures.
 */
export async function makeDueBackup(
  deps: Pick<Deps, 'store' | 'clock' | 'random'>,
  maker: BackupMaker,
  every: Micros,
  run: BackupRun,
): Promise<boolean> {
  const { store, clock } = deps;
  const now = clock.now();
  const latest = now + Math.max(every, AFTER_FAILURE) + TOLERATED_AHEAD;
  const dueAt = await store.jobs.dueAt(JOB);
  if (dueAt !== null && dueAt > now && dueAt <= latest) return false;
  if (!(await store.transaction((tx) => tx.jobs.claim(JOB, now, now + LEASE_SPAN, latest)))) return false;
  const postpone = (at: Instant) => store.transaction((tx) => tx.jobs.postpone(JOB, at));
  try {
    using _extension = run.extending(() => postpone(clock.now() + LEASE_SPAN));
    await maker.make(run.stopping);
  } catch (error) {
    if (run.stopping.aborted) {
      await postpone(clock.now());
      return false;
    }
    await noteFailure(deps, error instanceof Error ? error.message : String(error));
    throw error;
  }
  await store.transaction(async (tx) => {
    await tx.instance.set(LAST_AT, String(clock.now()));
    await tx.instance.delete(FAILED_SINCE);
    await tx.jobs.postpone(JOB, now + every);
  });
  return false;
}

async function noteFailure(
  { store, clock, random }: Pick<Deps, 'store' | 'clock' | 'random'>,
  error: string,
): Promise<void> {
  const now = clock.now();
  await store.transaction(async (tx) => {
    await tx.jobs.postpone(JOB, now + AFTER_FAILURE);
    if ((await tx.instance.get(FAILED_SINCE)) !== null) return;
    await tx.instance.set(FAILED_SINCE, String(now));
    const subject = { kind: 'backup_failed', parameters: { error } } as const;
    const administrators = await tx.accounts.lockAdmins();
    await tx.mails.insertMany(administrators.map((id) => newMail(id, subject, random.uuid(), now)));
  });
}

/** The time since the last backup. Null if there was none. */
export async function backupAge({
  store,
  clock,
}: Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> }): Promise<Micros | null> {
  const at = await store.instance.get(LAST_AT);
  return at === null ? null : Math.max(0, clock.now() - Number(at));
}
