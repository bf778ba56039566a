/** The job as a process. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { close } from 'node:fs';
import { Socket } from 'node:net';
import type { Job } from '../arguments.ts';
import { limitToRestore } from './open-files.ts';
import { closePipe, makePipes, type Pipe } from './pipes.ts';
import { byShell, controlDescriptor, isKeptByShells, takePipes } from './shell.ts';

export type Ending =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not started'; readonly code: 126 | 127; readonly reason: string };

/** One stream of a job's output. */
export interface OutputSource {
  /**
   * Hands over what the job writes, piece by piece, and waits for each. A piece is good until then. An answer of false closes
   * the stream. Resolves when nothing more can come.
   */
  read(take: (piece: Uint8Array) => Promise<boolean>): Promise<void>;
}

export interface RunningJob {
  /** Null where it could not be started. */
  readonly processId: number | null;
  readonly ended: Promise<Ending>;
  /** Standard output and standard error, where they do not go past us. */
  readonly output: readonly [OutputSource, OutputSource] | null;
  /** To the job alone. */
  kill(signal: NodeJS.Signals): void;
  /** To the job and, where it leads a session, to all processes that have stayed in its group. */
  killAll(signal: NodeJS.Signals): void;
  /** Whether others are left in the session that it led. */
  hasOthers(): boolean;
}

export interface StartedJob extends RunningJob {
  /** When we began to start it, by the clock that never goes back. */
  readonly startedMs: number;
}

export interface JobStart {
  readonly job: Job;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Our own standard output and standard error become those of the job. */
  readonly keepsStreams: boolean;
  readonly leadsSession: boolean;
  readonly passedDescriptors: readonly number[];
}

/** Where the streams of a job go, if not into ours. */
type Streams = readonly ['inherit' | 'ignore' | 'pipe' | number, 'inherit' | 'ignore' | 'pipe' | number];

export async function startJob(start: JobStart): Promise<RunningJob> {
  const { job, environment } = start;
  const words = job.kind === 'program' ? job.words : [environment.SHELL || '/bin/sh', '-c', job.text];
  if (process.platform !== 'linux') return startDirectly(start, words);
  const limit = limitToRestore(process.ppid);
  const needsShell = limit !== null || !start.keepsStreams;
  const started = needsShell && isKeptByShells(environment) ? await startByShell(start, words, limit) : null;
  if (started !== null) return started;
  return (limit === null ? null : await startWithLimit(start, words, limit)) ?? startDirectly(start, words);
}

/** Sets a limit for a program and becomes it. Unlike a shell it leaves all variables alone. It is part of util-linux. */
const PRLIMIT = '/usr/bin/prlimit';

/** Null where the system has not that program. */
async function startWithLimit(
  start: JobStart,
  words: readonly string[],
  limit: string,
): Promise<RunningJob | null> {
  const started = await startDirectly(start, [PRLIMIT, `--nofile=${limit}:`, '--', ...words]);
  return started.processId === null ? null : started;
}

/** Null where a shell cannot do it: a small image may have none. */
async function startByShell(
  start: JobStart,
  words: readonly string[],
  limit: string | null,
): Promise<RunningJob | null> {
  const control = start.keepsStreams ? null : controlDescriptor(start.passedDescriptors);
  if (control === null && !start.keepsStreams) return null;
  const streams: Streams = start.keepsStreams ? ['inherit', 'inherit'] : ['ignore', 'ignore'];
  const child = await spawnWords(
    byShell(words, start.environment, { limit, control }),
    start,
    streams,
    control,
  );
  if ('failure' in child) return null;
  const started = running(child, start);
  if (control === null) return { ...started, output: null };
  const pipes = await takePipes(child, control);
  if (pipes !== null) return { ...started, output: [pipeSource(pipes[0]), pipeSource(pipes[1])] };
  // A signal that came for the job has met the shell.
  if (child.signalCode !== null) return { ...started, output: null };
  child.kill('SIGKILL');
  return null;
}

