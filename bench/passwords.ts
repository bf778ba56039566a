/**
 * The cost of wrong passwords for pings: how fast they are alone, beside the same requests to a bare server, and beside a thousand
 * wrong passwords a second for one account. The bare server shows what the client alone takes from the machine: the cost of
 * wrong passwords is the ratio of the last two. Then whether the owner of the account can still sign in, from a browser that
 * was signed in before.
 *
 *     node bench/passwords.ts [--postgres] [--rounds=5]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBenchDatabase } from './lib/database.ts';
import { load, type Outcome, type Request } from './lib/load.ts';
import { loadInThread } from './lib/load-thread.ts';
import { startProgram } from './lib/program.ts';
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
  await using bare = await startProgram([join(import.meta.dirname, 'lib/bare-server.ts')]);
  const { port } = tocsin;
  const root = `http://127.0.0.1:${port}`;
  const signIn = (password: string, cookie = '') =>
    fetch(`${root}/dashboard/api/do/signInWithPassword`, {
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
    path: '/dashboard/api/do/signInWithPassword',
    // The load names this host.
    headers: { Origin: 'http://localhost' },
    body: JSON.stringify({ email: OWNER, password: 'a wrong password' }),
  };
  const wrongLoad = (to: number) =>
    loadInThread({
      port: to,
      connections: SIGN_IN_CONNECTIONS,
      requests: (WRONG_PER_SECOND * ROUND_MILLIS) / 1_000,
      perSecond: WRONG_PER_SECOND,
      request: wrong,
    });

  await Promise.all([pingLoad(), wrongLoad(port)]);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await pingLoad();
    const [besideBare] = await Promise.all([pingLoad(), wrongLoad(bare.port)]);
    const [beside, wrong] = await Promise.all([pingLoad(), wrongLoad(port)]);
    const [owner] = await Promise.all([signIn(PASSWORD, cookie), wrongLoad(port)]);
    measured.push({ alone, besideBare, beside, wrong, isIn: owner.status === 204 });
  }
  console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}`);
  print(measured);
}

interface Round {
  readonly alone: Outcome;
  readonly besideBare: Outcome;
  readonly beside: Outcome;
  readonly wrong: Outcome;
  /** Whether the owner could sign in. */
  readonly isIn: boolean;
}

function print(measured: readonly Round[]): void {
  const of = (pick: (one: Round) => number) => median(measured.map(pick));
  const rows = (['alone', 'besideBare', 'beside'] as const).map((row) => [
    { alone: 'alone', besideBare: 'beside a bare server', beside: 'beside wrong passwords' }[row],
    of((one) => one[row].perSecond).toFixed(0),
    of((one) => one[row].perSecond / one.alone.perSecond).toFixed(2),
    of((one) => one[row].perSecond / one.besideBare.perSecond).toFixed(2),
    of((one) => one[row].p99Millis).toFixed(1),
  ]);
  printTable(['pings', 'a second', 'of alone', 'of beside bare', 'p99 ms'], rows);
  const perSecond = of(({ wrong }) => wrong.perSecond).toFixed(0);
  const timesIn = measured.filter(({ isIn }) => isIn).length;
  console.log(`${perSecond} wrong passwords/s; the owner signed in ${timesIn} of ${measured.length} times`);
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
