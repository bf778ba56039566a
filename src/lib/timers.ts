import { setTimeout as delay } from 'node:timers/promises';

/** Passes the time of a rest; ends early, without failing, when the signal is aborted. */
export type Rest = (ms: number, signal: AbortSignal) => Promise<void>;

/** How time is waited for. */
export interface Timers {
  /** Does not keep the process from ending. */
  readonly rest: Rest;
  /** Calls back after so many milliseconds, unless it is cancelled by what it returns. */
  readonly callAfter: (ms: number, callback: () => void) => () => void;
}

export const systemTimers: Timers = {
  rest: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
  callAfter(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
