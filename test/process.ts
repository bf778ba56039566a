import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { within } from './waiting.ts';

export const REPOSITORY = dirname(import.meta.dirname);

const CLI = join(REPOSITORY, 'src/cli/index.ts');

export interface Exit {
  /** Null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs beside the test, and is stopped with it. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  /** The first match in what was written to either stream, as soon as there is one. */
  output(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  exit(): Promise<Exit>;
}

/** Processes of tests share the compiled code of the tests, like those of `npm start`. */
export const COMPILED: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

export interface ProcessOptions {
  /** The working folder. */
  readonly cwd: string;
  /** All that the program gets of an environment, beside PATH and where Node keeps what it has compiled. */
  readonly env?: Readonly<Record<string, string>>;
  /** Shell commands that come first and hold for the program, such as `umask 0`. */
  readonly prelude?: string;
  /** Whether the program runs on a terminal, as people start it. Then both streams are one. */
  readonly hasTerminal?: boolean;
}

/** Runs a command on a terminal of its own, whose lines end as those of files do. */
const ON_TERMINAL: readonly string[] = ['-qfec', 'stty -onlcr && eval "exec $COMMAND"', '/dev/null'];

/** Why a test cannot run where there is no program that makes terminals. */
export const withoutTerminals = unless(['script', '--version'], 'there is no script(1) of util-linux');

/**
 * A prelude that lets no file grow beyond a size: a write beyond it fails, as on a full disk. It needs no rights, and
 * binds root as well.
 */
export function limitFileSize(bytes: number): string {
  // POSIX counts blocks.
  return `ulimit -f ${Math.ceil(bytes / 512)}`;
}

export function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): RunningProcess {
  const alone = [command, ...args];
  const prepared =
    options.prelude === undefined ? alone : ['sh', '-c', `${options.prelude} && exec "$@"`, 'sh', ...alone];
  const [program = '', ...programArgs] = options.hasTerminal ? ['script', ...ON_TERMINAL] : prepared;
  const child = spawn(program, programArgs, {
    cwd: options.cwd,
    env: {
      PATH: process.env.PATH,
      // npm knows where its programs keep it.
      ...(command === process.execPath && COMPILED),
      ...(options.hasTerminal && { COMMAND: prepared.map(quoted).join(' ') }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    notify();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    notify();
  });
  const ended = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    // `close` and not `exit`: only then the streams have been read to their ends.
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const said = () => `It said:\n${stdout}${stderr}`;
  // Not everybody who starts a process waits for its end.
  ended.catch(() => undefined).then(notify);

  return {
    // A process that could not be started has none; waiting for its output fails with the reason.
    pid: child.pid ?? 0,
    output(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = () => {
        const match = pattern.exec(stdout) ?? pattern.exec(stderr);
        if (match !== null) resolve(match);
        else if (child.exitCode !== null || child.signalCode !== null) {
          ended.then(() => reject(new Error(`The program ended without ${pattern}. ${said()}`)), reject);
        }
      };
      watchers.add(look);
      look();
      return within(promise, () => `Waited in vain for ${pattern}. ${said()}`).finally(() =>
        watchers.delete(look),
      );
    },
    signal: (name) => void child.kill(name),
    exit: () => within(ended, () => `The program does not end. ${said()}`),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      // A program that has stopped to listen to SIGTERM gets a second to end by itself.
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 1_000);
      await ended.catch(() => undefined);
      clearTimeout(timer);
    },
  };
}

/** As one word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Starts Tocsin as `npm start` does; without other settings it listens on any free port. */
export function startCli(args: readonly string[], options: ProcessOptions): RunningProcess {
  return startProcess(process.execPath, [CLI, ...args], {
    ...options,
    env: { HOST: '127.0.0.1', PORT: '0', ...options.env },
  });
}

/** Runs a command of Tocsin to its end. */
export async function runCli(args: readonly string[], options: ProcessOptions): Promise<Exit> {
  await using cli = startCli(args, options);
  return await cli.exit();
}

/** The address of a started service. */
export async function listening(service: RunningProcess): Promise<string> {
  const [, port] = await service.output(/^Listens +\S+:(\d+)\b/m);
  return `http://localhost:${port}`;
}

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Why a test cannot run, if this command fails: the program is not on this machine. */
export function unless(command: readonly [string, ...string[]], reason: string): string | false {
  const [program, ...args] = command;
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return false;
  } catch {
    return reason;
  }
}
