/**
 * The cost of an account that asks very much for another one: how long the other's list takes alone, and beside it.
 *
 *     node bench/neighbours.ts [--postgres] [--repository=FOLDER]
 */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { type BenchDatabase, createBenchDatabase } from './lib/database.ts';
import { median, printTable } from './lib/table.ts';
import { startTocsin } from './lib/tocsin.ts';

const ATTACKER = 'attacker@example.org';
const NEIGHBOUR = 'neighbour@example.org';
const NEIGHBOUR_KEY = `hcw_${'n'.repeat(28)}`;
const CHECKS = 4_000;
const PAGES = 12;
const VISITORS = 15;
const PROJECTS = 11;
const REQUESTS = 1_100;
/** Each of these tags is on every check of the attacker. */
const TAGS = ['prod', 'db', 'web', 'eu', 'us'];
const MOST_LISTS = 30;
const MOST_MILLIS = 20_000;

interface Options {
  readonly postgres: boolean;
  readonly repository?: string | undefined;
}

/** An attacker's orders. */
interface Order {
  readonly requests: readonly { readonly url: string; readonly key?: string }[];
  /** Between an answer and the next request. */
  readonly pauseMillis: number;
  /** The address of a check that fails and succeeds in turn. */
  readonly pinged?: string;
}

interface Waits {
  readonly millis: readonly number[];
  readonly refused: number;
}

export default async function run({ postgres, repository }: Options = { postgres: false }): Promise<void> {
  await using database = await createBenchDatabase(postgres ? 'postgres' : 'sqlite');
  const env = { SECRET_KEY: 'a secret for benchmarks only', API_RATE_LIMIT: '0' };
  await using tocsin = await startTocsin(database, declaration(), env, repository);
  const site = `http://127.0.0.1:${tocsin.port}`;
  const slugs = await addPages(database);
  const { checks }: { checks: { ping_url: string }[] } = Object(await listOf(site, keyOf(0)));
  const orders: Record<string, Order> = {
    [`${VISITORS} visitors of ${PAGES} status pages over ${CHECKS} checks`]: {
      pauseMillis: 0,
      requests: Array.from({ length: VISITORS }, (_, n) => ({ url: `${site}/status/${slugs[n % PAGES]}/` })),
      // The pages change all the time.
      pinged: `${site}${new URL(checks[0]?.ping_url ?? '').pathname}`,
    },
    [`${REQUESTS} requests at once in ${PROJECTS} projects`]: {
      pauseMillis: 5_000,
      requests: Array.from({ length: REQUESTS }, (_, n) => ({
        ...{ url: `${site}/api/v3/checks/?tag=${TAGS[n % TAGS.length]}`, key: keyOf(n % PROJECTS) },
      })),
    },
  };
  await listsOf(site);
  const rows: string[][] = [];
  for (const [name, order] of Object.entries(orders)) {
    const alone = await listsOf(site);
    const attacker = new Worker(new URL(import.meta.url), { workerData: { order } });
    await sleep(1_000);
    rows.push(rowOf(name, alone, await listsOf(site)));
    await attacker.terminate();
  }
  console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, Node ${process.version}`);
  printTable(['beside', 'ms alone', 'beside', 'ratio', 'longest', 'lists', 'refused'], rows);
}

function declaration(): object {
  return {
    accounts: [ATTACKER, NEIGHBOUR].map((email) => ({ email, limits: { checks: 10_000, pings: 100 } })),
    projects: [
      ...Array.from({ length: PROJECTS }, (_, n) => ({
        ...{ name: `Attacker ${n}`, owner: ATTACKER, keys: { read_write: keyOf(n) } },
        checks: checksOf(n === 0 ? CHECKS : 100),
      })),
      { name: 'Neighbour', owner: NEIGHBOUR, keys: { read_write: NEIGHBOUR_KEY }, checks: checksOf(100) },
    ],
  };
}

function keyOf(project: number): string {
  return `hcw_${String.fromCharCode(97 + project).repeat(28)}`;
}

function checksOf(count: number): object[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ slug: `job-${n}`, name: `Job ${n}`, tags: TAGS.join(' ') },
    ...{ schedule: `${n % 60} * * * *`, tz: 'Europe/Riga' },
  }));
}

/** Published pages with a component for each tag. */
async function addPages({ engine, run }: BenchDatabase): Promise<string[]> {
  const components = TAGS.map((tag) => ({ id: tag, name: tag, group: '', covers: { tag } }));
  const slugs = Array.from({ length: PAGES }, (_, n) => `page-${n}`);
  const isPublished = engine === 'sqlite' ? '1' : 'true';
  for (const slug of slugs)
    await run(
      `insert into status_pages
         (uuid, project_id, slug, title, about, tz, is_published, components, revision, created_at)
       select '${randomUUID()}', id, '${slug}', 'Status', '', 'UTC', ${isPublished},
              '${JSON.stringify(components)}', 1, 0 from projects where name = 'Attacker 0'`,
    );
  return slugs;
}

/** Sends each of the requests again and again, in a thread of its own. */
async function attack({ pauseMillis, requests, pinged }: Order): Promise<void> {
  const repeat = async (millis: number, ask: (n: number) => Promise<Response>) => {
    for (let n = 0; ; n++) {
      await (await ask(n)).arrayBuffer();
      await sleep(millis);
    }
  };
  await Promise.all([
    ...(pinged === undefined ? [] : [repeat(200, (n) => fetch(`${pinged}${n % 2 === 0 ? '/fail' : ''}`))]),
    ...requests.map(({ url, key = '' }) =>
      repeat(pauseMillis, () => fetch(url, { headers: { 'x-api-key': key } })),
    ),
  ]);
}

async function listOf(site: string, key: string): Promise<unknown> {
  return (await fetch(`${site}/api/v3/checks/`, { headers: { 'x-api-key': key } })).json();
}

/** Lists one after the other, as a person does who looks at their checks. */
async function listsOf(site: string): Promise<Waits> {
  const millis: number[] = [];
  let refused = 0;
  const begin = performance.now();
  while (millis.length < MOST_LISTS && performance.now() - begin < MOST_MILLIS) {
    const since = performance.now();
    const reply = await fetch(`${site}/api/v3/checks/`, { headers: { 'x-api-key': NEIGHBOUR_KEY } });
    await reply.arrayBuffer();
    if (reply.status !== 200) refused++;
    millis.push(performance.now() - since);
    await sleep(100);
  }
  return { millis, refused };
}

function rowOf(name: string, alone: Waits, beside: Waits): string[] {
  const [before, after] = [median(alone.millis), median(beside.millis)];
  const figures = [before, after, after / before, Math.max(...beside.millis)];
  return [name, ...figures.map((one) => one.toFixed(1)), `${beside.millis.length}`, `${beside.refused}`];
}

if (!isMainThread) await attack(workerData.order);
else if (import.meta.main) {
  const { values } = parseArgs({
    options: { postgres: { type: 'boolean', default: false }, repository: { type: 'string' } },
  });
  await run({ ...values, repository: values.repository && resolve(values.repository) });
}
