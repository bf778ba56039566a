/**
 * What reading costs pings: how fast they are alone, and beside clients that read without a pause.
 *
 *     node bench/reads.ts [--postgres] [--rounds=3]
 */
import { parseArgs } from 'node:util';
import { createBenchDatabase } from './lib/database.ts';
import { load, type Outcome, type Request } from './lib/load.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const SECRET = 'a secret for benchmarks only';
const KEY = `hcw_${'r'.repeat(28)}`;
const READ_ONLY_KEY = `hcr_${'r'.repeat(28)}`;
const CHECKS = 5_000;
const PING_CONNECTIONS = 8;
const ROUND_MILLIS = 3_000;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
}

export default async function run({ postgres, rounds }: Options): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using tocsin = await startTocsin(database, declaration(), {
    SECRET_KEY: SECRET,
    API_RATE_LIMIT: '0',
  });
  await database.run(
    `update checks set status = 'up', ping_count = 100, last_ping_at = ${(Date.now() - 60_000) * 1000}`,
  );
  const { port } = tocsin;
  const get = (path: string, key?: string): Request => ({
    method: 'GET',
    path,
    headers: key === undefined ? {} : { 'X-Api-Key': key, Authorization: `Bearer ${key}` },
    body: '',
  });
  const answer = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': KEY } })).json();
  const { checks }: { checks: { uuid: string }[] } = Object(await answer('/api/v3/checks/'));
  const { uuid }: { uuid: string } = Object(await answer('/api/v3/project/'));
  const { badges }: { badges: Record<string, { json: string }> } = Object(await answer('/api/v3/badges/'));
  const pings = checks.map((check) => get(`/ping/${check.uuid}`));
  const readers: Record<string, Request> = {
    'list of 5,000': get('/api/v3/checks/', KEY),
    'list by a tag nobody has': get('/api/v3/checks/?tag=nobody', KEY),
    'badge of a tag of 5,000': get(new URL(badges.prod?.json ?? '').pathname),
    'metrics of 5,000': get(`/projects/${uuid}/metrics/`, READ_ONLY_KEY),
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
    load({ port, connections: 1, client: 'http', millis, expect: 200, request: () => request });

  await pingLoad();
  const rows: string[][] = [];
  for (const [name, request] of Object.entries(readers)) {
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
}

function declaration(): object {
  const owner = 'bench@example.org';
  return {
    accounts: [{ email: owner, limits: { checks: 10_000_000, pings: 100 } }],
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
    ],
  };
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: { postgres: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
  });
  return { postgres: values.postgres, rounds: Number(values.rounds) };
}

if (import.meta.main) await run(readOptions());
