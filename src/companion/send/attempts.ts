import type { Machine } from '../machine.ts';
import type { Delivery, Ping, Sender } from '../ping.ts';

/** Pauses between the attempts of a ping that has to be reported soon. */
export const REPORT_PAUSES_MS: readonly number[] = [250, 500, 1000, 2000];

/** Pauses between the attempts of a ping that has time as long as a job runs. */
export function* startPausesMs(): Generator<number> {
  for (let pause = 1000; ; pause = Math.min(60_000, pause * 2)) yield pause;
}

/** The time of a machine, or of a test. */
export interface Timing {
  /** Milliseconds that only go forward. */
  readonly monotonicMs: () => number;
  /** Calls back once, later. The result calls it off. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

/** Some 24 days. Timers of Node that are longer fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time of the machine that this runs on. */
export function realTiming(machine: Pick<Machine, 'monotonicMs'>): Timing {
  return {
    monotonicMs: () => machine.monotonicMs(),
    after: (ms, callback) => {
      const timer = { current: startTimer(ms) };
      return () => clearTimeout(timer.current);

      function startTimer(left: number): NodeJS.Timeout {
        if (left <= LONGEST_TIMER_MS) return setTimeout(callback, left);
        return setTimeout(() => {
          timer.current = startTimer(left - LONGEST_TIMER_MS);
        }, LONGEST_TIMER_MS);
      }
    },
  };
}

export interface Attempts {
  readonly ageMs: () => number | null;
  /** One attempt. */
  readonly attemptMs: number;
  /** All of them. */
  readonly withinMs: number;
  readonly pausesMs: Iterable<number>;
  /** Ends it early. */
  readonly until: AbortSignal;
  readonly timing: Timing;
  /** Told before each pause. */
  readonly onFailure?: (reason: string) => void;
}

/** Tries until the server has answered for good, the time or the pauses are over, or the server asks for more time than there is. */
export async function sendWithin(sender: Sender, ping: Ping, options: Attempts): Promise<Delivery> {
  const { timing, until } = options;
  const end = timing.monotonicMs() + options.withinMs;
  const pauses = options.pausesMs[Symbol.iterator]();
  for (;;) {
    const left = Math.max(0, end - timing.monotonicMs());
    const delivery = await sendOnce(sender, ping, {
      ...options,
      attemptMs: Math.min(options.attemptMs, left),
    });
    if (delivery.kind !== 'failed' || until.aborted) return delivery;
    const next = pauses.next();
    if (next.done === true) return delivery;
    const pause = Math.max(next.value, delivery.retryAfterMs ?? 0);
    if (timing.monotonicMs() + pause >= end) return delivery;
    options.onFailure?.(delivery.reason);
    await sleep(pause, until, timing);
    if (until.aborted) return delivery;
  }
}

export async function sendOnce(
  sender: Sender,
  ping: Ping,
  { ageMs, attemptMs, until, timing }: Pick<Attempts, 'ageMs' | 'attemptMs' | 'until' | 'timing'>,
): Promise<Delivery> {
  const attempt = new AbortController();
  const abort = () => attempt.abort();
  const cancel = timing.after(attemptMs, abort);
  until.addEventListener('abort', abort, { once: true });
  if (until.aborted) abort();
  try {
    return await sender.send(ping, { ageMs: ageMs(), until: attempt.signal });
  } finally {
    cancel();
    until.removeEventListener('abort', abort);
  }
}

/** Ends early, without an error, when the signal is given. */
export function sleep(ms: number, until: AbortSignal, timing: Timing): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      until.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timing.after(ms, done);
    until.addEventListener('abort', done, { once: true });
    if (until.aborted) done();
  });
}
