import { AppError } from '../domain/errors.ts';
import { ConcurrencyLimit } from '../lib/concurrency-limit.ts';
import * as passwords from '../lib/password.ts';
import type { Random } from '../lib/random.ts';

/**
 * A hash takes a thread of the pool that Node also uses for files and names of hosts. The pool has four threads, and two
 * stay free for that. Each hash takes some 20 MB of memory.
 */
export const PASSWORD_LIMITS = { maxConcurrentHashes: 2, maxQueuedHashes: 100 };
const RETRY_AFTER_SECONDS = 1;

/** One for the process, as the pool is. */
const limit = new ConcurrencyLimit(
  { maxConcurrent: PASSWORD_LIMITS.maxConcurrentHashes, maxQueued: PASSWORD_LIMITS.maxQueuedHashes },
  () => new AppError('overloaded', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
);

/** The password as a PHC string. Throws `overloaded` when too many wait. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  return limit.run(() => passwords.hashPassword(password, random));
}

/** Whether the PHC string was made of this password. Throws `overloaded` when too many wait. */
export async function isPassword(password: string, phc: string): Promise<boolean> {
  return limit.run(() => passwords.isPassword(password, phc));
}
