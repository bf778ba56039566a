import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import pino from 'pino';
import type { Browser } from 'playwright-core';
import { readConfig } from '../../src/config/read-config.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type App, startApp } from '../../src/main.ts';
import { startSession } from '../../src/services/people/sessions.ts';
import { announcingStore } from '../announcing-store.ts';
import { createMigratedPlace, openTestDriver } from '../engines.ts';
import { freePort } from '../free-port.ts';
import { REPOSITORY } from '../process.ts';
import { accountRecord, checkRecord, projectRecord } from '../records.ts';
import { becomes } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { looks } from './looks.ts';
import { lookTest, test } from './tests.ts';
import { barriers, look, SCREENS, type Visit, visit } from './visit.ts';

const WORLD = {
  clock: systemClock,
  random: systemRandom,
  log: pino({ level: 'silent' }),
  pagesFolder: join(REPOSITORY, 'web/dist'),
};

/** A node, and where its pages are. */
interface Node {
  readonly app: App;
  readonly root: string;
}

const parts = new AsyncDisposableStack();
let browser: Browser;
let one: Node;
let two: Node;
let token: string;
let project: Project;
let check: Check;

before(async () => {
  const { database } = parts.use(await createMigratedPlace('postgres'));
  {
    await using driver = await openTestDriver(database);
    await announcingStore(driver).transaction(async (tx) => {
      const account = await tx.accounts.insert(accountRecord({ email: 'alice@example.org' }));
      project = await tx.projects.insert(projectRecord(account.id, { name: 'Platform' }));
      check = await tx.checks.insert(
        checkRecord(project.id, { name: 'db-backup', status: 'up', lastPingAt: systemClock.now() }),
      );
      const client = { address: '127.0.0.1', userAgent: 'Chromium', device: null };
      ({ token } = await startSession(WORLD, tx, account, client, null));
    });
  }
  const start = async (path: string): Promise<Node> => {
    const port = await freePort();
    const root = `http://127.0.0.1:${port}${path}`;
    const config = readConfig({ SECRET_KEY: 'a secret for tests only, and a long one', SITE_ROOT: root });
    const app = parts.use(
      await startApp({ ...config, database, listen: { host: '127.0.0.1', port } }, WORLD),
    );
    return { app, root };
  };
  // The second one has a path of its own, as behind a proxy that serves several programs.
  [one, two] = [await start(''), await start('/watch')];
  browser = parts.use(await launchBrowser());
});

after(() => parts.disposeAsync());

/** A page of somebody who is signed in. */
async function open({ root }: Node, path: string): Promise<Visit> {
  const visited = await visit(browser, root);
  await visited.page.context().addCookies([{ name: 'tocsin_session', value: token, url: root }]);
  await visited.page.goto(root + path);
  return visited;
}

const isLive = ({ page }: Visit) => page.getByText('Live, and watching').first().waitFor();

const ping = async ({ root }: Node, what = '') => {
  const reply = await fetch(`${root}/ping/${check.uuid}${what}`);
  assert.equal(reply.status, 200);
};

/** Waits for the picture of the tab. */
async function untilFavicon({ page }: Visit, file: string): Promise<void> {
  await page.locator(`link[rel="icon"][href$="${file}"]`).waitFor({ state: 'attached' });
}

function isQuiet({ complaints, foreign }: Visit): void {
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
}

test('a way to tell that somebody makes at another node appears on Settings → Alerts', async () => {
  const path = `/projects/${project.uuid}/settings/alerts/`;
  await using here = await open(one, path);
  await using there = await open(two, path);
  await Promise.all([isLive(here), isLive(there)]);

  await there.page.getByRole('button', { name: 'New own way' }).click();
  const form = there.page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('calm');
  await form.getByLabel('Bad runs in a row').fill('2');
  await form.getByRole('button', { name: 'Add', exact: true }).click();

  await here.page.getByText('Told after 2 bad runs in a row').waitFor();
  for (const visited of [here, there]) isQuiet(visited);
});

