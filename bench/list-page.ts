/**
 * The cost of the list of checks in a browser: bytes of scripts, the time until it can be used with 5,000 checks, the time that
 * a key in the filter takes, and the memory of the page after live updates at 50 pings a second. A key's time includes the
 * wait for the next frame; its processor time does not, and is the figure to compare versions by. The seconds of the updates
 * are virtual, on the server and in the page: the next one begins when the page has read what has changed.
 *
 *     node bench/list-page.ts [--seconds=3600]
 */
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { buildPages } from '../scripts/pages.ts';
import type { Check } from '../src/domain/check/check.ts';
import { SITE, type TestApp } from '../test/app.ts';
import { startDashboard } from '../test/browser/dashboard.ts';
import { givenTeam } from '../test/dashboard/team.ts';
import { checkRecord } from '../test/records.ts';
import { until } from '../test/waiting.ts';
import { median, printTable } from './lib/table.ts';

const CHECKS = 5_000;
const PINGS_PER_SECOND = 50;
/** Loads of the page and keys typed. The medians are printed. */
const LOADS = 10;
const TYPED = 'job49';

/** Runs in the page: types a key, and tells how long it took until the page was drawn. */
const TYPE = (key: string) => `new Promise((resolve) => {
  const box = document.querySelector('input[type="search"]');
  const from = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, box.value + '${key}');
  box.dispatchEvent(new Event('input', { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
})`;

export default async function run(
  { seconds }: { readonly seconds: number } = { seconds: 600 },
): Promise<void> {
  await buildPages();
  await using dashboard = await startDashboard();
  const { app } = dashboard;
  const team = await givenTeam(app);
  const checks = await givenChecks(app, team.project.id);
  const list = `${SITE.root}${team.path}/checks/`;

  const loads: Load[] = [];
  for (let n = 0; n < LOADS; n++) {
    const { page } = await dashboard.visitAs(team, {});
    loads.push(await measureLoad(page, list));
    await page.context().close();
  }
  const { page } = await dashboard.visitAs(team, {});
  await page.clock.install();
  const session = await page.context().newCDPSession(page);
  await page.goto(list);
  await page.locator('.row-link').first().waitFor();
  const before = await heapMegabytes(session);
  await live(app, page, checks, seconds);
  const after = await heapMegabytes(session);

  const keys = loads.flatMap((load) => load.keyMillis);
  const row = (what: string, measured: number, unit: string, limit: string) => [
    what,
    `${measured.toFixed(0)} ${unit}`,
    limit,
  ];
  printTable(
    ['', 'measured', 'limit'],
    [
      row(
        'scripts of the first load, compressed',
        median(loads.map((load) => load.kilobytes)),
        'kB',
        '200 kB',
      ),
      row(
        `usable with ${CHECKS} checks after a cold load`,
        median(loads.map((load) => load.usableMillis)),
        'ms',
        '1,500 ms',
      ),
      row('a key in the filter, median', median(keys), 'ms', '50 ms'),
      row('a key in the filter, slowest', Math.max(...keys), 'ms', '50 ms'),
      row(
        'processor time of a load, median',
        median(loads.map((load) => load.loadProcessorMillis)),
        'ms',
        '',
      ),
      row(
        'processor time of a key, median',
        median(loads.flatMap((load) => load.keyProcessorMillis)),
        'ms',
        '',
      ),
      row('memory of the page before updates', before, 'MB', '150 MB'),
      row(`after ${seconds} seconds at ${PINGS_PER_SECOND} pings a second`, after, 'MB', '150 MB'),
    ],
  );
}

async function givenChecks({ deps, clock }: TestApp, projectId: number): Promise<Check[]> {
  const checks: Check[] = [];
  await deps.store.transaction(async (tx) => {
    for (let n = 1; n <= CHECKS; n++) {
      const known = { name: `job${n}`, tags: `tag${n % 20}`, status: 'up', lastPingAt: clock.now() } as const;
      checks.push(await tx.checks.insert(checkRecord(projectId, known)));
    }
  });
  return checks;
}

interface Load {
  /** Bytes of scripts, as they were sent. */
  readonly kilobytes: number;
  readonly usableMillis: number;
  readonly keyMillis: readonly number[];
  readonly loadProcessorMillis: number;
  readonly keyProcessorMillis: readonly number[];
}

/** Each page has an empty cache of its own. */
async function measureLoad(page: Page, address: string): Promise<Load> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const scripts = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  const from = performance.now();
  await page.goto(address);
  await page.locator('.row-link').first().waitFor();
  const usableMillis = performance.now() - from;
  // Nobody types within the moment in which the first row appears.
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  const loadProcessorMillis = await processorMillis(session);
  const keyMillis: number[] = [];
  const keyProcessorMillis: number[] = [];
  for (const key of TYPED) {
    const before = await processorMillis(session);
    keyMillis.push(await page.evaluate<number>(TYPE(key)));
    keyProcessorMillis.push((await processorMillis(session)) - before);
  }
  return { kilobytes: bytes / 1_024, usableMillis, keyMillis, loadProcessorMillis, keyProcessorMillis };
}

/** The processor time that the page's own thread has used. */
async function processorMillis(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}

async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1_048_576;
}

/** Pings all checks in turn while the page is open. */
async function live(app: TestApp, page: Page, checks: readonly Check[], seconds: number): Promise<void> {
  const { changes } = app.node.parts;
  let reads = 0;
  page.on('response', (reply) => {
    if (reply.url().includes('/read/checkRows')) reads++;
  });
  for (let second = 0; second < seconds; second++) {
    const start = (second * PINGS_PER_SECOND) % CHECKS;
    const pinged = checks.slice(start, start + PINGS_PER_SECOND);
    await Promise.all(pinged.map(({ uuid }) => app.ping(`/${uuid}`)));
    const { projectId = 0 } = pinged[0] ?? {};
    const checkIds = pinged.map(({ id }) => id);
    changes.announce([{ projectId, checkIds, channelIds: [], touchesStatus: false }]);
    const before = reads;
    await until('the page has read what has changed', async () => {
      app.clock.advance({ seconds: 0.5 });
      changes.tick();
      await app.node.http.live.tick();
      await page.clock.runFor(500);
      return reads > before;
    });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } });
  await run({ seconds: Number(values.seconds) });
}
