import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seconds } from '../../src/lib/instant.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam, type Person } from '../dashboard/team.ts';
import { flipRecord } from '../records.ts';
import { becomes, until } from '../waiting.ts';
import { type Dashboard, isAccessible, isIdle, isQuiet, startDashboard } from './dashboard.ts';
import { visit } from './visit.ts';

const DAY = seconds(86_400);

let dashboard: Dashboard;
let team: Person & {
  readonly project: { readonly uuid: string; readonly id: number };
  readonly path: string;
};

before(async () => {
  dashboard = await startDashboard();
  const { app } = dashboard;
  const given = await givenTeam(app);
  team = given;
  const now = app.clock.now();
  const backup = await app.givenCheck(given.project, {
    ...{ name: 'db-backup', tags: 'backup', status: 'down' as const, lastPingAt: now - DAY },
  });
  const etl = await app.givenCheck(given.project, {
    ...{ name: 'etl', tags: 'data', status: 'up' as const, lastPingAt: now - seconds(60) },
  });
  await app.deps.store.transaction((tx) =>
    tx.flips.insertMany([
      flipRecord(backup.id, { createdAt: now - 20 * DAY, oldStatus: 'new', newStatus: 'up' }),
      flipRecord(backup.id, { createdAt: now - seconds(7_200), oldStatus: 'up', newStatus: 'down' }),
      flipRecord(etl.id, { createdAt: now - 80 * DAY, oldStatus: 'new', newStatus: 'up' }),
    ]),
  );
});

after(() => dashboard[Symbol.asyncDispose]());

const base = () => `${SITE.root}/projects/${team.project.uuid}`;

