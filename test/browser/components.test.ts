import { after, before } from 'node:test';
import { startVite, type ViteServer } from '../../scripts/vite-server.ts';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { becomes } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import { lookTest, test } from './tests.ts';

let dashboard: Dashboard;
let vite: ViteServer;

before(async () => {
  // Only in development there is a page of samples.
  dashboard = await startDashboard('sqlite', {}, {}, async (servicePort) => {
    const siteHost = new URL(SITE.root).hostname;
    vite = await startVite({ host: '127.0.0.1', port: 0, servicePort, siteHost });
    return vite.port;
  });
});

after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await vite[Symbol.asyncDispose]();
});

async function openComponents() {
  const person = await givenTeam(dashboard.app);
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(`${SITE.root}/components/`);
  await visit.page.getByRole('heading', { name: 'Overlays and messages' }).waitFor();
  return visit;
}

lookTest('every component can be used by everybody, in both themes and widths', async () => {
  await using visit = await openComponents();

  await isAccessible(visit);

  isQuiet(visit);
});

test('an integration is marked by a picture, or by two letters of its name', async () => {
  await using visit = await openComponents();
  const kinds = visit.page.getByRole('region', { name: 'Integrations' });
  const marked = kinds.locator('span:has(> [aria-hidden="true"])');

  await becomes(
    () => marked.allTextContents(),
    ['Email', 'Slack', '[m]Matrix', 'GcGoogle Chat', 'GhGitHub', 'DiDiscord'],
  );
  await becomes(
    () => marked.filter({ has: visit.page.locator('svg') }).allTextContents(),
    ['Email', 'Slack'],
  );
  isQuiet(visit);
});

test('a dialog closes with Escape and gives the focus back', async () => {
  await using visit = await openComponents();
  const { page } = visit;
  const opener = page.getByRole('button', { name: 'Dialog' });
  await opener.click();
  await page.getByRole('dialog', { name: 'Delete mail-queue-flush?' }).waitFor();

  await page.keyboard.press('Escape');

  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await becomes(() => opener.evaluate((element) => element.matches(':focus')), true);
  isQuiet(visit);
});

test('a menu is used with the arrow keys', async () => {
  await using visit = await openComponents();
  const { page } = visit;
  await page.getByRole('button', { name: 'Menu', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Pause' }).waitFor();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');

  await page.getByRole('status').getByText('Done').waitFor();
  isQuiet(visit);
});

test('what was done can be taken back from its message', async () => {
  await using visit = await openComponents();
  const { page } = visit;
  await page.getByRole('button', { name: 'Message with undo' }).click();

  await page.getByRole('button', { name: 'Undo', exact: true }).click();

  await page.getByText('Paused 3 checks').waitFor({ state: 'detached' });
  await page.getByText('Done').waitFor();
  isQuiet(visit);
});
