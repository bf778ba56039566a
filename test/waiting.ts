import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const PATIENCE_MS = 15_000;

/** Asks again until the answer is yes; for what other processes do in their own time. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
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
