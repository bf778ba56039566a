import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { type Dashboard, isLive, startDashboard } from './dashboard.ts';
import { barriers } from './visit.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

async function open(path: string) {
  const team = await givenTeam(dashboard.app);
  const visit = await dashboard.visitAs(team);
  const { page } = visit;
  const openPath = (of: string) => page.goto(`${SITE.root}${team.path}${of}`);
  const place = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await openPath(path);
  await isLive(visit);
  return { ...visit, openPath, place };
}

/** The service does not answer this read, until the function is called. */
async function withoutAnswer(page: Page, read: string): Promise<() => Promise<void>> {
  const pattern = `**/read/${read}*`;
  await page.route(pattern, (route) =>
    route.fulfill({ status: 503, json: { error: 'The database is away.', code: 'unavailable' } }),
  );
  return () => page.unroute(pattern);
}

const isBack = (page: Page, event: 'online' | 'focus') =>
  page.evaluate(`dispatchEvent(new Event('${event}'))`);

test('a page that could not be read is left by a link, and read again when the network is back, or by a button', async () => {
  await using visit = await open('/checks/');
  const { page, place, openPath } = visit;
  const failed = page.getByRole('alert').getByText('The database is away.');
  const pages = page.getByRole('heading', { name: 'Status pages' });
  let answer = await withoutAnswer(page, 'statusPages');
  await place('Status pages');
  await failed.waitFor();
  assert.deepEqual(await barriers(page), []);
  await place('Checks');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await place('Status pages');
  await failed.waitFor();
  await answer();
  await isBack(page, 'online');
  await pages.first().waitFor();

  answer = await withoutAnswer(page, 'statusPages');
  await openPath('/status-pages/');
  await failed.waitFor();
  await place('Checks');
  await answer();
  await place('Status pages');
  await pages.first().waitFor();

  answer = await withoutAnswer(page, 'statusPages');
  // A page that nobody sees does not try again by itself, so that the button stays.
  await page.addInitScript("Object.defineProperty(document, 'hidden', { value: true })");
  await openPath('/status-pages/');
  await failed.waitFor();
  await answer();
  await page.getByRole('button', { name: 'Try again' }).click();
  await pages.first().waitFor();
});

test('a page whose frame could not be read offers a way out, and is read again when the person looks', async () => {
  await using visit = await open('/checks/');
  const { page, openPath } = visit;
  const answer = await withoutAnswer(page, 'ownProjects');
  await openPath('/status-pages/');
  await page.getByRole('alert').getByText('The database is away.').waitFor();
  await page.getByRole('link', { name: 'To your projects' }).waitFor();
  await answer();

  await isBack(page, 'focus');

  await page.getByRole('heading', { name: 'Status pages' }).first().waitFor();
});

test('a list of checks that could not be read comes back by itself', async () => {
  await using visit = await open('/status-pages/');
  const { page, place } = visit;
  const answer = await withoutAnswer(page, 'checkRows');
  await place('Checks');
  await page.getByText('The database is away.').waitFor();
  await answer();

  await isBack(page, 'focus');

  await page.getByText('The database is away.').waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('a page whose script is gone after an upgrade is loaded anew, once', async () => {
  await using visit = await open('/checks/');
  const { page, place } = visit;
  let loads = 0;
  page.on('load', () => {
    loads++;
  });
  await page.route('**/assets/badges-*.js', (route) => route.fulfill({ status: 404 }), { times: 1 });
  await place('Badges');
  await page.getByRole('heading', { name: 'Badges' }).first().waitFor();
  assert.equal(loads, 1);

  await page.route('**/assets/timeline-*.js', (route) => route.fulfill({ status: 404 }));
  await place('Timeline');
  await page.getByRole('alert').getByText('A part of the page could not be loaded.').waitFor();
  await page.unroute('**/assets/timeline-*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Timeline' }).first().waitFor();
  assert.equal(loads, 2);
});
