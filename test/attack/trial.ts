import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SERVICE_FLAGS } from '../../bin/runtime.js';
import type { Database } from '../../src/storage/open.ts';
import { listening, REPOSITORY, type RunningProcess, startProcess, temporaryFolder } from '../process.ts';
import type { Attack, Target } from './attack.ts';
import type { Order } from './attacker.ts';
import {
  hearsOfFailures,
  type Neighbour,
  pingsByMail,
  pingsOnNewConnections,
  pingsOnOneConnection,
} from './neighbour.ts';

/** The effect of an attack on others. */
export interface Outcome {
  readonly attack: string;
  /** Pings over HTTP. */
  readonly maxWaitMs: number;
  /** Pings by mail. */
  readonly maxMailMs: number;
  /** From a failure that was told until its alert arrived. */
  readonly maxAlertMs: number;
  /** The most memory that the service had resident since it was started. */
  readonly peakMegabytes: number;
  readonly pings: number;
  /** Pings that got another answer than they should, and pings that were acknowledged and are not there. */
  readonly wrong: readonly string[];
  /** Times in which the service held itself to be blind since it was started. */
  readonly blindSpans: number;
  readonly isReady: boolean;
}

/** A service that is to be attacked. */
export interface Victim extends AsyncDisposable {
  readonly service: RunningProcess;
  readonly url: string;
  readonly smtpPort: number;
}

export interface VictimOptions {
  readonly database: Database;
  /** The checkout whose service is attacked; this one by default. */
  readonly repository?: string | undefined;
  readonly env?: Attack['env'];
}

export interface TrialOptions {
  readonly size: 'short' | 'full';
  /** The attacker's address. */
  readonly from: string;
}

const DOMAIN = 'ping.example.org';
const ATTACKER_KEY = 'hcw_0123456789abcdefghijklmnopqr';
const NEIGHBOUR_KEY = 'hcw_1123456789abcdefghijklmnopqr';
const METRICS_KEY = 'metrics';
/** Pings of every neighbour before the attack, during its aftermath, and after it. */
const PINGS_EACH = 10;

const DECLARATION = {
  accounts: [
    { email: 'attacker@example.org', limits: { checks: 10_000, pings: 100 } },
    { email: 'neighbour@example.org', limits: { checks: 1_000, pings: 1_000 } },
  ],
  projects: [
    { name: 'Attacker', owner: 'attacker@example.org', keys: { read_write: ATTACKER_KEY } },
    { name: 'Neighbour', owner: 'neighbour@example.org', keys: { read_write: NEIGHBOUR_KEY } },
  ],
};

