/**
 * How fast the management API is, next to a bare `node:http` server measured in the same run:
 *
 *     node bench/api.ts [--postgres] [--requests=1000000] [--rounds=5] [--only=NAME]
 *
 * NAME is `memory`, or one of the rows, such as `get`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { createTestDatabase, startPostgres } from '../test/postgres.ts';
import { httpRequest, load, type Outcome } from './lib/load.ts';
import { type Program, startProgram } from './lib/program.ts';
import { median, printTable } from './lib/table.ts';

const REPOSITORY = dirname(import.meta.dirname);
const SECRET = 'a secret for benchmarks only';
/** How many checks the projects have, by the letter that their keys repeat. */
const PROJECTS = { a: 20, b: 500, c: 5_000, d: 1 };
const ROUND_MILLIS = 1_500;
const WARM_UP_MILLIS = 1_000;
const CONNECTIONS = 16;
const MEMORY_SAMPLES = 10;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
  readonly requests: number;
  readonly only: string | undefined;
}

const DEFAULTS: Options = { postgres: false, rounds: 5, requests: 100_000, only: undefined };

interface Scenario {
  readonly name: string;
  readonly connections: number;
  readonly expect: number;
  readonly request: (n: number) => Buffer;
}

/** One round on one server. */
interface Measured extends Outcome {
  /** Requests for each second that the server's process was on a processor. */
  readonly perProcessorSecond: number | null;
}

export default async function run(options: Options = DEFAULTS): Promise<void> {
  await using database = options.postgres ? await createPostgres() : await createSqlite();
  await using tocsin = await startTocsin(database);
  await database.setUp();
  const uuids = await uuidsOf(tocsin, 'a');
  console.log(`${options.postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}`);
  const wanted = scenarios(uuids).filter(({ name }) => (options.only ?? name) === name);
  if (wanted.length > 0) await measureSpeed(tocsin, wanted, options.rounds);
  if ((options.only ?? 'memory') === 'memory') await measureMemory(tocsin, uuids, options.requests);
}

interface BenchDatabase extends AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  /** Makes every check look as if its last ping came a minute ago: up, and with something to compute. */
  setUp(): Promise<void>;
}

function everyCheckUp(): string {
  const pingedAt = (Date.now() - 60_000) * 1000;
  return `update checks set status = 'up', ping_count = 100, last_ping_at = ${pingedAt}`;
}

