/**
 * The cost of reading for pings: how fast they are alone, and beside clients that read without a pause. Then how fast the badge of
 * a tag is, next to a bare `node:http` server measured in the same run.
 *
 *     node bench/reads.ts [--postgres] [--rounds=3] [--only=flips]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBenchDatabase } from './lib/database.ts';
import { fillHistory, HISTORY } from './lib/history.ts';
import { load, loadAtRate, type Outcome, type Request } from './lib/load.ts';
import { loadInThread } from './lib/load-thread.ts';
import { startProgram } from './lib/program.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const SECRET = 'a secret for benchmarks only';
const KEY = `hcw_${'r'.repeat(28)}`;
const READ_ONLY_KEY = `hcr_${'r'.repeat(28)}`;
const HISTORY_KEY = `hcw_${'h'.repeat(28)}`;
const METRICS_KEY = 'a key for benchmarks only';
const HISTORY_OWNER = 'history@example.org';
const HISTORY_SLUG = 'busy-job';
const CHECKS = 5_000;
const PING_CONNECTIONS = 8;
const ROUND_MILLIS = 3_000;
const BADGE_CONNECTIONS = 16;
/** Pings a second that come to the checks of the badge while it is asked for. */
const BADGE_PINGS = 1_000;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
  /** Only rows whose name has this in it. */
  readonly only: string;
}

const DEFAULTS: Options = { postgres: false, rounds: 3, only: '' };