export async function startVictim({
  database,
  repository = REPOSITORY,
  env,
}: VictimOptions): Promise<Victim> {
  await using opened = new AsyncDisposableStack();
  const { path: cwd } = opened.use(await temporaryFolder());
  const file = join(cwd, 'declaration.yaml');
  // JSON is YAML, too.
  await writeFile(file, JSON.stringify(DECLARATION));
  const args = [...SERVICE_FLAGS, join(repository, 'bin/sources.js'), 'serve'];
  const service = startProcess(process.execPath, args, {
    cwd,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      SMTPD_PORT: '0',
      PING_EMAIL_DOMAIN: DOMAIN,
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      PROVISION_FILE: file,
      SECRET_KEY: 'a secret of this test, and long enough to be one',
      API_RATE_LIMIT: '0',
      INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
      METRICS_KEY,
      // The attacker comes from another address, and behind no proxy.
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      ...env,
    },
  });
  opened.use(service);
  const url = await listening(service);
  const smtpPort = Number((await service.output(/, mail on \S+:(\d+) for /))[1]);
  const resources = opened.move();
  return { service, url, smtpPort, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Attacks a service, beside neighbours who ping. */
export async function tryAttack(
  attack: Attack,
  { service, url, smtpPort }: Victim,
  options: TrialOptions,
): Promise<Outcome> {
  const httpPort = Number(new URL(url).port);
  const create = (key: string, fields: object) => createCheck(url, key, fields);
  const target: Target = {
    httpPort,
    smtpPort,
    mailDomain: DOMAIN,
    key: ATTACKER_KEY,
    check: await create(ATTACKER_KEY, {}),
    filteringCheck: await create(ATTACKER_KEY, {
      filter_subject: true,
      filter_body: true,
      success_kw: 'SUCCESS',
    }),
  };
  const checks = await Promise.all(Array.from({ length: 5 }, () => create(NEIGHBOUR_KEY, {})));
  const [one = '', two = '', three = '', four = '', five = ''] = checks;
  const byHttp = [
    pingsOnOneConnection(httpPort, one),
    pingsOnOneConnection(httpPort, two),
    pingsOnNewConnections(httpPort, three),
    pingsOnNewConnections(httpPort, four),
  ];
  const byMail = pingsByMail(smtpPort, `${five}@${DOMAIN}`);
  const neighbours = [...byHttp, byMail];
  const alerted = await hearsOfFailures({ port: httpPort, key: NEIGHBOUR_KEY });
  const all = [...neighbours, alerted];
  await sendUntilQuiet(attack, options, target, all);
  await Promise.all(all.map((neighbour) => neighbour.stop()));
  const lost = await lostPings(url, checks, neighbours);
  const ready = await fetch(`${url}/api/v3/ready/`);
  return {
    attack: attack.name,
    maxWaitMs: Math.max(...byHttp.map(({ maxWaitMs }) => maxWaitMs)),
    maxMailMs: byMail.maxWaitMs,
    maxAlertMs: alerted.maxWaitMs,
    peakMegabytes: await peakMegabytes(service.pid),
    pings: neighbours.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    wrong: [...all.flatMap(({ wrong }) => wrong), ...lost],
    blindSpans: await blindSpans(url),
    isReady: ready.status === 200,
  };
}

async function sendUntilQuiet(
  attack: Attack,
  { size, from }: TrialOptions,
  target: Target,
  neighbours: readonly Neighbour[],
): Promise<void> {
  const ping = () => Promise.all(neighbours.map((neighbour) => neighbour.more(PINGS_EACH)));
  await ping();
  const order: Order = { attack: attack.name, amount: attack.amount[size], target, from };
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: order });
  try {
    await new Promise((resolve, reject) => {
      attacker.once('message', resolve);
      attacker.once('error', reject);
    });
    await ping();
  } finally {
    await attacker.terminate();
  }
  await ping();
}

async function createCheck(url: string, key: string, fields: object): Promise<string> {
  const reply = await fetch(`${url}/api/v3/checks/`, {
    method: 'POST',
    headers: { 'X-Api-Key': key },
    body: JSON.stringify({ name: 'check', timeout: 86_400, ...fields }),
  });
  if (reply.status !== 201) throw new Error(`no check was created: ${reply.status} ${await reply.text()}`);
  const { uuid } = (await reply.json()) as { uuid: string };
  return uuid;
}

async function lostPings(
  url: string,
  checks: readonly string[],
  neighbours: readonly Neighbour[],
): Promise<string[]> {
  const lost: string[] = [];
  for (const [index, { acknowledged }] of neighbours.entries()) {
    const reply = await fetch(`${url}/api/v3/checks/${checks[index]}`, {
      headers: { 'X-Api-Key': NEIGHBOUR_KEY },
    });
    const { n_pings: recorded } = (await reply.json()) as { n_pings: number };
    if (recorded < acknowledged) lost.push(`${acknowledged - recorded} pings lost`);
  }
  return lost;
}

async function blindSpans(url: string): Promise<number> {
  const reply = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_KEY}` } });
  const [, count] = /^tocsin_blind_spans_total (\d+)/m.exec(await reply.text()) ?? [];
  return Number(count);
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html: the highest that resident memory has been. */
async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}
