import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/**
 * The longest wait of a test for one thing. It is the limit of everything that waits in tests. Working code does not
 * reach it on the busiest machine: a longer wait is for something that never comes.
 */
export const HANG_MS = 300_000;
/** The longest time of a whole test. It may wait for many things, and the one that hangs is to be named first. */
export const TEST_HANG_MS = 6 * HANG_MS;

/** Asks again until the answer is yes; for what other processes do in their own time. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${what}`);
    await sleep(20);
  }
}

/** Asks again until this is the answer. Otherwise fails with the last one, as an assertion does. */
export async function becomes<T>(ask: () => T | Promise<T>, expected: T): Promise<void> {
  let last = await ask();
  const isSo = async () => {
    if (!isDeepStrictEqual(last, expected)) last = await ask();
    return isDeepStrictEqual(last, expected);
  };
  await until('the answer is so', isSo).catch(() => assert.deepEqual(last, expected));
}

/** Rejects the promise with this message if it hangs. */
export async function within<T>(promise: Promise<T>, message: () => string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message())), HANG_MS);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