async function createSqlite(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  const path = join(folder, 'tocsin.db');
  return {
    folder,
    url: `sqlite:${path}`,
    async setUp() {
      const database = new DatabaseSync(path);
      database.exec(everyCheckUp());
      database.close();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** On the server of TEST_DATABASE_URL, or on one that is started for the occasion. */
async function createPostgres(): Promise<BenchDatabase> {
  await using opened = new AsyncDisposableStack();
  if (!process.env.TEST_DATABASE_URL) {
    process.env.TOCSIN_TEST_POSTGRES_URL = opened.use(await startPostgres()).url;
  }
  const { url } = opened.use(await createTestDatabase());
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const parts = opened.move();
  return {
    folder,
    url,
    async setUp() {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(everyCheckUp());
      await client.end();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The service as operators run it, with the keys and checks of a provisioning file. */
async function startTocsin({ folder, url }: BenchDatabase): Promise<Program> {
  const provisionFile = join(folder, 'provision.yaml');
  await writeFile(provisionFile, JSON.stringify(declaration()));
  return startProgram([...process.execArgv, ...profiling(), join(REPOSITORY, 'src/cli/index.ts'), 'serve'], {
    cwd: folder,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: url,
      SECRET_KEY: SECRET,
      PROVISION_FILE: provisionFile,
      API_RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
    },
  });
}

/** BENCH_PROFILE names a folder for a processor profile of the service. */
function profiling(): string[] {
  const folder = process.env.BENCH_PROFILE;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

function keyOf(letter: string): string {
  return `hcw_${letter.repeat(28)}`;
}

function declaration(): object {
  const owner = 'bench@example.org';
  return {
    accounts: [{ email: owner, limits: { checks: 10_000_000, pings: 100 } }],
    projects: Object.entries(PROJECTS).map(([letter, count]) => ({
      name: `Project ${letter}`,
      owner,
      keys: { read_write: keyOf(letter) },
      integrations: [{ kind: 'email', name: 'mail', email: owner, verified: true }],
      checks: Array.from({ length: count }, (_, index) => ({
        slug: `job-${index}`,
        name: `Nightly job ${index}`,
        tags: `prod db-${index % 10}`,
        desc: 'Copies the data of yesterday to the other site.',
        integrations: '*',
        // Every second check runs by the clock, as half of those in the field do.
        ...(index % 2 === 0 ? { timeout: 3_600 } : { schedule: '*/5 * * * *', tz: 'Europe/Riga' }),
      })),
    })),
  };
}

async function uuidsOf(tocsin: Program, letter: string): Promise<string[]> {
  const reply = await fetch(`http://127.0.0.1:${tocsin.port}/api/v3/checks/`, {
    headers: { 'x-api-key': keyOf(letter) },
  });
  const { checks }: { checks: { uuid: string }[] } = Object(await reply.json());
  return checks.map(({ uuid }) => uuid);
}

function scenarios(uuids: readonly string[]): Scenario[] {
  const get = uuids.map((uuid) => httpRequest('GET', `/api/v3/checks/${uuid}`, { key: keyOf('a') }));
  const update = uuids.map((uuid, index) =>
    httpRequest('POST', `/api/v3/checks/${uuid}`, {
      key: keyOf('a'),
      body: { name: `Job ${index}`, grace: 600 },
    }),
  );
  const create = httpRequest('POST', '/api/v3/checks/', {
    key: keyOf('d'),
    body: { name: 'A new job', slug: 'a-new-job', tags: 'prod', timeout: 3_600, grace: 600, channels: '*' },
  });
  const list = (letter: keyof typeof PROJECTS, connections: number): Scenario => {
    const request = httpRequest('GET', '/api/v3/checks/', { key: keyOf(letter) });
    return { name: `list ${PROJECTS[letter]}`, connections, expect: 200, request: () => request };
  };
  return [
    { name: 'get', connections: CONNECTIONS, expect: 200, request: (n) => pick(get, n) },
    { name: 'update', connections: CONNECTIONS, expect: 200, request: (n) => pick(update, n) },
    { name: 'create', connections: CONNECTIONS, expect: 201, request: () => create },
    list('a', CONNECTIONS),
    list('b', 4),
    list('c', 2),
  ];
}

function pick(requests: readonly Buffer[], n: number): Buffer {
  const request = requests[n % requests.length];
  if (request === undefined) throw new Error('there is no check to ask for');
  return request;
}

/** Rounds on the two servers take turns, and in turns begin, so that noise hits both alike. */
async function measureSpeed(tocsin: Program, measured: readonly Scenario[], rounds: number): Promise<void> {
  await using bare = await startProgram([join(import.meta.dirname, 'lib/bare-server.ts')]);
  const rows: string[][] = [];
  for (const scenario of measured) {
    await load({ ...scenario, port: tocsin.port, millis: WARM_UP_MILLIS });
    await load({ ...scenario, expect: 200, port: bare.port, millis: WARM_UP_MILLIS });
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      const turns = [
        async () => ours.push(await measure(tocsin, scenario)),
        async () => theirs.push(await measure(bare, { ...scenario, expect: 200 })),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    rows.push(row(scenario.name, ours, theirs));
  }
  printTable(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'bare/s', 'ratio', 'per core-s', 'bare per core-s', 'core ratio'],
    rows,
  );
}

async function measure(program: Program, scenario: Scenario): Promise<Measured> {
  const before = await program.processorSeconds();
  const outcome = await load({ ...scenario, port: program.port, millis: ROUND_MILLIS });
  const after = await program.processorSeconds();
  const perProcessorSecond = before === null || after === null ? null : outcome.requests / (after - before);
  return { ...outcome, perProcessorSecond };
}

function row(name: string, ours: readonly Measured[], theirs: readonly Measured[]): string[] {
  const of = (rounds: readonly Measured[], field: keyof Measured) =>
    median(rounds.map((round) => round[field] ?? Number.NaN));
  const whole = (value: number) => value.toFixed(0);
  const percent = (value: number) => `${(value * 100).toFixed(value < 0.01 ? 1 : 0)} %`;
  return [
    name,
    whole(of(ours, 'perSecond')),
    of(ours, 'p50Millis').toFixed(2),
    of(ours, 'p99Millis').toFixed(2),
    whole(of(theirs, 'perSecond')),
    percent(of(ours, 'perSecond') / of(theirs, 'perSecond')),
    whole(of(ours, 'perProcessorSecond')),
    whole(of(theirs, 'perProcessorSecond')),
    percent(of(ours, 'perProcessorSecond') / of(theirs, 'perProcessorSecond')),
  ];
}

/** A mix of what clients do, right and wrong; memory that grows with it would be a leak. */
async function measureMemory(tocsin: Program, uuids: readonly string[], requests: number): Promise<void> {
  const key = keyOf('a');
  const gets = uuids.map((uuid) => httpRequest('GET', `/api/v3/checks/${uuid}`, { key }));
  const others = [
    httpRequest('GET', '/api/v3/checks/', { key }),
    httpRequest('GET', '/api/v3/checks/?slug=job-1&tag=prod', { key }),
    httpRequest('POST', `/api/v3/checks/${uuids[0]}`, { key, body: { tags: 'prod' } }),
    httpRequest('POST', `/api/v3/checks/${uuids[1]}/pause`, { key }),
    httpRequest('GET', `/api/v3/checks/${uuids[2]}/flips/`, { key: 'X'.repeat(32) }),
    httpRequest('POST', '/api/v3/checks/', { key, body: { timeout: 1 } }),
    httpRequest('GET', '/api/v3/badges/', { key }),
    httpRequest('GET', '/no/such/page'),
  ];
  const request = (n: number) => (n % 5 === 0 ? pick(others, Math.floor(n / 5)) : pick(gets, n));
  const step = Math.ceil(requests / MEMORY_SAMPLES);
  const rows = [['0', (await tocsin.memory()).toFixed(0)]];
  for (let done = step; done <= requests; done += step) {
    await load({ port: tocsin.port, connections: CONNECTIONS, requests: step, request });
    rows.push([String(done), (await tocsin.memory()).toFixed(0)]);
  }
  console.log();
  printTable(['requests', 'memory MB'], rows);
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: DEFAULTS.postgres },
      rounds: { type: 'string', default: String(DEFAULTS.rounds) },
      requests: { type: 'string', default: String(DEFAULTS.requests) },
      only: { type: 'string' },
    },
  });
  return {
    postgres: values.postgres,
    rounds: Number(values.rounds),
    requests: Number(values.requests),
    only: values.only,
  };
}

if (import.meta.main) await run(readOptions());
