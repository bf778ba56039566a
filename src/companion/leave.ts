/** Ends this process as a job has ended. */
import { constants } from 'node:os';

export type Leaving =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

/** The end by one of these leaves a core file, which would be ours and not the job's. */
const WITH_CORE_FILE: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGSYS',
]);

/** The status that shells give to an end by a signal. */
export const statusOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** `isStuck` if a file or a name look-up may hang: then Node itself could not end, and a parent that waits for us is asked to. */
export function leave(
  leaving: Leaving,
  isStuck: boolean,
  leaveToParent: ((leaving: Leaving) => void) | null = null,
): void {
  if (isStuck && leaveToParent !== null) {
    leaveToParent(leaving);
    return;
  }
  if (leaving.kind === 'exit') {
    exit(leaving.code, isStuck);
    return;
  }
  const { signal } = leaving;
  const status = statusOfSignal(signal);
  if (WITH_CORE_FILE.has(signal)) {
    exit(status, isStuck);
    return;
  }
  if (signal !== 'SIGKILL' && signal !== 'SIGSTOP') {
    // Node ignores some signals. One that it has listened to has its usual effect afterwards.
    process.on(signal, () => undefined);
    process.removeAllListeners(signal);
  }
  process.kill(process.pid, signal);
  // Reached only where the signal does not end us.
  setTimeout(() => exit(status, isStuck), 100);
}

function exit(code: number, isStuck: boolean): void {
  if (isStuck && process.execve !== undefined) {
    // Some versions warn that this is experimental.
    process.emitWarning = () => undefined;
    try {
      process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {});
    } catch {
      process.execve(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {});
    }
  }
  process.exit(code);
}
