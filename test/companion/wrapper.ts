/** Runs the real `tocsin run` of this checkout against a server on the loopback. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Answering,
  type RecordingServer,
  startRecordingServer,
} from '../../src/companion/recording-server.test-support.ts';
import { until, within } from '../waiting.ts';

export const PROGRAM = fileURLToPath(new URL('../../bin/sources.js', import.meta.url));
/** What runs the program: Node and its arguments. */
export type Words = readonly string[];
export const SOURCES: Words = [process.execPath, PROGRAM];
export const PING_KEY = 'ping-key-of-tests';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A program under way. */
export class Program {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];

  constructor(child: ChildProcess) {
    this.process = child;
    child.stdout?.on('data', (chunk: Buffer) => this.#stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    this.ended = within(this.#end(), () => `it hangs, and has written: ${this.stdout}${this.stderr}`);
  }

  get stdout(): string {
    return Buffer.concat(this.#stdout).toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString();
  }

  async #end(): Promise<Ended> {
    const [code, signal] = await once(this.process, 'close');
    return { code, signal, stdout: Buffer.concat(this.#stdout), stderr: this.stderr };
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  async says(text: string): Promise<void> {
    await until(`it says ${text}`, () => `${this.stdout}${this.stderr}`.includes(text));
  }
}

export interface Place extends AsyncDisposable {
  readonly server: RecordingServer;
  /** A folder of its own. */
  readonly folder: string;
  readonly environment: Record<string, string>;
  /** The paths of the pings behind the check, without their parameters. */
  pings(): string[];
  /** Starts `tocsin run` with these arguments. */
  start(args: readonly string[], more?: Starting): Program;
  run(args: readonly string[], more?: Starting): Promise<Ended>;
}

export interface Starting {
  readonly environment?: Record<string, string>;
  readonly stdio?: ('ignore' | 'pipe' | number)[];
  /** In place of what usually runs the program. */
  readonly node?: Words;
  readonly detached?: boolean;
}

/** A server, a folder, and an environment in which the check `job` is named. */
export async function place(answer?: Answering, words: Words = SOURCES): Promise<Place> {
  const server = await startRecordingServer(answer);
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-run-'));
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TOCSIN_ENDPOINT: server.endpoint,
    TOCSIN_PING_KEY: PING_KEY,
    TOCSIN_SLUG: 'job',
    TOCSIN_SPOOL: join(folder, 'spool'),
  };
  const start = (args: readonly string[], more: Starting = {}) => {
    const [node = process.execPath, ...flags] = more.node ?? words;
    return new Program(
      spawn(node, [...flags, 'run', ...args], {
        env: { ...environment, ...more.environment },
        stdio: more.stdio ?? ['ignore', 'pipe', 'pipe'],
        cwd: folder,
        detached: more.detached ?? false,
      }),
    );
  };
  return {
    server,
    folder,
    environment,
    pings: () =>
      server.received.map(({ path }) => path.replace(`/ping/${PING_KEY}/job`, '').replace(/\?.*/, '')),
    start,
    run: (args, more) => start(args, more).ended,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A name that no other test uses. */
export const freshName = (): string => `t${randomUUID()}`;

/** Writes the last text to descriptor 3. */
export function endInput({ process: child }: Program, text: string): void {
  const input = child.stdio[3];
  if (input === null || input === undefined || !('write' in input))
    throw new Error('there is no descriptor 3');
  input.end(text);
}

/** Why a test cannot run where no program shows the calls of another. */
export function cannotTrace(): string | false {
  try {
    execFileSync('strace', ['-qq', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'there is no strace';
  }
}
