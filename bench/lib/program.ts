import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A server in a process of its own, which ends with the benchmark. */
export interface Program extends AsyncDisposable {
  readonly port: number;
  /** Resident memory in megabytes. */
  memory(): Promise<number>;
  /** Seconds of processor time so far; null where the system does not tell precisely. */
  processorSeconds(): Promise<number | null>;
}

const CLOCK_TICKS_PER_SECOND = 100;

/** Runs a program that says where it listens. */
export async function startProgram(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Program> {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid = 0 } = child;
  const port = await listeningPort(child);
  return {
    port,
    memory: () => memoryOf(pid),
    processorSeconds: () => processorSecondsOf(pid),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function listeningPort(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    const port = /^Listens +\S+:(\d+)\b/m.exec(said)?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  child.once('error', reject);
  child.once('exit', () => reject(new Error(`the program ended before it listened:\n${said}`)));
  return promise;
}

async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: user and system time, in clock ticks. */
async function processorSecondsOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}
