/**
 * The speed of the management API, next to a bare `node:http` server measured in the same run:
 *
 *     node bench/api.ts [--postgres] [--requests=1000000] [--rounds=5] [--connections=16]
 *                       [--client=http|wrk] [--checks=1000000] [--only=NAME]
 *
 * NAME is `memory`, or one of the rows, such as `get`. `--connections` is for get, update, create and the shortest list.
 * `--client` is how the load comes: from bare sockets, from `node:http`, as a usual client makes it, or for GETs from the
 * program `wrk`. `--checks` are further checks in a project of their own, which are pinged while memory is measured.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillChecks, uuidOf } from './lib/checks.ts';
import { createBenchDatabase } from './lib/database.ts';
import { CLIENTS, type Client, load, type Request } from './lib/load.ts';
import { type Compared, compare, middle, ratio } from './lib/measure.ts';
import { type Program, startProgram } from './lib/program.ts';
import { printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const SECRET = 'a secret for benchmarks only';
/** The number of checks in the projects, by the letter that their keys repeat. */
const PROJECTS = { a: 20, b: 500, c: 5_000, d: 1 };
const ROUND_MILLIS = 1_500;
const WARM_UP_MILLIS = 1_000;
const CONNECTIONS = 16;
const MEMORY_SAMPLES = 10;
/** Pings a second to the 500 checks of a project: so a tenth of them changes each second. */
const PINGS_BESIDE = 50;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
  readonly requests: number;
  readonly connections: number;
  readonly client: Client;
  readonly checks: number;
  readonly only: string | undefined;
}

const DEFAULTS: Options = {
  postgres: false,
  rounds: 5,
  requests: 100_000,
  connections: CONNECTIONS,
  client: 'sockets',
  checks: 0,
  only: undefined,
};

interface Scenario {
  readonly name: string;
  readonly connections: number;
  /** Absent if the answer may differ from time to time. */
  readonly expect?: number;
  readonly request: (n: number) => Request;
  /** UUIDs of checks that are pinged in turn meanwhile. */
  readonly pinged?: readonly string[];
}

export default async function run(options: Options = DEFAULTS): Promise<void> {
  await using database = await createBenchDatabase(options.postgres ? 'postgres' : 'sqlite');
  await using tocsin = await startTocsin(database, declaration(options.checks), {
    SECRET_KEY: SECRET,
    API_RATE_LIMIT: '0',
  });
  await database.run(everyCheckUp());
  if (options.checks > 0) await database.run(fillChecks(database, options.checks));
  const uuids = await uuidsOf(tocsin, 'a');
  console.log(`${options.postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}`);
  const all = [...scenarios(uuids, options.connections), ...(await listScenarios(tocsin))];
  const wanted = all.filter(({ name }) => (options.only ?? name) === name);
  if (wanted.length > 0) await measureSpeed(tocsin, wanted, options);
  if ((options.only ?? 'memory') === 'memory') await measureMemory(tocsin, uuids, options);
}

/** Makes every check look as if its last ping came a minute ago: up, and with something to compute. */
function everyCheckUp(): string {
  const pingedAt = (Date.now() - 60_000) * 1000;
  return `update checks set status = 'up', ping_count = 100, last_ping_at = ${pingedAt}`;
}

function keyOf(letter: string): string {
  return `hcw_${letter.repeat(28)}`;
}

function declaration(furtherChecks: number): object {
  const owner = 'bench@example.org';
  // `fillChecks` fills the first project.
  const filled = furtherChecks > 0 ? [{ name: 'Filled', owner }] : [];
  return {
    accounts: [{ email: owner, limits: { checks: 10_000_000, pings: 100 } }],
    projects: filled.concat(projectsOf(owner)),
  };
}

function projectsOf(owner: string): { name: string; owner: string }[] {
  return Object.entries(PROJECTS).map(([letter, count]) => ({
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
  }));
}

async function uuidsOf(tocsin: Program, letter: string): Promise<string[]> {
  const reply = await fetch(`http://127.0.0.1:${tocsin.port}/api/v3/checks/`, {
    headers: { 'x-api-key': keyOf(letter) },
  });
  const { checks }: { checks: { uuid: string }[] } = Object(await reply.json());
  return checks.map(({ uuid }) => uuid);
}

function scenarios(uuids: readonly string[], connections: number): Scenario[] {
  const get = uuids.map((uuid) => apiRequest('GET', `/api/v3/checks/${uuid}`, { key: keyOf('a') }));
  // Each round over the checks gives them another grace, so that every update changes something.
  const update = [600, 660].flatMap((grace) =>
    uuids.map((uuid, index) =>
      apiRequest('POST', `/api/v3/checks/${uuid}`, {
        key: keyOf('a'),
        body: { name: `Job ${index}`, grace },
      }),
    ),
  );
  const create = apiRequest('POST', '/api/v3/checks/', {
    key: keyOf('d'),
    body: { name: 'A new job', slug: 'a-new-job', tags: 'prod', timeout: 3_600, grace: 600, channels: '*' },
  });
  return [
    { name: 'get', connections, expect: 200, request: (n) => pick(get, n) },
    { name: 'update', connections, expect: 200, request: (n) => pick(update, n) },
    { name: 'create', connections, expect: 201, request: () => create },
    listOf('a', connections),
  ];
}

function listOf(letter: keyof typeof PROJECTS, connections: number): Scenario {
  const request = apiRequest('GET', '/api/v3/checks/', { key: keyOf(letter) });
  return { name: `list ${PROJECTS[letter]}`, connections, expect: 200, request: () => request };
}

