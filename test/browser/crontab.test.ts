import assert from 'node:assert/strict';
import { after, before, suite } from 'node:test';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { storedChecks } from '../records.ts';
import { becomes } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import { lookTest, test } from './tests.ts';
import { SCREENS } from './visit.ts';

const CRONTAB = [
  '# jobs of db1',
  'MAILTO=ops@example.org',
  '0 3 * * *\t/usr/local/bin/backup.sh --all # nightly',
  '@reboot /usr/bin/agent',
  '61 * * * * broken',
  'CRON_TZ=America/New_York',
  '*/5 * * * * sync-feed >/dev/null',
  '0 4 * * * old-job',
  '',
].join('\n');

suite('a crontab', () => {
  let dashboard: Dashboard;

  before(async () => {
    dashboard = await startDashboard();
  });

  after(() => dashboard[Symbol.asyncDispose]());

  for (const screen of ['desktop', 'phone'] as const)
    lookTest(
      `becomes checks after a look at every line, and comes back with their pings (${screen})`,
      async () => {
        const { app } = dashboard;
        const team = await givenTeam(app);
        await team.browser.post('/do/editAccount', { tz: 'Europe/Riga' });
        await app.givenCheck(team.project, { name: 'Feeds', slug: 'sync-feed' });
        await using visit = await dashboard.visitAs(team, {
          viewport: SCREENS[screen],
          permissions: ['clipboard-read', 'clipboard-write'],
        });
        const { page } = visit;
        await page.goto(`${SITE.root}${team.path}/checks/new/`);
        await page.getByRole('link', { name: 'Import a crontab' }).click();
        await page.getByRole('textbox', { name: 'Crontab' }).fill(CRONTAB);

        const lines = page.getByRole('region', { name: 'Every line, and what becomes of it' });
        await lines.getByText('Setting of cron').waitFor();
        await lines.getByText('Runs when the machine starts').waitFor();
        await lines.getByText('Not understood.').waitFor();
        await lines.getByText('The jobs below run in America/New_York').waitFor();
        await lines.getByText('Every 5 minutes, New York').waitFor();
        await lines.getByText('“Feeds” has this slug already.').waitFor();
        await page.getByText('3 checks will be added. 1 line is not understood.').waitFor();
        await isAccessible(visit);
        await page.setViewportSize(SCREENS[screen]);

        await lines.getByRole('checkbox', { name: /^Add line 8/ }).uncheck();
        await lines.getByRole('textbox', { name: 'Name of line 7' }).fill('Feeds of db1');
        await becomes(
          () => lines.getByRole('textbox', { name: 'Slug of line 7' }).inputValue(),
          'feeds-of-db1',
        );
        await page.getByRole('button', { name: 'Add 2 checks' }).click();

        await page.getByRole('heading', { name: '2 checks added' }).waitFor();
        await isAccessible(visit);
        await page.setViewportSize(SCREENS[screen]);
        const added = (await storedChecks(app.deps.store, team.project)).filter(
          ({ name }) => name !== 'Feeds',
        );
        assert.deepEqual(
          added.map(({ name, slug, schedule, tz }) => [name, slug, schedule, tz]),
          [
            ['backup', 'backup', '0 3 * * *', 'Europe/Riga'],
            ['Feeds of db1', 'feeds-of-db1', '*/5 * * * *', 'America/New_York'],
          ],
        );
        await page.getByRole('button', { name: 'Success', exact: true }).click();
        await page.getByRole('button', { name: 'Copy the crontab' }).click();
        await page.getByText('Copied').waitFor();
        const [backup, feeds] = added.map(
          ({ uuid }) => ` && curl -fsS -m 10 --retry 5 -o /dev/null ${SITE.pingEndpoint}${uuid}`,
        );
        assert.equal(
          await page.evaluate<string>('navigator.clipboard.readText()'),
          CRONTAB.replace(' # nightly', `${backup} # nightly`).replace('>/dev/null', `>/dev/null${feeds}`),
        );

        await page.getByRole('link', { name: 'See the list' }).click();
        await page.getByRole('link', { name: 'Feeds of db1' }).first().waitFor();
        isQuiet(visit);
      },
    );

  test('is imported from the menu of the list, and refused as a whole without room', async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    for (const name of ['a', 'b']) await app.givenCheck(team.project, { name });
    await app.deps.store.transaction((tx) =>
      tx.accounts.setLimits(team.account.id, { checks: 3, pings: 100 }),
    );
    await using visit = await dashboard.visitAs(team);
    const { page } = visit;
    await page.goto(`${SITE.root}${team.path}/checks/`);
    await page.getByRole('button', { name: 'View options' }).click();
    await page.getByRole('menuitem', { name: 'Import a crontab' }).click();
    await page.getByRole('textbox', { name: 'Crontab' }).fill('0 3 * * * x\n0 4 * * * y\n0 5 * * * z');
    await page.getByRole('button', { name: 'Add 3 checks' }).click();

    await page.getByRole('alert').getByText('None was added.').waitFor();
    assert.equal((await storedChecks(app.deps.store, team.project)).length, 2);
  });
});
