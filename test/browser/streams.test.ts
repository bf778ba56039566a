import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { becomes } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { appears, type Dashboard, flagsFor, isQuiet, startDashboard } from './dashboard.ts';
import { test } from './tests.ts';
import { type Visit, visit } from './visit.ts';

const parts = new AsyncDisposableStack();
let dashboard: Dashboard;
let browser: Browser;
let team: Awaited<ReturnType<typeof givenTeam>>;

before(async () => {
  dashboard = parts.use(await startDashboard());
  // Browsers keep pages that were left, to show them again at once. Playwright turns that off.
  const flags = flagsFor(await dashboard.app.port());
  browser = parts.use(await launchBrowser(flags, ['--disable-back-forward-cache']));
  team = await givenTeam(dashboard.app);
  await dashboard.app.givenCheck(team.project, {
    name: 'backup',
    status: 'up',
    lastPingAt: dashboard.app.clock.now(),
  });
});

after(() => parts.disposeAsync());

const listPath = () => `${SITE.root}/projects/${team.project.uuid}/checks/`;

async function open(): Promise<Visit> {
  const visited = await visit(browser, SITE.root, {});
  const cookies = [...team.browser.cookies].map(([name, value]) => ({ name, value, url: SITE.root }));
  await visited.page.context().addCookies(cookies);
  return visited;
}

const streams = () => dashboard.app.node.http.live.count;
const streamsBecome = (count: number) => becomes(async () => streams(), count);

/** A check that is new appears on the page. */
async function hears(page: Page, name: string): Promise<void> {
  await dashboard.app.givenCheck(team.project, { name, status: 'up', lastPingAt: dashboard.app.clock.now() });
  await appears(dashboard, team.project, page.getByRole('link', { name, exact: true }));
}

test('two tabs share one stream, and the other one hears of changes after the first is closed', async () => {
  await using visited = await open();
  const { page: first } = visited;
  await first.goto(listPath());
  await streamsBecome(1);
  const second = await first.context().newPage();
  await second.goto(listPath());
  await hears(second, 'first-job');
  await hears(first, 'second-job');

  assert.equal(streams(), 1);
  await first.close();
  await hears(second, 'third-job');
  assert.equal(streams(), 1);
  await second.close();
  await streamsBecome(0);
  isQuiet(visited);
});

// Not where tabs share a stream: Chromium freezes a worker with the last page that it serves, perhaps before the worker hears that
// the page was left. Then it holds the connection until Chromium drops the page.
test('pages that were left hold no connection, where each tab has its own stream', async () => {
  await using visited = await open();
  const { page } = visited;
  await page.addInitScript('delete window.SharedWorker');
  for (let round = 0; round < 2; round++) {
    await page.goto(listPath());
    await streamsBecome(1);
    await page.goto(`${SITE.root}/docs/`);
    await streamsBecome(0);
  }
  isQuiet(visited);
});

for (const [words, script] of [
  ['tabs share a stream', ''],
  ['each tab has its own stream', 'delete window.SharedWorker'],
])
  test(`a page that is put aside holds no connection until it is shown again, where ${words}`, async () => {
    await using visited = await open();
    const { page } = visited;
    await page.addInitScript(script ?? '');
    await page.goto(listPath());
    await streamsBecome(1);

    // What browsers do depends on their memory. This is what they say.
    const say = (name: string) =>
      page.evaluate(`void dispatchEvent(new PageTransitionEvent('${name}', { persisted: true }))`);
    await say('pagehide');
    await streamsBecome(0);
    await say('pageshow');
    await streamsBecome(1);
    isQuiet(visited);
  });
