import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { stopWithParent } from '../bin/stop-with-parent.js';

export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it, or that it was asked to end with. */
  readonly signal: NodeJS.Signals | null;
}

/** Runs Node in the root of the checkout. It is interrupted with this process, and when this one's parent ends. */
export function runNode(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd: dirname(import.meta.dirname), stdio: 'inherit' });
  let interruption: NodeJS.Signals | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Once: a terminal sends Ctrl-C to npm, which passes it on, and to this process and the child as well.
      if (interruption !== null) return;
      interruption = signal;
      // At a hangup Node's test runner and its watcher would leave their processes behind; for these two they wind up.
      child.kill(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    });
  }
  stopWithParent();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal: signal ?? interruption }));
  });
}
