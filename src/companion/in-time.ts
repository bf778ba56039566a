/** Waits for disks and others, and not for ever. */
import type { Timing } from './send/attempts.ts';

export const LATE = Symbol('late');

/** On a busy machine we may run so seldom that answers are there and we have not seen them. Each part lets us see more. */
const PARTS_OF_TIME = 20;

/** Calls back when the time is over. The result calls it off. */
export function whenOver(ms: number, timing: Timing, callback: () => void): () => void {
  let cancel = (): void => undefined;
  const wait = (parts: number): void => {
    if (parts === 0) callback();
    else cancel = timing.after(ms / PARTS_OF_TIME, () => wait(parts - 1));
  };
  wait(PARTS_OF_TIME);
  return () => cancel();
}

export function inTime<T>(promise: Promise<T>, ms: number, timing: Timing): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const cancel = whenOver(ms, timing, () => resolve(LATE));
    promise.then(resolve, reject).finally(cancel);
  });
}
