/**
 * How soon `tocsin run` starts a job, and what the package `tocsin` costs beside it, against an empty script on the same Node: by the
 * Node that runs this, and by an older one where there is one. All take turns, so that what else the machine does hits all alike.
 *
 *     node bench/companion.ts [--rounds=50]
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeClient } from '../scripts/package/client-folder.ts';
import { startRecordingServer } from '../src/companion/recording-server.test-support.ts';
import { oldNode } from '../test/companion/built.ts';
import { until } from '../test/waiting.ts';
import { median, printTable } from './lib/table.ts';

const MEMORY_ROUNDS = 5;

interface Place {
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  readonly program: string;
  readonly empty: string;
  readonly idle: string;
  /** How many pings have come. */
  readonly pings: () => number;
}

export default async function run({ rounds }: { readonly rounds: number } = { rounds: 50 }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  await using server = await startRecordingServer();
  try {
    const [empty, idle] = [join(folder, 'empty.cjs'), join(folder, 'idle.cjs')];
    await writeFile(empty, '');
    await writeFile(idle, `require('node:fs').writeSync(3, 'x'); setTimeout(() => undefined, 1e9);`);
    await makeClient(join(folder, 'tocsin'));
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TOCSIN_ENDPOINT: server.endpoint,
      TOCSIN_PING_KEY: 'key',
      TOCSIN_SLUG: 'job',
      TOCSIN_SPOOL: join(folder, 'spool'),
    };
    for (const node of [process.execPath, ...(oldNode === null ? [] : [oldNode])]) {
      const program = join(folder, 'tocsin/bin/tocsin.cjs');
      await compare({ node, env, program, empty, idle, pings: () => server.received.length }, rounds);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(place: Place, rounds: number): Promise<void> {
  const { program, empty } = place;
  const kinds: readonly (readonly [what: string, budget: string, time: () => Promise<number>])[] = [
    ['empty script', '', () => wholeTime(place, [empty])],
    ['run, to the first instruction of the job', '1.6', () => startTime(place)],
    ['run -- true, whole, with a server', '4.5', () => wholeTime(place, [program, 'run', '--', 'true'])],
    ['--help', '1.5', () => wholeTime(place, [program, '--help'])],
    ['version', '1.5', () => wholeTime(place, [program, 'version'])],
  ];
  const times = kinds.map((): number[] => []);
  for (const [, , time] of kinds) await time();
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, , time]] of kinds.entries()) times[index]?.push(await time());
  }
  const base = median(times[0] ?? []);
  const rows = kinds.map(([what, budget], index) => {
    const middle = median(times[index] ?? []);
    return [what, middle.toFixed(1), (middle / base).toFixed(2), budget];
  });
  const memory: { idle: number; running: number }[] = [];
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    memory.push({ idle: await idleMemory(place), running: await runningMemory(place) });
  }
  const [idle, running] = [median(memory.map((one) => one.idle)), median(memory.map((one) => one.running))];
  const version = execFileSync(place.node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`\nNode ${version}, median of ${rounds}`);
  printTable(['what', 'ms', 'times', 'at most'], rows);
  console.log(
    `memory while a job runs: ${(running - idle).toFixed(1)} MB more than the ${idle.toFixed(1)} MB of an empty script, at most 15`,
  );
}

function start({ node, env }: Place, args: readonly string[]): ChildProcess {
  return spawn(node, args, { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
}

async function wholeTime(place: Place, args: readonly string[]): Promise<number> {
  const begin = performance.now();
  const [code] = await once(start(place, args), 'exit');
  const time = performance.now() - begin;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return time;
}

async function startTime(place: Place): Promise<number> {
  const begin = performance.now();
  const child = start(place, [place.program, 'run', '--pass-fd', '3', '--', '/bin/sh', '-c', 'echo >&3']);
  const exit = once(child, 'exit');
  if (child.stdio[3] != null) await once(child.stdio[3], 'data');
  const time = performance.now() - begin;
  await exit;
  return time;
}

async function idleMemory(place: Place): Promise<number> {
  const child = start(place, [place.idle]);
  if (child.stdio[3] != null) await once(child.stdio[3], 'data');
  return memoryAndEnd(child);
}

/** After the start has been told, with all that is loaded then. */
async function runningMemory(place: Place): Promise<number> {
  const before = place.pings();
  const child = start(place, [place.program, 'run', '--', 'sleep', '600']);
  await until('the start has come', () => place.pings() > before);
  return memoryAndEnd(child);
}

/** Resident megabytes, as the system tells them. */
async function memoryAndEnd(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
  await run({ rounds: Number(values.rounds) });
}
