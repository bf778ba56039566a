import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { acknowledgeCheck } from '../../src/services/alert/answers.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { projectRecord } from '../records.ts';
import { becomes } from '../waiting.ts';
import { type Dashboard, isQuiet, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

interface Manifest {
  readonly display: string;
  readonly icons: readonly { readonly src: string; readonly sizes: string; readonly purpose: string }[];
}

test('the dashboard can be installed, and each icon has the size that the manifest tells', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(`${SITE.root}${team.path}/checks/`);
  const devtools = await page.context().newCDPSession(page);

  const { url, errors, data = '' } = await devtools.send('Page.getAppManifest');
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');

  assert.deepEqual(errors, []);
  // Every visit of a test has a profile of its own, in which Chromium installs nothing.
  assert.deepEqual(
    installabilityErrors.map(({ errorId }) => errorId).filter((one) => one !== 'in-incognito'),
    [],
  );
  // The manifest is ours.
  const { display, icons } = JSON.parse(data) as Manifest;
  assert.equal(display, 'standalone');
  assert.ok(url.endsWith('/manifest.webmanifest'));
  assert.ok(icons.some(({ purpose }) => purpose === 'maskable'));
  for (const { src, sizes } of icons) {
    const loaded = await page.evaluate(
      `(async () => { const image = new Image(); image.src = ${JSON.stringify(new URL(src, url).href)};
        await image.decode(); return image.naturalWidth + 'x' + image.naturalHeight; })()`,
    );
    assert.equal(loaded, sizes);
  }
  isQuiet(visit);
});

test('the bars around an installed page have the colour of its theme', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${SITE.root}${team.path}/checks/`);

  const colours = () =>
    page.evaluate(`[document.querySelector('meta[name="theme-color"]').content,
      getComputedStyle(document.documentElement).getPropertyValue('--canvas').trim()]`);
  await becomes(colours, ['#0b0d10', '#0b0d10']);
  await page.emulateMedia({ colorScheme: 'light' });
  await becomes(colours, ['#f6f5f2', '#f6f5f2']);
});

test('the icon of the installed app shows how many checks of all projects nobody has, and nothing once all are up', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const elsewhere = await app.deps.store.transaction((tx) =>
    tx.projects.insert(projectRecord(team.account.id, { name: 'Elsewhere' })),
  );
  const checks = [];
  for (const project of [team.project, elsewhere]) {
    const check = await app.givenCheck(project, { status: 'up', lastPingAt: app.clock.now() });
    checks.push(await app.receive(check, 'fail'));
  }
  const [first = assert.fail(), second = assert.fail()] = checks;
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.addInitScript('navigator.setAppBadge = async (count) => { window.shownBadge = count; };');
  const badgeAt = async (expected: number) => {
    await page.goto(`${SITE.root}${team.path}/checks/`);
    await becomes(() => page.evaluate('window.shownBadge'), expected);
  };

  await badgeAt(2);
  await acknowledgeCheck(app.deps, systemActor(first.projectId), first.id);
  await badgeAt(1);
  await app.receive(second, 'success');
  await badgeAt(0);
});

test('an iPhone is told to install the page before it can be asked, and not once it is', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.addInitScript(`
    Object.defineProperty(navigator, 'userAgent', { value: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)' });
    if (location.search === '') delete window.PushManager;`);
  const setUp = `${SITE.root}${team.path}/integrations/new/webpush/`;
  const allow = page.getByRole('button', { name: 'Allow in this browser' });

  await page.goto(setUp);
  await page.getByText('Share, Add to Home Screen, open Tocsin from there').waitFor();
  assert.equal(await allow.count(), 0);
  await page.goto(`${setUp}?installed`);
  await allow.waitFor();
});
