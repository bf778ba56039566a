/**
 * The speed of pings in this version and another one, checked out in a folder of its own:
 *
 *     node bench/versions.ts --other=FOLDER [--starts=8] [--rounds=10] [--connections=64] [--client=wrk]
 *       [--postgres] [--pings=runs]
 *
 * One start differs from the next by more than the versions do, so each version is started several times, both at
 * once, and their rounds take turns. The version that is started first is some percent slower, so that takes turns,
 * too; give an even number of starts. The result is the mean over the starts, with its standard error. Pings of runs are
 * their starts and ends, in turns.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fillChecks, uuidOf } from './lib/checks.ts';
import { createBenchDatabase } from './lib/database.ts';
import { CLIENTS, type Client, type Request } from './lib/load.ts';
import { type Compared, compare, middle, ratio } from './lib/measure.ts';
import { printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const ROUND_MILLIS = 1_000;
const WARM_UP_MILLIS = 3_000;
const CHECKS = 1_000;
const OWNER = 'bench@example.org';
const DECLARATION = { accounts: [{ email: OWNER }], projects: [{ name: 'Bench', owner: OWNER }] };

interface Options {
  readonly other: string | undefined;
  readonly starts: number;
  readonly rounds: number;
  readonly connections: number;
  readonly client: Client;
  readonly postgres: boolean;
  readonly pings: Pings;
}

const REQUESTS = { plain: ping, runs: startOrEnd } as const;
type Pings = keyof typeof REQUESTS;

const DEFAULTS: Options = {
  other: undefined,
  starts: 8,
  rounds: 10,
  connections: 64,
  client: 'sockets',
  postgres: false,
  pings: 'plain',
};

export default async function run(options: Options = DEFAULTS): Promise<void> {
  const { other, starts } = options;
  if (other === undefined) {
    console.log('Left out: --other names the folder of the other version.');
    return;
  }
  const all: Compared[] = [];
  for (let start = 0; start < starts; start++) all.push(await compareOnce(other, options, start % 2 === 0));
  printTable(
    ['start', 'this version', 'the other', 'ratio', 'per processor second'],
    all.map((one, start) => [
      String(start + 1),
      Math.round(middle(one.ours, 'perSecond')).toLocaleString('en'),
      Math.round(middle(one.theirs, 'perSecond')).toLocaleString('en'),
      ratio(one, 'perSecond').toFixed(3),
      ratio(one, 'perProcessorSecond').toFixed(3),
    ]),
  );
  console.log(
    `\nPings a second: ${summary(all.map((one) => ratio(one, 'perSecond')))} of the other version.`,
  );
  console.log(`For a second of a processor: ${summary(all.map((one) => ratio(one, 'perProcessorSecond')))}.`);
}

/** Starts both versions and compares them. */
async function compareOnce(
  other: string,
  { rounds, connections, client, postgres, pings }: Options,
  isOursFirst: boolean,
): Promise<Compared> {
  const [first, second] = isOursFirst ? [undefined, resolve(other)] : [resolve(other), undefined];
  const engine = postgres ? 'postgres' : 'sqlite';
  await using firstDatabase = await createBenchDatabase(engine);
  await using secondDatabase = await createBenchDatabase(engine);
  await using one = await startTocsin(firstDatabase, DECLARATION, {}, first);
  await using two = await startTocsin(secondDatabase, DECLARATION, {}, second);
  await firstDatabase.run(fillChecks(firstDatabase, CHECKS));
  await secondDatabase.run(fillChecks(secondDatabase, CHECKS));
  const round = { connections, client, millis: ROUND_MILLIS, request: REQUESTS[pings] };
  const compared = await compare([one, round], [two, round], { rounds, warmUpMillis: WARM_UP_MILLIS });
  return isOursFirst ? compared : { ours: compared.theirs, theirs: compared.ours };
}

function ping(n: number): Request {
  return { method: 'GET', path: `/ping/${uuidOf(n % CHECKS)}`, headers: {}, body: '' };
}

/** Each check has a start, then an end. */
function startOrEnd(n: number): Request {
  const { path, ...request } = ping(n);
  return { ...request, path: Math.floor(n / CHECKS) % 2 === 0 ? `${path}/start` : path };
}

/** The geometric mean of ratios and its standard error. */
function summary(ratios: readonly number[]): string {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  return `${Math.exp(mean).toFixed(3)} ± ${Math.sqrt(variance / logs.length).toFixed(3)}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      other: { type: 'string' },
      starts: { type: 'string', default: String(DEFAULTS.starts) },
      rounds: { type: 'string', default: String(DEFAULTS.rounds) },
      connections: { type: 'string', default: String(DEFAULTS.connections) },
      client: { type: 'string', default: DEFAULTS.client },
      postgres: { type: 'boolean', default: DEFAULTS.postgres },
      pings: { type: 'string', default: DEFAULTS.pings },
    },
  });
  const client = CLIENTS.find((one) => one === values.client);
  if (client === undefined) throw new Error(`--client is one of ${CLIENTS.join(', ')}`);
  const { pings } = values;
  if (pings !== 'plain' && pings !== 'runs') throw new Error('--pings is plain or runs');
  await run({
    other: values.other,
    starts: Number(values.starts),
    rounds: Number(values.rounds),
    connections: Number(values.connections),
    client,
    postgres: values.postgres,
    pings,
  });
}
