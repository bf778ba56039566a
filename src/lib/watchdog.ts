import { once } from 'node:events';
import { url } from 'node:inspector';
import { setInterval } from 'node:timers';
import { startThread } from './supervised-thread.ts';

/** The exit code of a process that its watchdog has ended: an internal fault, as in sysexits(3). */
export const STALLED = 70;

/** How often threads turn and the watchdog looks, and after how many looks without a turn it ends the process. */
export interface WatchdogPace {
  readonly everyMs: number;
  readonly maxLooks: number;
  /**
   * The wait for the stack. A thread that runs JavaScript shows it at once, or soon where the machine is busy. One that waits for the
   * kernel or for SQLite never does.
   */
  readonly stackPatienceMs: number;
}

/** After a minute. Nothing that the program does takes a thread so long. */
export const PACE: WatchdogPace = { everyMs: 1_000, maxLooks: 60, stackPatienceMs: 5_000 };

/** The threads that must turn. Each has a counter of its turns. */
export type WatchedThread = 'main' | 'writer';
const THREADS: readonly WatchedThread[] = ['main', 'writer'];

export interface WatchdogData {
  readonly watchdog: WatchdogPace;
  readonly turns: SharedArrayBuffer;
  readonly threads: readonly WatchedThread[];
}

/** Memory for the counters, which all threads share. */
export function newTurns(): SharedArrayBuffer {
  return new SharedArrayBuffer(THREADS.length * Int32Array.BYTES_PER_ELEMENT);
}

export function turnsOf(turns: SharedArrayBuffer, thread: WatchedThread): number {
  return Atomics.load(new Int32Array(turns), THREADS.indexOf(thread));
}

/** Counts the turns of the thread that calls it. The process and its threads may end meanwhile. */
export function countTurns(
  turns: SharedArrayBuffer,
  thread: WatchedThread,
  { everyMs }: WatchdogPace = PACE,
): NodeJS.Timeout {
  const counters = new Int32Array(turns);
  return setInterval(() => Atomics.add(counters, THREADS.indexOf(thread), 1), everyMs).unref();
}

/**
 * Starts a thread that ends the process, with `STALLED` and a stack, when one of the threads hangs. Whoever supervises the process
 * starts it again. The caller's thread is `main`; the others have to count their turns themselves.
 */
export function startWatchdog(
  turns: SharedArrayBuffer,
  threads: readonly WatchedThread[],
  pace: WatchdogPace = PACE,
): AsyncDisposable {
  const counting = countTurns(turns, 'main', pace);
  // Whoever debugs the process stops its threads on purpose.
  const isDebugged = url() !== undefined;
  const worker = isDebugged
    ? null
    : startThread('watchdog-thread', import.meta.url, {
        workerData: { watchdog: pace, turns, threads } satisfies WatchdogData,
        resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 },
      });
  worker?.unref();
  // The service goes on without a watchdog.
  worker?.on('error', () => undefined);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(counting);
      if (worker === null || worker.threadId === -1) return;
      const exited = once(worker, 'exit');
      await worker.terminate();
      await exited;
    },
  };
}
