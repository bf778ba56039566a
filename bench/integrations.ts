/**
 * Whether integrations that do not work delay others: alerts over ten kinds; one never answers and one is slow,
 * against the same where all ten answer.
 *
 *     node bench/integrations.ts [--postgres] [--alerts=10000]
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CHANNEL_KINDS, isChannelKind, kindOf, readSettings } from '../src/integrations/registry.ts';
import { Fault } from '../src/lib/fields.ts';
import { fillChecks, GRACE_SECONDS, TIMEOUT_SECONDS, uuidOf } from './lib/checks.ts';
import { type BenchDatabase, createBenchDatabase } from './lib/database.ts';
import { printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const PLACES = 10;
/** The receivers' time for each message, and the slow one's. */
const ANSWER_MILLIS = 50;
const SLOW_MILLIS = 5_000;
/** Between setting deadlines and their passing: longer than the service may rest. */
const LEAD_MILLIS = 4_000;
const PATIENCE_MILLIS = 300_000;

interface Options {
  readonly postgres: boolean;
  readonly alerts: number;
}

const DEFAULTS: Options = { postgres: false, alerts: 10_000 };

type Source = Readonly<Record<string, unknown>>;

/** A receiver's reaction to a message. */
type Manner = 'answers' | 'slow' | 'silent';

export default async function run({ postgres, alerts }: Options = DEFAULTS): Promise<void> {
  const checks = Math.ceil(alerts / PLACES);
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  await using receiver = await startReceiver();
  const integrations = integrationsAt(receiver.port);
  await using _tocsin = await startTocsin(database, declarationOf(integrations), {
    INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
  });
  console.log(
    `${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}, ${alerts} alerts to ` +
      integrations.map(({ kind }) => kind).join(', '),
  );
  await database.run(fillChecks(database, 3 * checks));
  await sleep(2_000);
  const rows: string[][] = [];
  // The first round warms up the service.
  for (const [round, title] of ['warm-up', 'all ten answer', 'one is silent, one is slow'].entries()) {
    const manners: readonly Manner[] = round < 2 ? [] : ['silent', 'slow'];
    receiver.begin(manners);
    const deadline = await letFallDue(database, round * checks, checks);
    // The first two places are never waited for.
    const places = Array.from({ length: PLACES - 2 }, (_, index) => index + 2);
    await receiver.hasAll(places, checks);
    const delays = places.flatMap((place) => receiver.delays(place, deadline)).sort((a, b) => a - b);
    if (round > 0) rows.push([title, ...[0, 0.5, 0.99, 1].map((share) => secondsAt(delays, share))]);
  }
  console.log(`\nThe other eight, each message taking ${ANSWER_MILLIS} ms:`);
  printTable(['told after', 'first', 'half', '99 %', 'last'], rows);
}

function secondsAt(delays: readonly number[], share: number): string {
  return `${((delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN) / 1000).toFixed(2)} s`;
}

interface Integration {
  readonly kind: string;
  readonly settings: Source;
}

/**
 * Integrations of ten kinds, each with a host of its own on this machine: those that take any address and have no limit
 * of messages, by their examples. If there are fewer kinds, some come twice.
 */
function integrationsAt(port: number): Integration[] {
  const kinds = CHANNEL_KINDS.filter(isChannelKind).flatMap((kind) => {
    const code = kindOf(kind);
    const settings = code === null ? {} : movedTo(code.example, hostOf(0, port));
    const takesAddress = JSON.stringify(settings).includes(hostOf(0, port));
    const read = takesAddress ? readSettings(kind, settings) : null;
    return code === null || read === null || read instanceof Fault || code.limit !== undefined
      ? []
      : [{ kind, code }];
  });
  return Array.from({ length: PLACES }, (_, place) => {
    const { kind, code } = kinds[place % kinds.length] ?? { kind: '', code: null };
    return { kind, settings: movedTo(code?.example ?? {}, hostOf(place, port)) };
  });
}

function hostOf(place: number, port: number): string {
  return `127.0.0.${place + 2}:${port}`;
}

/** The settings with all addresses of the Web on that host. */
function movedTo(settings: Source, host: string): Source {
  return JSON.parse(JSON.stringify(settings).replace(/https?:\/\/[^/?#"]+/g, `http://${host}`));
}

function declarationOf(integrations: readonly Integration[]): object {
  const owner = 'bench@example.org';
  const declared = integrations.map(({ kind, settings }, place) => ({
    kind,
    name: `Place ${place}`,
    ...settings,
  }));
  return { accounts: [{ email: owner }], projects: [{ name: 'Bench', owner, integrations: declared }] };
}

/** Receives the messages. Each place is a host of its own. */
async function startReceiver() {
  let manners: readonly Manner[] = [];
  let arrivals: Map<string, number>[] = [];
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const place = Number(/^127\.0\.0\.(\d+)/.exec(request.headers.host ?? '')?.[1]) - 2;
    const [, check = ''] = /check[ +](\d+)/.exec(await textOf(request)) ?? [];
    if (!arrivals[place]?.has(check)) arrivals[place]?.set(check, at);
    const manner = manners[place] ?? 'answers';
    if (manner === 'silent') return;
    setTimeout(() => response.end(), manner === 'slow' ? SLOW_MILLIS : ANSWER_MILLIS);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    begin(next: readonly Manner[]) {
      manners = next;
      arrivals = Array.from({ length: PLACES }, () => new Map());
    },
    delays: (place: number, since: number) => [...(arrivals[place]?.values() ?? [])].map((at) => at - since),
    async hasAll(places: readonly number[], count: number): Promise<void> {
      const end = Date.now() + PATIENCE_MILLIS;
      while (places.some((place) => (arrivals[place]?.size ?? 0) < count)) {
        if (Date.now() > end) throw new Error(`arrived: ${arrivals.map(({ size }) => size).join(', ')}`);
        await sleep(10);
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Gives so many checks the same deadline, a moment from now, and all integrations. Says when it passes. */
async function letFallDue(database: BenchDatabase, first: number, count: number): Promise<number> {
  const deadline = Date.now() + LEAD_MILLIS;
  const lastPing = (deadline - (TIMEOUT_SECONDS + GRACE_SECONDS) * 1000) * 1000;
  const chosen = `checks.uuid between '${uuidOf(first)}' and '${uuidOf(first + count - 1)}'`;
  await database.run(
    `insert into check_channels (check_id, channel_id)
       select checks.id, channels.id from checks, channels where ${chosen};
     update checks set last_ping_at = ${lastPing}, deadline_at = ${deadline * 1000}, alarm_at = ${deadline * 1000} where ${chosen};`,
  );
  if (Date.now() > deadline) throw new Error('the deadline passed before it was set');
  return deadline;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: DEFAULTS.postgres },
      alerts: { type: 'string', default: String(DEFAULTS.alerts) },
    },
  });
  await run({ postgres: values.postgres, alerts: Number(values.alerts) });
}
