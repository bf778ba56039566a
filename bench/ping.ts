/**
 * The speed of pings, each answered after the commit that holds it, next to a bare `node:http` server measured
 * in the same run:
 *
 *     node bench/ping.ts [--postgres] [--rounds=5] [--checks=1000000] [--only=NAME] [--client=http]
 *
 * With `--client=http` the load comes from `node:http` with its agent, as a usual client makes it, instead of from
 * prepared bytes on bare sockets.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillChecks, uuidOf } from './lib/checks.ts';
import { createBenchDatabase } from './lib/database.ts';
import { measureDisk } from './lib/disk.ts';
import { CLIENTS, type Client, loadAtRate, quantile, type Request } from './lib/load.ts';
import { type Compared, compare, middle, ratio } from './lib/measure.ts';
import { type Program, startProgram } from './lib/program.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const ROUND_MILLIS = 2_000;
const CONNECTIONS = 128;
const FEW_CHECKS = 1_000;
/** The load whose eight tenths are kept up evenly. */
const STEADY = 'GET, 1,000 checks';
/** Declares the check in the same way each time. */
const DECLARED = 'declared, 1,000 checks';
const DECLARATION_QUERY = '?schedule=0+3+*+*+*&tz=Europe/Riga&grace=1h&tags=db,prod';
const STEADY_SECONDS = 8;
const BURST = 10_000;
/** Connections of a burst that may be open at once, as many as a listening socket queues by default. */
const BURST_CONNECTIONS = 500;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
  readonly checks: number;
  readonly only: string | undefined;
  readonly client: Client;
}

const DEFAULTS: Options = {
  postgres: false,
  rounds: 5,
  checks: 1_000_000,
  only: undefined,
  client: 'sockets',
};

interface Scenario {
  readonly name: string;
  readonly reconnects?: boolean;
  readonly request: (n: number) => Request;
}

const OWNER = 'bench@example.org';
const DECLARATION = {
  accounts: [{ email: OWNER }],
  projects: [{ name: 'Bench', owner: OWNER, job_declarations: 'follow' }],
};

export default async function run(options: Options = DEFAULTS): Promise<void> {
  await using database = await createBenchDatabase(options.postgres ? 'postgres' : 'sqlite');
  await using bare = await startProgram([join(import.meta.dirname, 'lib/bare-server.ts')]);
  await using tocsin = await startTocsin(database, DECLARATION);
  console.log(
    `${options.postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}, ${options.checks} checks, client: ${options.client}`,
  );
  await database.run(fillChecks(database, options.checks));
  const measured = scenarios(options.checks).filter(({ name }) => (options.only ?? name) === name);
  const best = await measureSpeed(tocsin, bare, measured, options);
  if (options.only === undefined) {
    await measureSteady(tocsin, bare, best * 0.8, database.folder);
    await measureBurst(tocsin, bare, options.checks);
  }
  if ((options.only ?? DECLARED) === DECLARED) await measureDeclared(tocsin, options);
  console.log(`\nMemory of the server at the end: ${Math.round(await tocsin.memory())} MB`);
}

function scenarios(checks: number): Scenario[] {
  const body = 'x'.repeat(1_000);
  return [
    { name: 'GET, one check', request: () => ping('GET', 0) },
    { name: STEADY, request: (n) => ping('GET', n % FEW_CHECKS) },
    { name: `GET, ${checks.toLocaleString('en')} checks`, request: (n) => ping('GET', scattered(n, checks)) },
    { name: 'POST of 1 kB, 1,000 checks', request: (n) => ping('POST', n % FEW_CHECKS, body) },
    { name: 'a new connection each', reconnects: true, request: (n) => ping('GET', n % FEW_CHECKS) },
  ];
}

/** Steps through all checks in an order that no cache likes. */
function scattered(n: number, checks: number): number {
  return (n * 611_953) % checks;
}

function ping(method: string, check: number, body = '', query = ''): Request {
  return { method, path: `/ping/${uuidOf(check)}${query}`, headers: { 'User-Agent': 'bench' }, body };
}

async function measureSpeed(
  tocsin: Program,
  bare: Program,
  measured: readonly Scenario[],
  { rounds, client }: Options,
): Promise<number> {
  const rows: string[][] = [];
  let best = 0;
  for (const { name, reconnects = false, request } of measured) {
    const round = {
      connections: CONNECTIONS,
      request,
      reconnects,
      client,
      expect: 200,
      millis: ROUND_MILLIS,
    };
    const compared = await compare([tocsin, round], [bare, round], { rounds, warmUpMillis: ROUND_MILLIS });
    if (name === STEADY) best = middle(compared.ours, 'perSecond');
    rows.push([name, ...figures(compared)]);
  }
  printTable(
    ['', 'pings/s', 'p50 ms', 'p99 ms', 'bare/s', 'ratio', 'per core-s', 'bare per core-s', 'core ratio'],
    rows,
  );
  return best;
}

