/**
 * The delay of an alert: from the deadline of a check until its webhook arrives.
 *
 *     node bench/alerts.ts [--postgres] [--rounds=5] [--checks=1000000] [--due=10000] [--policy=NAME] [--repository=FOLDER]
 *
 * With `--policy` the project has it, for instance `keep-reminding`, so that a plan says who is told.
 * Then the same beside a neighbour: an account with 640 webhooks to ten ports that never answer, and four failures.
 * `--only=neighbour` measures that alone. `--repository` starts the version of another checkout.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openSilentPorts } from '../test/attack/webhooks.ts';
import { fillChecks, GRACE_SECONDS, TIMEOUT_SECONDS, uuidOf } from './lib/checks.ts';
import { type BenchDatabase, createBenchDatabase } from './lib/database.ts';
import type { Program } from './lib/program.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const IDLE_SECONDS = 10;
/** The receiver's time for each of many messages. */
const ANSWER_MILLIS = 50;
/** Between setting a deadline and its passing: longer than the service may rest. */
const LEAD_MILLIS = 2_500;
const PATIENCE_MILLIS = 120_000;

interface Options {
  readonly postgres: boolean;
  readonly rounds: number;
  readonly checks: number;
  readonly due: number;
  readonly policy: string | undefined;
  readonly only: string;
  readonly repository: string | undefined;
}

const DEFAULTS: Options = {
  postgres: false,
  rounds: 5,
  checks: 1_000_000,
  due: 10_000,
  policy: undefined,
  only: '',
  repository: undefined,
};

export default async function run(options: Options = DEFAULTS): Promise<void> {
  if (options.only !== 'neighbour') await measureAlone(options);
  await measureNeighbour(options);
}

async function measureAlone(options: Options): Promise<void> {
  await using database = await createBenchDatabase(options.postgres ? 'postgres' : 'sqlite');
  await using receiver = await startReceiver();
  await using tocsin = await startTocsin(
    database,
    declaration(receiver.port, options.policy),
    {
      INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
    },
    options.repository,
  );
  console.log(
    `${options.postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}, ${options.checks} checks`,
  );
  await database.run(fillChecks(database, options.checks));
  await sleep(2_000);
  await measureIdle(tocsin);
  await measureSingle(database, receiver, options);
  receiver.answerMillis = ANSWER_MILLIS;
  await measureMany(tocsin, database, receiver, options);
}

/** Receives the webhooks. */
interface Receiver extends AsyncDisposable {
  readonly port: number;
  answerMillis: number;
  /** When the message about each check came, in milliseconds since the epoch. */
  readonly arrivals: Map<string, number>;
  repeated: number;
}

async function startReceiver(): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const uuid = request.url?.slice(1) ?? '';
    if (arrivals.has(uuid)) receiver.repeated++;
    else arrivals.set(uuid, Date.now());
    request.resume();
    setTimeout(() => response.end(), receiver.answerMillis);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const receiver: Receiver = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    answerMillis: 0,
    arrivals,
    repeated: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

/** One integration, which all checks have. */
function declaration(port: number, policy: string | undefined): object {
  const owner = 'bench@example.org';
  const webhook = { kind: 'webhook', name: 'Receiver', down: { url: `http://127.0.0.1:${port}/$CODE` } };
  return {
    accounts: [{ email: owner }],
    projects: [{ name: 'Bench', owner, integrations: [webhook], policy }],
  };
}

async function measureIdle(tocsin: Program): Promise<void> {
  const before = await tocsin.processorSeconds();
  await sleep(IDLE_SECONDS * 1000);
  const after = await tocsin.processorSeconds();
  if (before === null || after === null) return;
  const share = (100 * (after - before)) / IDLE_SECONDS;
  console.log(`\nIdle for ${IDLE_SECONDS} s: ${share.toFixed(1)} % of one core`);
}

async function measureSingle(
  database: BenchDatabase,
  receiver: Receiver,
  { rounds, checks }: Options,
): Promise<void> {
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const check = Math.floor((checks * (round + 1)) / (rounds + 1));
    const deadline = await letFallDue(database, check, 1);
    await arrivalOf(receiver, [uuidOf(check)]);
    delays.push((receiver.arrivals.get(uuidOf(check)) ?? Number.NaN) - deadline);
  }
  console.log(
    `\nOne check due among ${checks.toLocaleString('en')}, ${rounds} times: told after ` +
      `${median(delays).toFixed(0)} ms (median), ${Math.max(...delays).toFixed(0)} ms (longest)`,
  );
}

async function measureMany(
  tocsin: Program,
  database: BenchDatabase,
  receiver: Receiver,
  { due }: Options,
): Promise<void> {
  receiver.arrivals.clear();
  receiver.repeated = 0;
  const before = await tocsin.processorSeconds();
  const deadline = await letFallDue(database, 0, due);
  await arrivalOf(
    receiver,
    Array.from({ length: due }, (_, n) => uuidOf(n)),
  );
  const delays = [...receiver.arrivals.values()].map((at) => at - deadline).sort((a, b) => a - b);
  const at = (share: number) =>
    `${((delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN) / 1000).toFixed(2)} s`;
  const after = await tocsin.processorSeconds();
  console.log(
    `\n${due.toLocaleString('en')} checks due at once, each told to a receiver that takes ${ANSWER_MILLIS} ms:`,
  );
  printTable(
    ['', 'first', 'half', 'last', 'repeated', 'processor'],
    [
      [
        'told after',
        at(0),
        at(0.5),
        at(1),
        String(receiver.repeated),
        before === null || after === null ? '' : `${(after - before).toFixed(1)} s`,
      ],
    ],
  );
}

