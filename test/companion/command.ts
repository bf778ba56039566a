/** Runs commands of the companion as people do, with a folder of their own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf, pingOf, targetOf } from '../../src/companion/ping.test-support.ts';
import type { Signal } from '../../src/companion/ping.ts';
import { realTiming } from '../../src/companion/send/attempts.ts';
import { openSpool } from '../../src/companion/spool/spool.ts';
import { Program, SOURCES, type Words } from './wrapper.ts';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

/** A user's folders, and the variables that name a check. */
export class Home implements AsyncDisposable {
  readonly folder: string;
  readonly spool: string;
  readonly env: Record<string, string>;

  readonly #words: Words;

  private constructor(folder: string, endpoint: string, words: Words) {
    this.folder = folder;
    this.#words = words;
    this.spool = join(folder, 'spool');
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TOCSIN_SPOOL: this.spool,
      TOCSIN_ENDPOINT: endpoint,
      TOCSIN_PING_KEY: 'the-ping-key',
      TOCSIN_CONFIG: join(folder, 'none.json'),
    };
  }

  static async make(endpoint: string, words: Words = SOURCES): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), 'companion-')), endpoint, words);
  }

  /** With an empty environment but for the variables of here and these. */
  start(args: readonly string[], more: Readonly<Record<string, string>> = {}, input = ''): Started {
    const [node = process.execPath, ...flags] = this.#words;
    const child = spawn(node, [...flags, ...args], {
      env: { ...this.env, ...more },
      stdio: 'pipe',
      // A group of its own, which can be killed with all that belongs to it.
      detached: true,
    });
    // A program that does not read its input may have ended before.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const { ended } = new Program(child);
    return {
      child,
      ended: ended.then(({ code, signal, stdout, stderr }) => ({
        code,
        signal,
        out: stdout.toString(),
        err: stderr,
      })),
    };
  }

  async run(args: readonly string[], more: Readonly<Record<string, string>> = {}, input = ''): Promise<Ran> {
    return await this.start(args, more, input).ended;
  }

  /** Pings of some seconds ago wait for a server that has been asked before. */
  async keep(
    endpoint: string,
    pings: readonly (readonly [slug: string, signal: Signal])[],
    body = '',
  ): Promise<void> {
    const now = () => ({ wallMs: Date.now(), bootId: null, sinceBootMs: null });
    const machine = { moment: now, userId: process.getuid?.() ?? null, randomUuid: randomUUID };
    const spool = openSpool({
      path: this.spool,
      machine,
      timing: realTiming({ monotonicMs: () => performance.now() }),
      ownId: process.pid,
      maxAgeMs: 86_400_000,
      lateAsFreshMs: 0,
      attemptMs: 1000,
      onLoss: assert.fail,
      onDetail: () => undefined,
    });
    await spool.remember(targetOf(endpoint), { bodyBytes: 10_000, ageSeconds: 2_592_000 });
    for (const [slug, signal] of pings) {
      const at = { ...now(), wallMs: Date.now() - 5000 };
      assert.ok(await spool.put(pingOf(targetOf(endpoint, slug), signal, { at, body: bytesOf(body) })));
    }
  }

  /** Files of pings that wait. */
  async waiting(): Promise<string[]> {
    return (await readdir(this.spool)).filter((name) => name.endsWith('.ping')).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
