import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { parentPort, type Worker } from 'node:worker_threads';
import { SupervisedThread, startThread } from './supervised-thread.ts';
import type { SystemUser } from './system-user.ts';
import { givenToThread } from './thread-task.ts';

/** A command for the system's shell, and variables in its environment. */
export interface ShellCommand {
  readonly command: string;
  readonly variables: Readonly<Record<string, string>>;
}

export type ShellResult = { readonly exitCode: number } | { readonly error: string };

export const SHELL_TIMEOUT_MS = 30_000;
/** Commands that run at the same time. Others wait, so that many alerts do not take the whole machine. */
export const MAX_SHELL_COMMANDS = 8;

/** The environment of the service has its secrets. Commands get a small one, as cron gives to its jobs. */
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
};

export interface ShellOptions {
  readonly timeoutMs?: number;
  /** The user that runs commands. Null: the user of the service, who can read everything that the service can read. */
  readonly user?: SystemUser | null;
}

/** Tells the thread to end all commands, and itself. */
const END_ALL = 'end all';

interface Request extends ShellCommand {
  readonly id: number;
}

type Reply =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly result: ShellResult };

interface Running {
  readonly resolve: (result: ShellResult) => void;
  /** Null until it has started. */
  pid: number | null;
}

/**
 * Runs commands from a thread of its own: to start a process may take milliseconds. The thread starts with the first
 * command. A command that takes too long is ended together with the processes that it has started.
 */
export class ShellThread implements AsyncDisposable {
  readonly #thread: SupervisedThread<Reply>;
  readonly #running = new Map<number, Running>();
  readonly #waiting: (() => void)[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor({ timeoutMs = SHELL_TIMEOUT_MS, user = null }: ShellOptions = {}) {
    this.#thread = new SupervisedThread<Reply>(
      'runs commands',
      () => startShellThread({ timeoutMs, user }),
      (reply) => this.#note(reply),
      () => this.#endAll(),
    );
  }

  async run(command: ShellCommand): Promise<ShellResult> {
    while (this.#running.size >= MAX_SHELL_COMMANDS && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await this.#start(command);
    } finally {
      this.#waiting.shift()?.();
    }
  }

  async #start({ command, variables }: ShellCommand): Promise<ShellResult> {
    if (this.#isClosed) return ENDED;
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<ShellResult>();
    this.#running.set(id, { resolve, pid: null });
    this.#thread.post({ id, command, variables } satisfies Request);
    return promise;
  }

  #note(reply: Reply): void {
    const running = this.#running.get(reply.id);
    if (running === undefined) return;
    if ('pid' in reply) running.pid = reply.pid;
    else {
      this.#running.delete(reply.id);
      running.resolve(reply.result);
    }
  }

  #endAll(): void {
    for (const { resolve, pid } of this.#running.values()) {
      if (pid !== null) endGroup(pid);
      resolve(ENDED);
    }
    this.#running.clear();
  }

  /** Ends the commands that are running. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread.release();
    if (thread === null) return;
    const exit = once(thread, 'exit');
    // Only the thread knows of all commands that it has started.
    thread.postMessage(END_ALL);
    await exit;
  }
}

const ENDED: ShellResult = { error: 'Command was ended' };

function startShellThread(shellOptions: Required<ShellOptions>): Worker {
  return startThread('shell-thread', import.meta.url, { workerData: { shellOptions }, env: {} });
}

const shellOptions = givenToThread<Required<ShellOptions>>('shellOptions');
if (parentPort !== null && shellOptions !== null) {
  const port = parentPort;
  const pids = new Map<number, number>();
  port.on('message', async (message: Request | typeof END_ALL) => {
    if (message === END_ALL) {
      for (const pid of pids.values()) endGroup(pid);
      port.close();
      return;
    }
    const { id, ...command } = message;
    const started = (pid: number) => {
      pids.set(id, pid);
      port.postMessage({ id, pid } satisfies Reply);
    };
    const result = await runCommand(command, shellOptions, started);
    pids.delete(id);
    port.postMessage({ id, result } satisfies Reply);
  });
}

function runCommand(
  { command, variables }: ShellCommand,
  { timeoutMs, user }: Required<ShellOptions>,
  started: (pid: number) => void,
): Promise<ShellResult> {
  const { promise, resolve } = Promise.withResolvers<ShellResult>();
  // Detached, it leads a group of processes, which can be ended as a whole.
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...ENVIRONMENT, HOME: user?.home ?? homedir(), ...variables },
    // Another user may not be able to read the folder of the service.
    ...(user !== null && { uid: user.uid, gid: user.gid, cwd: '/' }),
    stdio: 'ignore',
    detached: true,
  });
  if (child.pid !== undefined) started(child.pid);
  const timer = setTimeout(() => {
    if (child.pid !== undefined) endGroup(child.pid);
    resolve({ error: 'Command timed out' });
  }, timeoutMs);
  const end = (result: ShellResult) => {
    clearTimeout(timer);
    resolve(result);
  };
  child.on('error', () => end({ error: 'Command could not be started' }));
  child.on('exit', (code, signal) =>
    end(code === null ? { error: `Command was ended by ${signal}` } : { exitCode: code }),
  );
  return promise;
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