export default async function run({ postgres, rounds, only }: Options = DEFAULTS): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using tocsin = await startTocsin(database, declaration(), {
    SECRET_KEY: SECRET,
    API_RATE_LIMIT: '0',
    METRICS_KEY,
  });
  await database.run(
    `update checks set status = 'up', ping_count = 100, last_ping_at = ${(Date.now() - 60_000) * 1000}`,
  );
  await fillHistory(database, HISTORY_SLUG);
  const { port } = tocsin;
  const get = (path: string, key?: string): Request => ({
    method: 'GET',
    path,
    headers: key === undefined ? {} : { 'X-Api-Key': key, Authorization: `Bearer ${key}` },
    body: '',
  });
  const answer = async (path: string, key = KEY): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })).json();
  const { checks }: { checks: { uuid: string }[] } = Object(await answer('/api/v3/checks/'));
  const { uuid }: { uuid: string } = Object(await answer('/api/v3/project/'));
  const { badges }: { badges: Record<string, { json: string }> } = Object(await answer('/api/v3/badges/'));
  const history: { checks: { uuid: string }[] } = Object(await answer('/api/v3/checks/', HISTORY_KEY));
  const ofCheck = (list: string) => get(`/api/v3/checks/${history.checks[0]?.uuid}/${list}/`, HISTORY_KEY);
  const pings = checks.map((check) => get(`/ping/${check.uuid}`));
  const readers: Record<string, Request> = {
    'list of 5,000': get('/api/v3/checks/', KEY),
    'list by a tag nobody has': get('/api/v3/checks/?tag=nobody', KEY),
    'badge of a tag of 5,000': get(new URL(badges.prod?.json ?? '').pathname),
    'metrics of 5,000': get(`/projects/${uuid}/metrics/`, READ_ONLY_KEY),
    'pings of a check, 1,000': ofCheck('pings'),
    'flips of a check, 10,000': ofCheck('flips'),
    'deliveries of a check, 100 with 20 attempts': ofCheck('deliveries'),
    'integrations of a project, 1,000': get('/api/v3/channels/', HISTORY_KEY),
    'metrics of the instance': {
      ...get('/api/v3/metrics/'),
      headers: { 'X-Metrics-Key': METRICS_KEY },
    },
  };
  const pingLoad = (): Promise<Outcome> =>
    load({
      port,
      connections: PING_CONNECTIONS,
      millis: ROUND_MILLIS,
      expect: 200,
      request: (n) => pings[n % pings.length] ?? get('/'),
    });
  const readLoad = (request: Request, millis = ROUND_MILLIS): Promise<Outcome> =>
    loadInThread({ port, connections: 1, client: 'http', millis, expect: 200, request });

  await pingLoad();
  const rows: string[][] = [];
  for (const [name, request] of Object.entries(readers).filter(([name]) => name.includes(only))) {
    await readLoad(request, 1_000);
    const measured: { alone: Outcome; beside: Outcome; reads: Outcome; readsAlone: Outcome }[] = [];
    for (let round = 0; round < rounds; round++) {
      const alone = await pingLoad();
      const [beside, reads] = await Promise.all([pingLoad(), readLoad(request)]);
      measured.push({ alone, beside, reads, readsAlone: await readLoad(request) });
    }
    const of = (pick: (one: (typeof measured)[number]) => number) => median(measured.map(pick));
    rows.push([
      name,
      of(({ alone }) => alone.perSecond).toFixed(0),
      of(({ beside }) => beside.perSecond).toFixed(0),
      of(({ alone, beside }) => beside.perSecond / alone.perSecond).toFixed(2),
      of(({ alone }) => alone.p99Millis).toFixed(1),
      of(({ beside }) => beside.p99Millis).toFixed(1),
      of(({ reads }) => reads.perSecond).toFixed(0),
      of(({ readsAlone }) => readsAlone.perSecond).toFixed(0),
    ]);
  }
  console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}`);
  printTable(
    [
      'beside',
      'pings/s alone',
      'beside',
      'ratio',
      'p99 ms alone',
      'beside',
      'reads/s beside',
      'reads/s alone',
    ],
    rows,
  );
  await measureBadge(port, get(new URL(badges.prod?.json ?? '').pathname), pings, rounds);
}

/** The rate of the badge: unchanged, and while its checks are pinged. */
async function measureBadge(
  port: number,
  badge: Request,
  pings: readonly Request[],
  rounds: number,
): Promise<void> {
  await using bare = await startProgram([join(import.meta.dirname, 'lib/bare-server.ts')]);
  const badgeLoad = (at: number): Promise<Outcome> =>
    load({
      port: at,
      connections: BADGE_CONNECTIONS,
      millis: ROUND_MILLIS,
      expect: 200,
      request: () => badge,
    });
  const pingLoad = (): Promise<Outcome> =>
    loadAtRate({
      port,
      connections: PING_CONNECTIONS,
      perSecond: BADGE_PINGS,
      requests: (BADGE_PINGS * ROUND_MILLIS) / 1_000,
      expect: 200,
      request: (n) => pings[n % pings.length] ?? badge,
    });
  await Promise.all([badgeLoad(bare.port), badgeLoad(port)]);
  const unchanged: { bare: Outcome; badge: Outcome }[] = [];
  const pinged: { bare: Outcome; badge: Outcome }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await badgeLoad(bare.port);
    unchanged.push({ bare: alone, badge: await badgeLoad(port) });
    const [beside] = await Promise.all([badgeLoad(port), pingLoad()]);
    pinged.push({ bare: alone, badge: beside });
  }
  const row = (name: string, measured: typeof unchanged) => [
    name,
    median(measured.map((one) => one.badge.perSecond)).toFixed(0),
    median(measured.map((one) => one.bare.perSecond)).toFixed(0),
    median(measured.map((one) => one.badge.perSecond / one.bare.perSecond)).toFixed(2),
    median(measured.map((one) => one.badge.p99Millis)).toFixed(1),
  ];
  printTable(
    [`badge of a tag of ${CHECKS} checks`, 'badges/s', 'bare/s', 'ratio', 'p99 ms'],
    [row('unchanged', unchanged), row(`with ${BADGE_PINGS} pings/s`, pinged)],
  );
}

function declaration(): object {
  const owner = 'bench@example.org';
  return {
    accounts: [
      { email: owner, limits: { checks: 10_000_000, pings: 100 } },
      { email: HISTORY_OWNER, limits: { checks: 1, pings: HISTORY.pings } },
    ],
    projects: [
      {
        name: 'Read',
        owner,
        keys: { read_write: KEY, read_only: READ_ONLY_KEY },
        checks: Array.from({ length: CHECKS }, (_, index) => ({
          slug: `job-${index}`,
          name: `Nightly job ${index}`,
          tags: `prod db-${index % 10}`,
          desc: 'Copies the data of yesterday to the other site.',
          timeout: 3_600,
        })),
      },
      {
        name: 'History',
        owner: HISTORY_OWNER,
        keys: { read_write: HISTORY_KEY },
        integrations: Array.from({ length: HISTORY.channels }, (_, index) => ({
          kind: 'webhook',
          name: `Webhook ${index}`,
          down: { url: `https://example.org/hooks/${index}` },
        })),
        checks: [{ slug: HISTORY_SLUG, name: 'Busy job', timeout: 3_600 }],
      },
    ],
  };
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
    },
  });
  return { postgres: values.postgres, rounds: Number(values.rounds), only: values.only };
}

if (import.meta.main) await run(readOptions());