test('two browsers at two nodes see what happens at the other one, and it is said aloud', async () => {
  await using here = await open(one, '/');
  await using there = await open(two, `/projects/${project.uuid}/timeline/`);
  await Promise.all([isLive(here), isLive(there)]);
  await untilFavicon(there, '/bell.svg');

  await ping(one, '/fail');
  await Promise.all([untilFavicon(here, '/down-1.svg'), untilFavicon(there, '/down-1.svg')]);
  await there.page.getByRole('img', { name: '0 ran, 1 failed', exact: false }).waitFor();
  await there.page.getByText('1 check is down.').waitFor({ state: 'attached' });
  await ping(two);
  await Promise.all([untilFavicon(here, '/bell.svg'), untilFavicon(there, '/bell.svg')]);
  // Another ten minutes may have begun: then both have bars of their own.
  await there.page
    .getByRole('img', { name: /\b1 ran\b/ })
    .first()
    .waitFor();

  for (const visited of [here, there]) isQuiet(visited);
});

test('who acknowledges elsewhere is seen at once, and a snooze that ends brings the check back by itself', async () => {
  await using here = await open(one, `/projects/${project.uuid}/checks/`);
  await using there = await open(two, `/checks/${check.uuid}/details/`);
  await Promise.all([isLive(here), isLive(there)]);
  const headline = (name: RegExp) => here.page.getByRole('heading', { level: 1, name }).waitFor();
  await ping(one, '/fail');
  await Promise.all([untilFavicon(here, '/down-1.svg'), headline(/^1 down\./)]);
  assert.match(await here.page.title(), /^1 down/);

  await there.page.getByRole('button', { name: 'Acknowledge' }).click();

  await Promise.all([untilFavicon(here, '/bell-late.svg'), headline(/^1 acknowledged\./)]);
  await here.page.getByText('has db-backup since').waitFor();
  await here.page
    .locator('.row-taken')
    .getByText(/acknowledged by alice@example.org/)
    .waitFor({ state: 'attached' });
  await becomes(async () => (await here.page.title()).startsWith('Checks'), true);
  await there.page.getByRole('button', { name: 'Take back' }).click();
  await Promise.all([untilFavicon(here, '/down-1.svg'), headline(/^1 down\./)]);

  // The shortest that somebody can choose is a minute. Through the API it is a second.
  const until = Math.floor(systemClock.now() / 1_000_000) + 3;
  const session = { cookie: `tocsin_session=${token}`, origin: two.root.slice(0, -'/watch'.length) };
  const reply = await fetch(`${two.root}/dashboard/api/checks/${check.uuid}/do/snoozeCheck`, {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json' },
    body: JSON.stringify({ until }),
  });
  assert.equal(reply.status, 200, await reply.text());
  await Promise.all([untilFavicon(here, '/bell.svg'), here.page.getByText('Silent until').waitFor()]);
  await Promise.all([untilFavicon(here, '/down-1.svg'), headline(/^1 down\./)]);
  await ping(two);
  await untilFavicon(here, '/bell.svg');
  for (const visited of [here, there]) isQuiet(visited);
});

