/**
 * The cost of `tocsin doctor` for pings: how fast they are alone, and beside a doctor that looks again and again. The processor time
 * of the service tells what it does for doctor itself; the rest is the share of the machine that doctor takes.
 *
 *     node bench/doctor.ts [--postgres] [--rounds=9]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/free-port.ts';
import { fillChecks, uuidOf } from './lib/checks.ts';
import { createBenchDatabase } from './lib/database.ts';
import { loadAtRate, type Outcome } from './lib/load.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const CLI = join(dirname(import.meta.dirname), 'src/cli/index.ts');
const OWNER = 'bench@example.org';
const DECLARATION = { accounts: [{ email: OWNER }], projects: [{ name: 'Bench', owner: OWNER }] };
const CHECKS = 1_000;
const CONNECTIONS = 16;
/** Far below the most, so that the answers and not the load are measured. */
const PINGS_PER_SECOND = 1_000;
const ROUND_SECONDS = 4;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
}

interface Measured extends Outcome {
  readonly processorSeconds: number;
}

export default async function run(
  { postgres, rounds }: Options = { postgres: false, rounds: 9 },
): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  const port = String(await freePort());
  const settings = {
    HOST: '127.0.0.1',
    PORT: port,
    SITE_ROOT: `http://127.0.0.1:${port}`,
    DATABASE_URL: database.url,
  };
  await using tocsin = await startTocsin(database, DECLARATION, settings);
  await database.run(fillChecks(database, CHECKS));
  const measure = async (): Promise<Measured> => {
    const before = (await tocsin.processorSeconds()) ?? Number.NaN;
    const outcome = await loadAtRate({
      port: tocsin.port,
      connections: CONNECTIONS,
      requests: PINGS_PER_SECOND * ROUND_SECONDS,
      perSecond: PINGS_PER_SECOND,
      expect: 200,
      request: (n) => ({ method: 'GET', path: `/ping/${uuidOf(n % CHECKS)}`, headers: {}, body: '' }),
    });
    return { ...outcome, processorSeconds: ((await tocsin.processorSeconds()) ?? Number.NaN) - before };
  };
  const look = async () => {
    const command = spawn(process.execPath, [CLI, 'doctor'], {
      cwd: database.folder,
      env: { PATH: process.env.PATH, ...settings },
      stdio: 'ignore',
    });
    await once(command, 'exit');
  };
  /** Looks until the pings are done. */
  const measureBesideDoctor = async () => {
    let isDone = false;
    const looking = (async () => {
      while (!isDone) await look();
    })();
    const measured = await measure();
    isDone = true;
    await looking;
    return measured;
  };

  await measure();
  await look();
  const measured: { alone: Measured; beside: Measured }[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) measured.push({ alone: await measure(), beside: await measureBesideDoctor() });
    else {
      const beside = await measureBesideDoctor();
      measured.push({ alone: await measure(), beside });
    }
  }
  const rows = (['alone', 'beside'] as const).map((row) => {
    const of = (figure: 'p50Millis' | 'p99Millis' | 'processorSeconds') =>
      median(measured.map((one) => one[row][figure])).toFixed(2);
    return [
      { alone: 'alone', beside: 'beside doctor' }[row],
      of('p50Millis'),
      of('p99Millis'),
      of('processorSeconds'),
    ];
  });
  console.log(
    `${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}, ${PINGS_PER_SECOND.toLocaleString('en')} pings a second`,
  );
  printTable(['pings', 'p50 ms', 'p99 ms', `processor s of ${ROUND_SECONDS}`], rows);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { postgres: { type: 'boolean', default: false }, rounds: { type: 'string', default: '9' } },
  });
  await run({ postgres: values.postgres, rounds: Number(values.rounds) });
}
