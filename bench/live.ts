/**
 * The cost of open pages for pings: the processor time of the service and the time of pings, at a thousand pings a second, alone
 * and beside five hundred streams of live events. Then how many pings it takes at the most, alone and beside them.
 *
 *     node bench/live.ts [--postgres] [--rounds=3] [--streams=500]
 */
import { parseArgs } from 'node:util';
import { createBenchDatabase } from './lib/database.ts';
import { load, loadAtRate, type Outcome, type Request } from './lib/load.ts';
import { openStreams } from './lib/stream-thread.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const SECRET = 'a secret for benchmarks only';
const KEY = `hcw_${'l'.repeat(28)}`;
const OWNER = 'person-0@example.org';
const PASSWORD = 'correct horse battery';
/** A little less than the limit of one account. */
const STREAMS_OF_ACCOUNT = 25;
const CHECKS = 1_000;
const PING_CONNECTIONS = 8;
const PINGS_PER_SECOND = 1_000;
const ROUND_SECONDS = 5;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
  readonly streams: number;
}

interface Measured {
  readonly paced: Outcome;
  readonly processorMillis: number;
  readonly most: Outcome;
}

export default async function run(
  { postgres, rounds, streams }: Options = { postgres: false, rounds: 3, streams: 500 },
): Promise<void> {
  const people = Array.from(
    { length: Math.ceil(streams / STREAMS_OF_ACCOUNT) },
    (_, n) => `person-${n}@example.org`,
  );
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using tocsin = await startTocsin(database, declaration(people), {
    SECRET_KEY: SECRET,
    API_RATE_LIMIT: '0',
  });
  await database.run(
    `insert into members (project_id, account_id, role, created_at)
     select projects.id, accounts.id, 'member', 0 from projects, accounts where accounts.id <> projects.owner_id`,
  );
  const root = `http://127.0.0.1:${tocsin.port}`;
  const answer = await fetch(`${root}/api/v3/checks/`, { headers: { 'x-api-key': KEY } });
  const { checks }: { checks: { uuid: string }[] } = Object(await answer.json());
  const pings = checks.map(
    ({ uuid }): Request => ({ method: 'GET', path: `/ping/${uuid}`, headers: {}, body: '' }),
  );
  const common = {
    port: tocsin.port,
    connections: PING_CONNECTIONS,
    expect: 200,
    request: (n: number) => pings[n % pings.length] as Request,
  };
  const measure = async (): Promise<Measured> => {
    const before = (await tocsin.processorSeconds()) ?? Number.NaN;
    const requests = PINGS_PER_SECOND * ROUND_SECONDS;
    const paced = await loadAtRate({ ...common, perSecond: PINGS_PER_SECOND, requests });
    const after = (await tocsin.processorSeconds()) ?? Number.NaN;
    const most = await load({ ...common, millis: ROUND_SECONDS * 1_000 });
    return { paced, processorMillis: ((after - before) * 1_000) / requests, most };
  };
  const cookies = await Promise.all(people.map((email) => signIn(root, email)));
  const ofStream = (n: number) => cookies[n % cookies.length] ?? '';
  await load({ ...common, millis: 2_000 });

  const [alone, beside]: Measured[][] = [[], []];
  let eventsPerSecond = 0;
  for (let round = 0; round < rounds; round++) {
    alone?.push(await measure());
    await using open = await openStreams({
      port: tocsin.port,
      cookies: Array.from({ length: streams }, (_, n) => ofStream(n)),
    });
    const begin = performance.now();
    beside?.push(await measure());
    eventsPerSecond = ((await open.events()) * 1_000) / (performance.now() - begin) / streams;
  }

  console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}, ${streams} streams`);
  const of = (measured: readonly Measured[] = [], pick: (one: Measured) => number) =>
    median(measured.map(pick));
  const row = (name: string, digits: number, pick: (one: Measured) => number) => {
    const [before, after] = [of(alone, pick), of(beside, pick)];
    return [name, before.toFixed(digits), after.toFixed(digits), (after / before).toFixed(2)];
  };
  printTable(
    ['', 'alone', 'beside', 'ratio'],
    [
      row(
        `processor ms a ping, at ${PINGS_PER_SECOND} a second`,
        3,
        ({ processorMillis }) => processorMillis,
      ),
      row('p50 ms', 2, ({ paced }) => paced.p50Millis),
      row('p99 ms', 1, ({ paced }) => paced.p99Millis),
      row('pings a second at the most', 0, ({ most }) => most.perSecond),
    ],
  );
  console.log(`Each stream got ${eventsPerSecond.toFixed(1)} events a second.`);
}

async function signIn(root: string, email: string): Promise<string> {
  const reply = await fetch(`${root}/dashboard/api/do/signInWithPassword`, {
    method: 'POST',
    headers: { origin: root },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (reply.status !== 204) throw new Error(`${email} could not sign in: ${reply.status}`);
  return reply.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
}

function declaration(people: readonly string[]): object {
  return {
    accounts: people.map((email) => ({
      email,
      password: PASSWORD,
      limits: { checks: CHECKS, pings: 100 },
    })),
    projects: [
      {
        name: 'Live',
        owner: OWNER,
        keys: { read_write: KEY },
        checks: Array.from({ length: CHECKS }, (_, n) => ({ slug: `job-${n}`, timeout: 3_600 })),
      },
    ],
  };
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      streams: { type: 'string', default: '500' },
    },
  });
  return { postgres: values.postgres, rounds: Number(values.rounds), streams: Number(values.streams) };
}

if (import.meta.main) await run(readOptions());