/** Long lists: unchanged, known to the client, and with a tenth of the checks pinged each second. */
async function listScenarios(tocsin: Program): Promise<Scenario[]> {
  const [shorter, longer] = [listOf('b', 4), listOf('c', 2)];
  return [
    await known(tocsin, shorter),
    await known(tocsin, longer),
    shorter,
    longer,
    { ...shorter, name: `${shorter.name}, 10 % pinged each second`, pinged: await uuidsOf(tocsin, 'b') },
  ];
}

/** A client that sends the tag of the list, and is told that it is unchanged. */
async function known(tocsin: Program, scenario: Scenario): Promise<Scenario> {
  const request = scenario.request(0);
  const reply = await fetch(`http://127.0.0.1:${tocsin.port}${request.path}`, { headers: request.headers });
  await reply.body?.cancel();
  const headers = { ...request.headers, 'If-None-Match': reply.headers.get('etag') ?? '' };
  // Now and then a check is late, and the list has another tag.
  const { expect: _, ...rest } = scenario;
  return { ...rest, name: `${scenario.name}, known`, request: () => ({ ...request, headers }) };
}

/** Pings the checks in turn until it is disposed of. */
function startPings({ port }: Program, uuids: readonly string[]): Disposable {
  let count = 0;
  const timer = setInterval(() => {
    const uuid = uuids[count++ % uuids.length];
    fetch(`http://127.0.0.1:${port}/ping/${uuid}`).then((reply) => reply.body?.cancel());
  }, 1_000 / PINGS_BESIDE);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function apiRequest(
  method: string,
  path: string,
  { key, body }: { key?: string; body?: unknown } = {},
): Request {
  return {
    method,
    path,
    headers: {
      ...(key === undefined ? {} : { 'X-Api-Key': key }),
      ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
    },
    body: body === undefined ? '' : JSON.stringify(body),
  };
}

function pick(requests: readonly Request[], n: number): Request {
  const request = requests[n % requests.length];
  if (request === undefined) throw new Error('there is no check to ask for');
  return request;
}

async function measureSpeed(
  tocsin: Program,
  measured: readonly Scenario[],
  { rounds, client }: Options,
): Promise<void> {
  await using bare = await startProgram([join(import.meta.dirname, 'lib/bare-server.ts')]);
  const rows: string[][] = [];
  for (const { name, pinged = [], ...scenario } of measured) {
    const round = { ...scenario, client, millis: ROUND_MILLIS };
    using _pings = pinged.length > 0 ? startPings(tocsin, pinged) : null;
    const compared = await compare([tocsin, round], [bare, { ...round, expect: 200 }], {
      rounds,
      warmUpMillis: WARM_UP_MILLIS,
    });
    rows.push([name, ...figures(compared)]);
  }
  printTable(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'bare/s', 'ratio', 'per core-s', 'bare per core-s', 'core ratio'],
    rows,
  );
}

function figures(compared: Compared): string[] {
  const { ours, theirs } = compared;
  const percent = (value: number) => `${(value * 100).toFixed(value < 0.01 ? 1 : 0)} %`;
  return [
    middle(ours, 'perSecond').toFixed(0),
    middle(ours, 'p50Millis').toFixed(2),
    middle(ours, 'p99Millis').toFixed(2),
    middle(theirs, 'perSecond').toFixed(0),
    percent(ratio(compared, 'perSecond')),
    middle(ours, 'perProcessorSecond').toFixed(0),
    middle(theirs, 'perProcessorSecond').toFixed(0),
    percent(ratio(compared, 'perProcessorSecond')),
  ];
}

/** A mix of what clients do, right and wrong; memory that grows with it would be a leak. */
async function measureMemory(
  tocsin: Program,
  uuids: readonly string[],
  { requests, checks }: Options,
): Promise<void> {
  const key = keyOf('a');
  const gets = uuids.map((uuid) => apiRequest('GET', `/api/v3/checks/${uuid}`, { key }));
  const others = [
    apiRequest('GET', '/api/v3/checks/', { key }),
    apiRequest('GET', '/api/v3/checks/?slug=job-1&tag=prod', { key }),
    apiRequest('POST', `/api/v3/checks/${uuids[0]}`, { key, body: { tags: 'prod' } }),
    apiRequest('POST', `/api/v3/checks/${uuids[1]}/pause`, { key }),
    apiRequest('GET', `/api/v3/checks/${uuids[2]}/flips/`, { key: 'X'.repeat(32) }),
    apiRequest('POST', '/api/v3/checks/', { key, body: { timeout: 1 } }),
    apiRequest('GET', '/api/v3/badges/', { key }),
    apiRequest('GET', '/no/such/page'),
  ];
  // Long lists are rare: each is as long as a thousand answers of another sort.
  const lists = [listOf('b', 1), listOf('c', 1)].map(({ request }) => request(0));
  const request = (n: number) => {
    if (n % 500 === 0) return pick(lists, n / 500);
    if (n % 5 === 0) return pick(others, Math.floor(n / 5));
    return checks > 0 && n % 2 === 0
      ? apiRequest('GET', `/ping/${uuidOf((n * 7_919) % checks)}`)
      : pick(gets, n);
  };
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
      connections: { type: 'string', default: String(DEFAULTS.connections) },
      client: { type: 'string', default: DEFAULTS.client },
      checks: { type: 'string', default: String(DEFAULTS.checks) },
      only: { type: 'string' },
    },
  });
  return {
    postgres: values.postgres,
    rounds: Number(values.rounds),
    requests: Number(values.requests),
    connections: Number(values.connections),
    checks: Number(values.checks),
    client: CLIENTS.find((one) => one === values.client) ?? DEFAULTS.client,
    only: values.only,
  };
}

if (import.meta.main) await run(readOptions());