async function startDirectly(start: JobStart, words: readonly string[]): Promise<RunningJob> {
  const pipes = start.keepsStreams ? null : await makePipes(spawn);
  const ends: Streams = pipes === null ? ['pipe', 'pipe'] : [pipes[0].writable, pipes[1].writable];
  const child = await spawnWords(words, start, start.keepsStreams ? ['inherit', 'inherit'] : ends, null);
  if ('failure' in child) {
    if (pipes !== null) pipes.map(closePipe);
    return notStarted(child.failure, words);
  }
  // The job has its own by now; as long as we have them, too, we would not see that it closes them.
  for (const { writable } of pipes ?? []) close(writable, () => undefined);
  return { ...running(child, start), output: start.keepsStreams ? null : outputOf(child, pipes) };
}

/** With one more connection to the new process, as descriptor `control`. */
async function spawnWords(
  [program = '', ...args]: readonly string[],
  start: JobStart,
  streams: Streams,
  control: number | null,
): Promise<ChildProcess | { readonly failure: unknown }> {
  const stdio: NonNullable<Exclude<SpawnOptions['stdio'], string>> = ['inherit', ...streams];
  const put = (descriptor: number, what: number | 'pipe') => {
    while (stdio.length <= descriptor) stdio.push('ignore');
    stdio[descriptor] = what;
  };
  for (const descriptor of start.passedDescriptors) put(descriptor, descriptor);
  if (control !== null) put(control, 'pipe');
  try {
    const child = spawn(program, args, {
      stdio,
      env: { ...start.environment },
      detached: start.leadsSession,
    });
    return child.pid === undefined ? { failure: await failureOf(child) } : child;
  } catch (failure) {
    // Node throws for some reasons, such as a lack of memory, and tells others later.
    return { failure };
  }
}

function failureOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('error', resolve));
}

function notStarted(error: unknown, words: readonly string[]): RunningJob {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const name = words[0] ?? '';
  const reason =
    code === 'ENOENT'
      ? `${name}: not found`
      : code === 'EACCES'
        ? `${name}: cannot be executed`
        : `${name}: cannot be started (${code ?? error})`;
  return {
    processId: null,
    ended: Promise.resolve({ kind: 'not started', code: code === 'ENOENT' ? 127 : 126, reason }),
    output: null,
    kill: () => undefined,
    killAll: () => undefined,
    hasOthers: () => false,
  };
}

function running(child: ChildProcess, start: JobStart): Omit<RunningJob, 'output'> {
  let isOver = false;
  const ended = new Promise<Ending>((resolve) => {
    child.on('exit', (code, signal) => {
      isOver = true;
      resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal });
    });
  });
  // A signal that could not be sent is reported so; the job is then about to end.
  child.on('error', () => undefined);
  const processId = child.pid ?? null;
  const group = start.leadsSession ? processId : null;
  const kill = (signal: NodeJS.Signals) => {
    if (!isOver) child.kill(signal);
  };
  return {
    processId,
    ended,
    kill,
    killAll: (signal) => {
      if (group === null) kill(signal);
      else signalGroup(group, signal);
    },
    hasOthers: () => group !== null && signalGroup(group, 0),
  };
}

/** False if nobody is left in the group. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

function outputOf(child: ChildProcess, pipes: readonly [Pipe, Pipe] | null): [OutputSource, OutputSource] {
  if (pipes !== null) return [pipeSource(pipes[0].readable), pipeSource(pipes[1].readable)];
  return [socketSource(child.stdout), socketSource(child.stderr)];
}

const PIECE_BYTES = 65_536;

/** Reads into one piece of memory again and again: output may come faster than memory is collected. */
function pipeSource(descriptor: number): OutputSource {
  return {
    read: (take) =>
      new Promise((resolve) => {
        const onread = {
          buffer: Buffer.allocUnsafeSlow(PIECE_BYTES),
          callback: (length: number, piece: Uint8Array) => {
            void take(piece.subarray(0, length)).then((goesOn) => {
              if (goesOn) socket.resume();
              else socket.destroy();
            });
            return false;
          },
        };
        // The types know `onread` of connections alone.
        const options = { fd: descriptor, readable: true, writable: false, onread } as ConstructorParameters<
          typeof Socket
        >[0];
        const socket = new Socket(options);
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        socket.resume();
      }),
  };
}

function socketSource(stream: NodeJS.ReadableStream | null): OutputSource {
  return {
    read: async (take) => {
      if (stream === null) return;
      try {
        // Leaving the loop destroys the stream.
        for await (const piece of stream) {
          if (!(await take(typeof piece === 'string' ? Buffer.from(piece) : piece))) return;
        }
      } catch {
        // The other end is gone.
      }
    },
  };
}
