/**
 * Commands in a process that can be killed. A Node that cannot replace itself cannot end while a file or a name look-up hangs. There
 * another process has files and network, and this one waits for it.
 */
import { spawn } from 'node:child_process';
import { ENDING_SIGNALS } from './commands/ending.ts';
import { type Leaving, leave } from './leave.ts';
import type { Machine } from './machine.ts';

/** Runs a command there, and ends as it ends. False where this process can do it itself, or has to. */
export async function runInChild(
  name: string,
  argv: readonly string[],
  { secondProcess, leaveToParent }: Machine,
): Promise<boolean> {
  if (process.execve !== undefined || leaveToParent !== null) return false;
  const child = spawn(process.execPath, [secondProcess, name, ...argv], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ENDING_SIGNALS) process.on(signal, () => child.kill(signal));
  const leaving = await new Promise<Leaving | null>((resolve) => {
    child.on('error', () => resolve(null));
    // Our own program is at the other end.
    child.on('message', (told) => resolve(told as Leaving));
    child.on('exit', (status, signal) => {
      resolve(signal === null ? { kind: 'exit', code: status ?? 0 } : { kind: 'signal', signal });
    });
  });
  if (leaving === null) return false;
  child.kill('SIGKILL');
  leave(leaving, false);
  return true;
}
