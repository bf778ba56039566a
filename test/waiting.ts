import { setTimeout as sleep } from 'node:timers/promises';

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