function figures(compared: Compared): string[] {
  const { ours, theirs } = compared;
  return [
    middle(ours, 'perSecond').toFixed(0),
    middle(ours, 'p50Millis').toFixed(1),
    middle(ours, 'p99Millis').toFixed(1),
    middle(theirs, 'perSecond').toFixed(0),
    ratio(compared, 'perSecond').toFixed(2),
    middle(ours, 'perProcessorSecond').toFixed(0),
    middle(theirs, 'perProcessorSecond').toFixed(0),
    ratio(compared, 'perProcessorSecond').toFixed(2),
  ];
}

/**
 * If a machine halts for a tenth of a second now and then, the 99th percentile of it all shows that, on the bare
 * server, too; the median over quarters of a second shows the service between the halts. The disk's time for a batch is
 * the least that a durable ping can take.
 */
async function measureSteady(
  tocsin: Program,
  bare: Program,
  perSecond: number,
  folder: string,
): Promise<void> {
  const rows: string[][] = [];
  for (const [name, { port }] of Object.entries({ tocsin, bare })) {
    const outcome = await loadAtRate({
      port,
      connections: CONNECTIONS,
      request: (n) => ping('GET', n % FEW_CHECKS),
      expect: 200,
      perSecond,
      requests: Math.round(perSecond * STEADY_SECONDS),
    });
    const { p50Millis, p99Millis, maxMillis, p99Windows } = outcome;
    rows.push([name, ...[p50Millis, p99Millis, maxMillis, median(p99Windows)].map((ms) => ms.toFixed(1))]);
  }
  const disk = await measureDisk(folder, STEADY_SECONDS);
  rows.push([
    'a batch to disk, alone',
    ...[0.5, 0.99, 1].map((share) => quantile(disk, share).toFixed(1)),
    '',
  ]);
  console.log(
    `\nAt ${perSecond.toFixed(0)} pings a second, eight tenths of the most, for ${STEADY_SECONDS} s:`,
  );
  printTable(['', 'p50 ms', 'p99 ms', 'max ms', 'p99 ms of the middle quarter-second'], rows);
}

/** Pings that declare their check as it is, beside those that declare nothing, on the same server. */
async function measureDeclared(tocsin: Program, { rounds, client }: Options): Promise<void> {
  const round = { connections: CONNECTIONS, client, expect: 200, millis: ROUND_MILLIS };
  const declared = { ...round, request: (n: number) => ping('GET', n % FEW_CHECKS, '', DECLARATION_QUERY) };
  const plain = { ...round, request: (n: number) => ping('GET', n % FEW_CHECKS) };
  const compared = await compare([tocsin, declared], [tocsin, plain], { rounds, warmUpMillis: ROUND_MILLIS });
  console.log('');
  printTable(
    ['', 'pings/s', 'without/s', 'ratio', 'core ratio'],
    [
      [
        DECLARED,
        middle(compared.ours, 'perSecond').toFixed(0),
        middle(compared.theirs, 'perSecond').toFixed(0),
        ratio(compared, 'perSecond').toFixed(2),
        ratio(compared, 'perProcessorSecond').toFixed(2),
      ],
    ],
  );
}

/** The top of the hour: after a quiet time everybody's cron fires within one second. */
async function measureBurst(tocsin: Program, bare: Program, checks: number): Promise<void> {
  const rows: string[][] = [];
  for (const [name, { port }] of Object.entries({ tocsin, bare })) {
    await new Promise<void>((resolve) => setTimeout(resolve, 2_000));
    const begin = performance.now();
    const outcome = await loadAtRate({
      port,
      connections: BURST_CONNECTIONS,
      reconnects: true,
      request: (n) => ping('GET', scattered(n, checks)),
      expect: 200,
      perSecond: BURST,
      requests: BURST,
    });
    const lastAnswered = performance.now() - begin;
    rows.push([
      name,
      `${(lastAnswered / 1000).toFixed(2)} s`,
      outcome.p50Millis.toFixed(0),
      outcome.p99Millis.toFixed(0),
      outcome.maxMillis.toFixed(0),
    ]);
  }
  console.log(
    `\n${BURST.toLocaleString('en')} checks within one second, a new connection each, after idling:`,
  );
  printTable(['', 'last answered after', 'p50 ms', 'p99 ms', 'max ms'], rows);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: DEFAULTS.postgres },
      rounds: { type: 'string', default: String(DEFAULTS.rounds) },
      checks: { type: 'string', default: String(DEFAULTS.checks) },
      only: { type: 'string' },
      client: { type: 'string', default: DEFAULTS.client },
    },
  });
  const client = CLIENTS.find((known) => known === values.client);
  if (client === undefined) throw new Error(`--client is one of ${CLIENTS.join(', ')}`);
  await run({
    postgres: values.postgres,
    rounds: Number(values.rounds),
    checks: Number(values.checks),
    only: values.only,
    client,
  });
}
