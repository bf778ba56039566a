import { setTimeout as delay } from 'node:timers/promises';

/** Passes the time of a rest; ends early, without failing, when the signal is aborted. */
export type Rest = (ms: number, signal: AbortSignal) => Promise<void>;

export interface Timers {
  /** Does not keep the process from ending. */
  readonly rest: Rest;
  /** Calls back after so many milliseconds. The returned function cancels it. */
  readonly callAfter: (ms: number, callback: () => void) => () => void;
}

/** Waits, and keeps the process from ending meanwhile. Ends early, without failing, when the signal is aborted. */
export async function pause(
  timers: Pick<Timers, 'callAfter'>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timers.callAfter(ms, resolve);
  const end = () => resolve();
  signal?.addEventListener('abort', end);
  await promise;
  signal?.removeEventListener('abort', end);
  cancel();
}

/** Calls back each time that so many milliseconds have passed, until it is disposed of. */
export function callEvery(timers: Pick<Timers, 'callAfter'>, ms: number, callback: () => void): Disposable {
  const next = () => {
    callback();
    cancel = timers.callAfter(ms, next);
  };
  let cancel = timers.callAfter(ms, next);
  return { [Symbol.dispose]: () => cancel() };
}

export const systemTimers: Timers = {
  rest: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
  callAfter(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