async function addComponent(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Add component' }).click();
  await page.getByRole('dialog').getByRole('button', { name }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** A page that is published by the API, for tests that only look. */
async function givenPublished(slug: string): Promise<string> {
  const { browser, path } = team;
  const named = { title: 'Example status', slug };
  const page = (await browser.post(`${path}/do/createStatusPage`, named)).json.uuid;
  const edited = await browser.post(`${path}/do/editStatusPage`, {
    ...{ page, ...named, about: '', tz: 'UTC' },
    components: [
      { id: 'a', name: 'Backups', group: '', tag: 'backup' },
      { id: 'b', name: 'Exports', group: 'Data', tag: 'data' },
    ],
  });
  assert.equal(edited.status, 204, edited.text);
  await browser.post(`${path}/do/publishStatusPage`, { page });
  return `${path}/status-pages/${page}`;
}

test('a status page is made, published, and tells of an incident as it is written', async () => {
  await using own = await dashboard.visitAs(team);
  const { page } = own;
  await page.goto(`${base()}/status-pages/`);
  await page.getByRole('button', { name: 'Add status page' }).click();
  await page.getByLabel('Title').fill('Example Org status');
  await becomes(() => page.getByLabel('Address').inputValue(), 'example-org-status');
  await page.getByRole('button', { name: 'Create page' }).click();
  await page.getByRole('heading', { name: 'Status page “Example Org status”' }).waitFor();

  await addComponent(page, /^backup /);
  await addComponent(page, /^etl/);
  const names = page.getByLabel('Public name');
  assert.deepEqual([await names.first().inputValue(), await names.last().inputValue()], ['', '']);
  await page.getByText(/^Give a public name to what covers backup, /).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save page' }).isDisabled(), true);
  await names.first().fill('Nightly backups');
  await names.last().fill('Reports');
  await page.getByText('Unsaved: components').waitFor();
  await page.getByRole('button', { name: 'Save page' }).click();
  await page.getByText('Unsaved: components').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish page' }).click();
  await page.getByRole('button', { name: 'Take offline' }).waitFor();

  await page.getByRole('button', { name: 'Open an incident' }).click();
  await becomes(
    () => page.getByLabel('What is wrong').inputValue(),
    'Nightly backups not running as planned',
  );
  await page.getByLabel('What outsiders should know').fill('The disk is full.');
  const preview = page.getByLabel('Preview of the public page');
  await preview.getByText('not published').waitFor();
  await page.getByRole('link', { name: 'Integrations' }).click();
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
  await leaving.getByText('What you have written of an incident is not published.').waitFor();
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Publish incident' }).click();
  await preview.getByText('not published').waitFor({ state: 'detached' });
  await preview.getByText('The disk is full.').waitFor();
  isQuiet(own);

  await using stranger = await visit(dashboard.browser, SITE.root, { javaScriptEnabled: false });
  await stranger.page.goto(`${SITE.root}/status/example-org-status/`);
  await stranger.page.getByRole('heading', { name: 'Some jobs are not running as planned' }).waitFor();
  await stranger.page.getByText('The disk is full.').waitFor();
  await stranger.page.getByText('Nightly backups').first().waitFor();
  assert.doesNotMatch(await stranger.page.content(), /db-backup|[0-9a-f]{8}-[0-9a-f]{4}-/);
});

test('a public status page can be used by everybody, in both themes and widths', async () => {
  await givenPublished('for-everybody');
  await using stranger = await visit(dashboard.browser, SITE.root);
  await stranger.page.goto(`${SITE.root}/status/for-everybody/`);
  await isAccessible(stranger);
  isQuiet(stranger);
});

test('a short status page fills the screen with its colour, and asks for it in the bars of the system', async () => {
  await givenPublished('short');
  await using stranger = await visit(dashboard.browser, SITE.root, {
    viewport: { width: 390, height: 2_000 },
  });
  const { page } = stranger;
  await page.goto(`${SITE.root}/status/short/`);
  const corner = (y: number) => page.screenshot({ clip: { x: 0, y, width: 8, height: 8 } });
  for (const [colorScheme, colour] of [
    ['light', 'rgb(246, 245, 242)'],
    ['dark', 'rgb(11, 13, 16)'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await becomes(() => page.evaluate('getComputedStyle(document.documentElement).backgroundColor'), colour);
    assert.deepEqual(await corner(1_992), await corner(0), colorScheme);
    const barColour = `(() => {
      const { content } = [...document.querySelectorAll('meta[name="theme-color"]')].find(({ media }) => matchMedia(media).matches);
      return getComputedStyle(Object.assign(document.body, { style: 'color: ' + content })).color;
    })()`;
    assert.equal(await page.evaluate(barColour), colour);
  }
});

test('the editor can be used by everybody, and components are moved by the keyboard', async () => {
  const path = await givenPublished('for-editors');
  await using own = await dashboard.visitAs(team);
  const { page } = own;
  await page.goto(`${SITE.root}${path}/`);
  const names = page.getByLabel('Public name');
  await page.getByText('Times in UTC.', { exact: true }).waitFor();
  await names.first().press('Alt+ArrowDown');
  await becomes(() => names.first().inputValue(), 'Exports');
  await page.getByRole('heading', { level: 1 }).first().click();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  for (const words of ['Move up', 'Save']) await help.getByText(words).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Integrations' }).click();
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
  await leaving.getByText('Unsaved: components').waitFor();
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await becomes(() => names.first().inputValue(), 'Exports');
  await page.getByRole('button', { name: 'Discard' }).click();
  await becomes(() => names.first().inputValue(), 'Backups');
  await page.getByLabel('Preview of the public page').getByText('Backups').first().waitFor();
  // The tool that looks for barriers adds styles below the root of the preview, and the browser complains of it.
  isQuiet(own);
  await isAccessible(own);
});

test('a status page is deleted by its name, and nothing that is gone is read again', async () => {
  const path = await givenPublished('to-delete');
  await using own = await dashboard.visitAs(team);
  const { page } = own;
  await page.goto(`${SITE.root}${path}/`);

  await page.getByRole('button', { name: 'Delete status page' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Example status');
  await dialog.getByRole('button', { name: 'Delete status page' }).click();
  await page.getByRole('heading', { name: 'Status pages', level: 1 }).waitFor();
  await isIdle({ page });

  assert.deepEqual(own.refusals, []);
  isQuiet(own);
});

test('somebody who may only read sees a page and no control', async () => {
  const path = await givenPublished('for-readers');
  const reader = await givenMember(dashboard.app, team.project as never, 'read_only');
  await using own = await dashboard.visitAs(reader);
  const { page } = own;
  await page.goto(`${SITE.root}${path}/`);
  await page.getByRole('heading', { name: 'Status page “Example status”' }).waitFor();
  for (const name of ['Take offline', 'Add component', 'Open an incident', 'Delete status page'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  await page.goto(`${base()}/badges/`);
  await page.getByText('You see the looks.').waitFor();
  assert.equal(await page.getByRole('tab').count(), 0);
  isQuiet(own);
});

test('a badge is chosen, looks as its address answers, and is copied', async () => {
  await using own = await dashboard.visitAs(team, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = own;
  await page.goto(`${base()}/badges/`);
  await page.getByLabel('Tag', { exact: true }).selectOption('backup');
  await page.getByText('Right now: down, because of db-backup.').waitFor();
  await page.getByRole('tab', { name: 'HTML' }).click();
  const html = await page.getByRole('tabpanel').locator('code').filter({ hasText: '<img' }).innerText();
  const [, src = ''] = /^<img src="([^"]+)" alt="backup">$/.exec(html) ?? [];
  await page.getByRole('tabpanel').getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('tabpanel').getByText('Copied').waitFor();
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), html);
  const picture = page.getByLabel('How it looks').getByRole('img', { name: 'backup: down' }).first();
  assert.equal(await picture.getAttribute('src'), new URL(src).pathname);
  await page.getByRole('tab', { name: 'Markdown' }).click();
  await page.getByRole('tabpanel').getByText(`![backup](${src})`).waitFor();
  await page.getByRole('button', { name: 'Shields', exact: true }).click();
  await page.getByText('"message": "down"').waitFor();
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await page.getByText('"status": "down"').waitFor();
  await isAccessible(own);
  isQuiet(own);
});

test('a new badge key is asked for before it breaks pictures', async () => {
  await using own = await dashboard.visitAs(team);
  const { page } = own;
  await page.goto(`${base()}/badges/`);
  const code = page.getByRole('tabpanel').locator('code');
  const before = await code.innerText();
  await page.getByRole('button', { name: 'Rotate key…' }).click();
  await page.getByRole('dialog').getByText('Pictures that are embedded somewhere break').waitFor();
  await page.getByRole('button', { name: 'Rotate the key' }).click();
  await page.getByText('The badge key is new.').waitFor();
  await until('the line is a new one', async () => (await code.innerText()) !== before);
  isQuiet(own);
});

test('a wall display shows trouble, greys when it is not live, and says when its address was revoked', async () => {
  const { browser, path } = team;
  const made = (await browser.post(`${path}/do/createWall`, { name: 'Office' })).json;
  // The clock of a profile does not go on by itself any more.
  await using screen = await visit(dashboard.browser, SITE.root, {});
  const { page } = screen;
  await page.clock.install();
  await page.goto(`${made.address}/`);
  await page.getByRole('heading', { level: 1, name: '1 down.' }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'db-backup' }).waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
  await isAccessible(screen);
  isQuiet(screen);

  await page.context().setOffline(true);
  await page.clock.runFor(40_000);
  await page.getByText('Not live').waitFor();
  await page.getByText(/^as of /).waitFor();

  await page.context().setOffline(false);
  await browser.post(`${path}/do/revokeWall`, { wall: made.uuid });
  await page.clock.runFor(10_000);
  await page.getByText('This display was revoked').waitFor();
});

test('a wall display says of a check that never came what the list says, and who has one that is down', async () => {
  const { app } = dashboard;
  const own = await givenTeam(app);
  const shop = await app.givenCheck(own.project, { name: 'shop', status: 'up', lastPingAt: app.clock.now() });
  await app.receive(shop, 'fail');
  await own.browser.post('/do/editAccount', { name: 'Anna' });
  await own.browser.post(`/checks/${shop.uuid}/do/acknowledgeCheck`);
  await app.givenCheck(own.project, {
    ...{ name: 'export', kind: 'cron', schedule: '0 8 * * *', tz: 'UTC' },
    createdAt: app.clock.now() - 3 * 86_400 * 1_000_000,
  });
  const made = (await own.browser.post(`${own.path}/do/createWall`, { name: 'Office' })).json;
  await using screen = await visit(dashboard.browser, SITE.root, {});
  await screen.page.goto(`${made.address}/`);
  await screen.page.getByText(/^Expected .*, never came\.$/).waitFor();
  assert.equal(await screen.page.getByText('Missing for').count(), 0);
  const tile = screen.page.getByRole('article').filter({ hasText: 'shop' });
  await tile.getByText(/^Down .* · Anna has it · /).waitFor();
});

test('a wall display is light if its address says so', async () => {
  const { browser, path } = team;
  const made = (await browser.post(`${path}/do/createWall`, { name: 'Lobby' })).json;
  await using screen = await visit(dashboard.browser, SITE.root, { colorScheme: 'dark' });
  await screen.page.goto(`${made.address}/?theme=light`);
  await screen.page.getByRole('heading', { level: 1 }).waitFor();
  const ground = await screen.page.evaluate<string>(
    "getComputedStyle(document.querySelector('main')).backgroundColor",
  );
  assert.equal(ground, 'rgb(246, 245, 242)');
  isQuiet(screen);
});