test('below a path of its own links, badges, the documentation and the sign-in work', async () => {
  await using visited = await open(two, `/projects/${project.uuid}/timeline/`);
  const { page } = visited;
  await page.getByRole('link', { name: 'Checks', exact: true }).click();
  await page.waitForURL(`${two.root}/projects/${project.uuid}/checks/`);
  await page.getByRole('link', { name: 'db-backup' }).click();
  await page.getByText(`${two.root}/ping/${check.uuid}`).first().waitFor();
  await page.getByRole('link', { name: 'Badges' }).click();
  const picture = page.getByLabel('How it looks').getByRole('img').first();
  assert.match((await picture.getAttribute('src')) ?? '', /^\/watch\/b(?:adge)?\//);
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
  const docs = await page.request.get(`${two.root}/docs/`);
  assert.match(await docs.text(), /href="\/watch\/docs\//);
  await page.context().clearCookies();
  await page.goto(`${two.root}/`);
  await page.waitForURL(/\/watch\/accounts\/login\//);
  await page.getByLabel('E-mail').waitFor();
  isQuiet(visited);
});

test('a page without network says from when its data are, and catches up', async () => {
  await using visited = await open(one, `/projects/${project.uuid}/checks/`);
  const { page } = visited;
  // Playwright takes the network from pages alone, not from what they share.
  await page.addInitScript('delete window.SharedWorker');
  await page.reload();
  await isLive(visited);

  await page.context().setOffline(true);
  await page.getByRole('heading', { level: 1, name: /^Not connected, as of \d/ }).waitFor();
  assert.equal(await page.getByRole('heading', { level: 1 }).getByText('fine').count(), 0);
  await ping(two, '/fail');
  await untilFavicon(visited, '/bell.svg');
  await page.context().setOffline(false);

  await isLive(visited);
  await untilFavicon(visited, '/down-1.svg');
  await ping(two);
  await untilFavicon(visited, '/bell.svg');
  assert.deepEqual(visited.foreign, []);
});

lookTest(
  'by keyboard: the palette finds a check by a slip, pauses it, and gives the focus back',
  async () => {
    await using visited = await open(one, `/projects/${project.uuid}/timeline/`);
    const { page } = visited;
    await isLive(visited);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('bakcup');
    await page
      .getByRole('option', { name: /db-backup/ })
      .getByText(/last ping/)
      .waitFor();
    await page.getByRole('combobox').fill('db-backup');
    await page.getByRole('group', { name: 'Do with db-backup' }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Paused db-backup').waitFor();
    await page.getByRole('listitem').getByRole('img', { name: 'Paused' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('>keys');
    await page.getByRole('option', { name: 'Keys of this page', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await page.getByRole('switch').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    assert.match(page.url(), /timeline/);
    isQuiet(visited);
  },
);

lookTest('the timeline is for everybody, on every screen, light and dark', async () => {
  await using visited = await open(one, `/projects/${project.uuid}/timeline/`);
  const { page } = visited;
  const lanes = page.getByRole('region', { name: 'Runs of all checks' });

  for (const screen of looks.screens) {
    await page.setViewportSize(screen);
    for (const colorScheme of looks.themes) {
      const where = `${screen.width} px, ${colorScheme}`;
      // Colours that are still changing are those of neither theme.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await becomes(async () => (await look(page)).brightness < 128, colorScheme === 'dark');
      await lanes.getByRole('link').first().waitFor();
      assert.deepEqual(await barriers(page), [], where);
      await becomes(async () => (await look(page)).overflow, 0);
      await page.getByRole('button', { name: 'Show as table' }).click();
      await page.getByRole('columnheader', { name: 'Expected next' }).waitFor();
      assert.deepEqual(await barriers(page), [], `the table, ${where}`);
      await page.getByRole('button', { name: 'Show as timeline' }).click();
    }
    await lanes.getByRole('link').first().waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/at=\d+/);
    await page.keyboard.press('-');
    await page.waitForURL(/span=24h/);
    await page.keyboard.press('t');
    await page.waitForURL((url) => !url.search.includes('at='));
    await page.keyboard.press('+');
    await page.waitForURL((url) => !url.search.includes('span=24h'));
  }
  await page.setViewportSize(SCREENS.narrow);
  await becomes(async () => (await look(page)).overflow, 0);
  isQuiet(visited);
});

test('the timeline is as wide as the screen, even with an hour at its edge', async () => {
  const HOUR = 3_600;
  // The axis ends four hours later, and the last whole hour is a minute before that.
  const at = Math.floor(Date.now() / 1_000 / HOUR) * HOUR + 60;
  await using visited = await open(one, `/projects/${project.uuid}/timeline/?at=${at}`);
  const { page } = visited;
  await page.getByRole('region', { name: 'Runs of all checks' }).getByRole('link').first().waitFor();

  for (const screen of Object.values(SCREENS)) {
    await page.setViewportSize(screen);
    assert.equal((await look(page)).overflow, 0, `${screen.width} px`);
  }
  isQuiet(visited);
});