const ATTACKER_WEBHOOKS = 640;
const ATTACKER_CHECKS = 4;
/** Between two failures of the neighbour. */
const NEIGHBOUR_PAUSE_MILLIS = 500;

const INNOCENT_KEY = 'innocentinnocentinnoce';
const ATTACKER_KEY = 'attackerattackerattack';

/** Two accounts: one with a webhook that is answered, and one with many that are not. */
function neighbours(receiver: number, silent: readonly number[]): object {
  const innocent = 'innocent@example.org';
  const attacker = 'attacker@example.org';
  const webhook = (name: string, port: number | undefined) => ({
    kind: 'webhook',
    name,
    down: { url: `http://127.0.0.1:${port}/${name}` },
  });
  const check = (slug: string) => ({ name: slug, slug, integrations: '*' });
  return {
    accounts: [{ email: innocent }, { email: attacker }],
    projects: [
      {
        ...{ name: 'Innocent', owner: innocent, keys: { ping: INNOCENT_KEY } },
        integrations: [webhook('innocent', receiver)],
        checks: [check('innocent')],
      },
      {
        ...{ name: 'Attacker', owner: attacker, keys: { ping: ATTACKER_KEY } },
        integrations: Array.from({ length: ATTACKER_WEBHOOKS }, (_, n) =>
          webhook(`silent-${n}`, silent[n % silent.length]),
        ),
        checks: Array.from({ length: ATTACKER_CHECKS }, (_, n) => check(`attacker-${n}`)),
      },
    ],
  };
}

/** The lateness of one account's alerts beside another one whose webhooks never answer. */
async function measureNeighbour({ postgres, rounds, repository }: Options): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using receiver = await startReceiver();
  await using silent = await openSilentPorts();
  await using tocsin = await startTocsin(
    database,
    neighbours(receiver.port, silent.ports),
    // Each try that fails is a line of the log.
    { INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True', LOG_LEVEL: 'error' },
    repository,
  );
  const root = `http://127.0.0.1:${tocsin.port}`;
  const failing = async (name: string) => {
    const isInnocent = name === 'innocent';
    const reply = await fetch(`${root}/ping/${isInnocent ? INNOCENT_KEY : ATTACKER_KEY}/${name}/fail`);
    if (reply.status !== 200) throw new Error(`the ping was answered ${reply.status}`);
  };
  const delays = async () => {
    const found: number[] = [];
    for (let round = 0; round < rounds * 4; round++) {
      receiver.arrivals.clear();
      await sleep(NEIGHBOUR_PAUSE_MILLIS);
      const begun = Date.now();
      await failing('innocent');
      await arrivalOf(receiver, ['innocent']);
      found.push((receiver.arrivals.get('innocent') ?? Number.NaN) - begun);
      await fetch(`${root}/ping/${INNOCENT_KEY}/innocent`);
    }
    return found;
  };
  const before = await delays();
  for (let n = 0; n < ATTACKER_CHECKS; n++) await failing(`attacker-${n}`);
  const during = await delays();
  const row = (name: string, found: readonly number[]) => [
    name,
    `${median([...found]).toFixed(0)} ms`,
    `${Math.max(...found).toFixed(0)} ms`,
  ];
  console.log(
    `\nAn account with ${ATTACKER_WEBHOOKS} webhooks that never answer has ${ATTACKER_CHECKS} failures. Another one is told of its own:`,
  );
  printTable(
    ['', 'median', 'longest'],
    [
      row('before', before),
      row('meanwhile', during),
      [
        'ratio',
        (median(during) / median(before)).toFixed(2),
        (Math.max(...during) / Math.max(...before)).toFixed(2),
      ],
    ],
  );
}

/** Gives so many checks the same deadline, a moment from now, and the receiver. Says when it passes. */
async function letFallDue(database: BenchDatabase, first: number, count: number): Promise<number> {
  const deadline = Date.now() + LEAD_MILLIS;
  const lastPing = (deadline - (TIMEOUT_SECONDS + GRACE_SECONDS) * 1000) * 1000;
  const chosen = `uuid between '${uuidOf(first)}' and '${uuidOf(first + count - 1)}'`;
  await database.run(
    `insert into check_channels (check_id, channel_id)
       select id, (select min(id) from channels) from checks where ${chosen};
     update checks set last_ping_at = ${lastPing}, deadline_at = ${deadline * 1000}, alarm_at = ${deadline * 1000} where ${chosen};`,
  );
  if (Date.now() > deadline) throw new Error('the deadline passed before it was set');
  return deadline;
}

async function arrivalOf({ arrivals }: Receiver, uuids: readonly string[]): Promise<void> {
  const end = Date.now() + PATIENCE_MILLIS;
  while (arrivals.size < uuids.length || !uuids.every((uuid) => arrivals.has(uuid))) {
    if (Date.now() > end) throw new Error(`only ${arrivals.size} messages arrived`);
    await sleep(10);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: DEFAULTS.postgres },
      rounds: { type: 'string', default: String(DEFAULTS.rounds) },
      checks: { type: 'string', default: String(DEFAULTS.checks) },
      due: { type: 'string', default: String(DEFAULTS.due) },
      policy: { type: 'string' },
      only: { type: 'string', default: '' },
      repository: { type: 'string' },
    },
  });
  await run({
    postgres: values.postgres,
    rounds: Number(values.rounds),
    checks: Number(values.checks),
    due: Number(values.due),
    policy: values.policy,
    only: values.only,
    repository: values.repository && resolve(values.repository),
  });
}
