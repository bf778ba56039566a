import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { DOC_PAGES } from '../../src/wire/docs/pages.ts';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { until } from '../waiting.ts';
import { type Dashboard, isQuiet, startDashboard } from './dashboard.ts';
import { lookTest, test } from './tests.ts';
import { barriers, look, SCREENS, visit } from './visit.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

/** All kinds of integration have pages of the same form. */
const PATHS = [
  ...DOC_PAGES.flatMap(({ path, file }) => (file === null ? [] : [path])),
  ...[
    'integrations/email/',
    'integrations/webhook/',
    'search/?q=grace',
    'cron/?schedule=60+*+*+*+*',
    'nowhere/',
  ],
];

/** Puts the content of another page into the one that is open: all have the same style. Runs in the page. */
const showing = (path: string) => `(async () => {
  const text = await (await fetch('/docs/${path}')).text();
  const next = new DOMParser().parseFromString(text, 'text/html');
  document.title = next.title;
  document.body.replaceWith(document.adoptNode(next.body));
})()`;

lookTest('every page fits a narrow screen and is in nobody’s way, light and dark', async () => {
  await using visitor = await visit(dashboard.browser, SITE.root, { viewport: SCREENS.narrow });
  const { page } = visitor;
  await page.goto(`${SITE.root}/docs/`);
  for (const path of PATHS) {
    await page.evaluate(showing(path));
    assert.equal((await look(page)).overflow, 0, `${path} is as wide as the screen`);
    assert.deepEqual(await barriers(page), [], path);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const path of ['', 'integrations/email/', 'search/?q=grace', 'cron/?schedule=60+*+*+*+*']) {
    await page.evaluate(showing(path));
    await until('the page is dark', async () => (await look(page)).brightness < 128);
    assert.deepEqual(await barriers(page, 'colours'), [], `${path}, dark`);
  }
  // The browser reports the page that does not exist.
  assert.deepEqual(
    visitor.complaints.filter((one) => !one.includes('404')),
    [],
  );
  assert.deepEqual(visitor.foreign, []);
});

test('a reader finds a page while typing, copies a line, and tries a schedule', async () => {
  await using visitor = await visit(dashboard.browser, SITE.root, { timezoneId: 'Europe/Riga' });
  const { page } = visitor;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: SITE.root });
  await page.goto(`${SITE.root}/docs/`);

  await page.getByRole('searchbox').fill('exit status "(');
  await page.locator('mark').first().waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('heading', { name: 'How it works', level: 1 }).waitFor();
  await page.getByRole('searchbox').fill('output of the job');
  await page
    .locator('.found')
    .getByRole('link', { name: /Output of the job/ })
    .click();
  await page.getByRole('heading', { name: 'Pinging', level: 1 }).waitFor();
  const box = page.locator('.code').first();
  await box.hover();
  await box.getByRole('button', { name: 'Copy' }).click();
  await box.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');

  assert.equal(copied, `curl -fsS -m 10 --retry 5 -o /dev/null ${SITE.root}/ping/your-uuid`);

  await page.getByRole('link', { name: 'Try a schedule' }).last().click();
  await page.getByText('Next runs in Europe/Riga').waitFor();
  await page.getByLabel('Schedule').fill('0 9 * * 1-5');
  await page.locator('#trial').getByText('At 09:00, from Monday to Friday').waitFor();
  await page.getByRole('link', { name: 'Test */15 * * * *' }).click();
  await page.locator('#trial').getByText('Every 15 minutes').waitFor();

  assert.equal(await page.getByLabel('Schedule').inputValue(), '*/15 * * * *');
  isQuiet(visitor);
});

lookTest(
  'an address at which there is nothing says so, in the frame of a project and without one',
  async () => {
    const team = await givenTeam(dashboard.app);
    await using visitor = await dashboard.visitAs(team);
    const { page } = visitor;
    for (const path of [`/projects/${team.project.uuid}/nonsense/`, '/checks/nonsense/', '/nonsense/']) {
      const reply = await page.goto(SITE.root + path);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();

      assert.equal(reply?.status(), 404, path);
      assert.equal(await page.getByRole('main').count(), 1, path);
      assert.deepEqual(await barriers(page), [], path);
    }
    await page.goto(`${SITE.root}/`);
    await page.getByRole('button', { name: team.account.email }).click();
    await page.getByRole('menuitem', { name: 'Documentation' }).click();
    await page.getByRole('heading', { name: 'How it works', level: 1 }).waitFor();
  },
);
