import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { SITE } from '../app.ts';
import { until } from '../waiting.ts';
import { type Dashboard, isIdle, startDashboard } from './dashboard.ts';
import { type Demo, makeDemo } from './demo.ts';
import { barriers, look } from './visit.ts';

let dashboard: Dashboard;
let demo: Demo;

before(async () => {
  dashboard = await startDashboard();
  demo = await makeDemo(dashboard.app);
});

after(() => dashboard[Symbol.asyncDispose]());

/** Holds the requests for such addresses back until they are let go. */
async function hold(page: Page, pattern: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(pattern, async (route) => {
    if (isOpen) await route.continue();
    else held.push(route);
  });
  return async () => {
    isOpen = true;
    for (const route of held) await route.continue();
  };
}

const skeletonOf = (page: Page) => page.locator('[data-skeleton]');

interface Jump {
  /** The part of the screen that moved, times how far it moved. */
  readonly value: number;
  readonly what: string;
}

/** A label that makes room for a longer one is no jump. */
const MAX_MOVED = 0.01;

/** Notes by how much the page jumps. */
const WATCH = `
  globalThis.jumps = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      // Rows of checks in trouble grow when their stories come.
      if (value > 0 && !sources.every(({ node }) => node?.closest?.('.check-row'))) jumps.push({ value, what: sources.map(({ node }) => node?.className ?? '').join() });
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** The moment after which something takes long never ends, however slow the machine is. */
const ENDLESS_MOMENT = `{
  const start = setTimeout;
  globalThis.setTimeout = (act, ms, ...rest) => (ms === 300 ? 0 : start(act, ms, ...rest));
}`;

/** Notes the outlines that are seen. */
const WATCH_OUTLINES = `
  globalThis.seen = [];
  new MutationObserver(() => {
    for (const element of document.querySelectorAll('[aria-busy="true"]')) {
      for (const animation of element.getAnimations({ subtree: true })) animation.pause();
      if (element.innerText !== '' && element.checkVisibility({ visibilityProperty: true })) seen.push(element.innerText);
    }
  }).observe(document, { childList: true, subtree: true });
`;

const pages = () => {
  const base = `/projects/${demo.project.uuid}`;
  const check = `/checks/${demo.checks.get('nightly-etl')?.uuid}/details/`;
  return [`${base}/checks/`, check, `${base}/integrations/`, `${base}/timeline/`, '/all-checks/'];
};

test('a first page that takes long is seen in outlines, and nothing jumps when it comes', async () => {
  for (const path of pages()) {
    await using visited = await dashboard.visitAs(demo.owner, { reducedMotion: 'reduce' });
    const { page } = visited;
    await page.addInitScript(WATCH);
    const letGo = await hold(page, '**/dashboard/api/**');
    await page.goto(SITE.root + path);
    await skeletonOf(page).waitFor();
    assert.equal(await page.locator('main [aria-busy="true"]').count(), 1, path);
    // The heading comes with the page.
    const found = (await barriers(page)).filter((barrier) => !barrier.startsWith('page-has-heading-one'));
    assert.deepEqual(found, [], path);
    await page.evaluate(ENDLESS_MOMENT);
    await letGo();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await isIdle(visited);
    assert.equal(await skeletonOf(page).count(), 0);
    assert.equal(await page.locator('main').count(), 1);
    const jumps = await page.evaluate<readonly Jump[]>('jumps');
    const moved = jumps.reduce((sum, { value }) => sum + value, 0);
    assert.ok(moved < MAX_MOVED, `${path} ${JSON.stringify(jumps)}`);
  }
});

test('another page that takes long is seen in outlines in the place of the last one', async () => {
  await using visited = await dashboard.visitAs(demo.owner, {});
  const { page } = visited;
  await page.goto(`${SITE.root}/projects/${demo.project.uuid}/checks/`);
  await isIdle(visited);
  const letGo = await hold(page, '**/dashboard/api/**');
  const link = page.getByRole('navigation').getByRole('link', { name: 'Integrations' }).first();
  await link.click();
  await skeletonOf(page).waitFor();
  assert.equal(await page.getByRole('link', { name: 'db-backup' }).first().isVisible(), false);
  await letGo();
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
  await skeletonOf(page).waitFor({ state: 'detached' });
});

test('a page that comes at once is never seen in outlines', async () => {
  await using visited = await dashboard.visitAs(demo.owner, {});
  const { page } = visited;
  await page.addInitScript(ENDLESS_MOMENT + WATCH_OUTLINES);
  for (const path of pages()) {
    await page.goto(SITE.root + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.deepEqual(await page.evaluate('seen'), [], path);
  }
});

test('before the scripts have come there is the outline of a page in the colours of the theme', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using visited = await dashboard.visitAs(demo.owner, { colorScheme });
    const { page } = visited;
    const letGo = await hold(page, '**/assets/*.js');
    await page.goto(`${SITE.root}/projects/${demo.project.uuid}/checks/`, { waitUntil: 'commit' });
    const outline = page.locator('.before-scripts');
    await until('the outline is seen', () => outline.isVisible());
    assert.equal((await look(page)).brightness < 128, colorScheme === 'dark');
    await letGo();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await outline.isVisible(), false);
  }
});

test('the first load of the list of checks has less than 200 kB of scripts', async () => {
  await using visited = await dashboard.visitAs(demo.owner, {});
  const { page } = visited;
  await page.goto(`${SITE.root}/projects/${demo.project.uuid}/checks/`);
  await page.locator('.row-link').first().waitFor();
  const sizes = await page.evaluate<number[]>(
    "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ encodedBodySize }) => encodedBodySize)",
  );
  assert.ok(sizes.length > 0 && sizes.every((size) => size > 0), String(sizes));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 200_000, `${total} bytes in ${sizes.length} files`);
});
