/**
 * What wrong passwords cost pings: how fast they are alone, and beside a thousand wrong passwords a second for one account.
 * Then whether the owner of the account can still sign in, from a browser that was signed in before.
 *
 *     node bench/passwords.ts [--postgres] [--rounds=5]
 */
import { parseArgs } from 'node:util';
import { createBenchDatabase } from './lib/database.ts';
import { load, type Outcome, type Request } from './lib/load.ts';
import { loadInThread } from './lib/load-thread.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const SECRET = 'a secret for benchmarks only';
const KEY = `hcw_${'p'.repeat(28)}`;
const OWNER = 'bench@example.org';
const PASSWORD = 'correct horse battery';
const CHECKS = 1_000;
const PING_CONNECTIONS = 8;
const SIGN_IN_CONNECTIONS = 16;
const WRONG_PER_SECOND = 1_000;
const ROUND_MILLIS = 3_000;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
}

export default async function run(
  { postgres, rounds }: Options = { postgres: false, rounds: 5 },
): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using tocsin = await startTocsin(database, declaration(), {
    SECRET_KEY: SECRET,
    API_RATE_LIMIT: '0',
  });
  const { port } = tocsin;
  const root = `http://127.0.0.1:${port}`;
  const signIn = (password: string, cookie = '') =>
    fetch(`${root}/dashboard/api/sign-in`, {
      method: 'POST',
      headers: { origin: root, cookie },
      body: JSON.stringify({ email: OWNER, password }),
    });
  const first = await signIn(PASSWORD);
  const cookie = first.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  if (first.status !== 204) throw new Error(`the owner could not sign in at first: ${first.status}`);
  const answer = await fetch(`${root}/api/v3/checks/`, { headers: { 'x-api-key': KEY } });
  const { checks }: { checks: { uuid: string }[] } = Object(await answer.json());
  const pings = checks.map(
    ({ uuid }): Request => ({ method: 'GET', path: `/ping/${uuid}`, headers: {}, body: '' }),
  );
  const pingLoad = () =>
    load({
      port,
      connections: PING_CONNECTIONS,
      millis: ROUND_MILLIS,
      expect: 200,
      request: (n) => pings[n % pings.length] ?? { method: 'GET', path: '/', headers: {}, body: '' },
    });
  const wrong: Request = {
    method: 'POST',
    path: '/dashboard/api/sign-in',
    // The load names this host.
    headers: { Origin: 'http://localhost' },
    body: JSON.stringify({ email: OWNER, password: 'a wrong password' }),
  };
  const wrongLoad = () =>
    loadInThread({
      port,
      connections: SIGN_IN_CONNECTIONS,
      requests: (WRONG_PER_SECOND * ROUND_MILLIS) / 1_000,
      perSecond: WRONG_PER_SECOND,
      request: wrong,
    });

  await Promise.all([pingLoad(), wrongLoad()]);
  const measured: { alone: Outcome; beside: Outcome; wrong: Outcome; isIn: boolean }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await pingLoad();
    const [beside, refused, owner] = await Promise.all([pingLoad(), wrongLoad(), signIn(PASSWORD, cookie)]);
    measured.push({ alone, beside, wrong: refused, isIn: owner.status === 204 });
  }
  const of = (pick: (one: (typeof measured)[number]) => number) => median(measured.map(pick));
  console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}`);
  printTable(
    ['pings/s alone', 'beside', 'ratio', 'p99 ms alone', 'beside', 'wrong passwords/s', 'owner signed in'],
    [
      [
        of(({ alone }) => alone.perSecond).toFixed(0),
        of(({ beside }) => beside.perSecond).toFixed(0),
        of(({ alone, beside }) => beside.perSecond / alone.perSecond).toFixed(2),
        of(({ alone }) => alone.p99Millis).toFixed(1),
        of(({ beside }) => beside.p99Millis).toFixed(1),
        of(({ wrong: refused }) => refused.perSecond).toFixed(0),
        `${measured.filter(({ isIn }) => isIn).length} of ${rounds}`,
      ],
    ],
  );
}

function declaration(): object {
  return {
    accounts: [{ email: OWNER, password: PASSWORD, limits: { checks: 10_000, pings: 100 } }],
    projects: [
      {
        name: 'Passwords',
        owner: OWNER,
        keys: { read_write: KEY },
        checks: Array.from({ length: CHECKS }, (_, index) => ({ slug: `job-${index}`, timeout: 3_600 })),
      },
    ],
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { postgres: { type: 'boolean', default: false }, rounds: { type: 'string', default: '5' } },
  });
  await run({ postgres: values.postgres, rounds: Number(values.rounds) });
}
