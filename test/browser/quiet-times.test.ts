import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { MICROS_PER_SECOND } from '../../src/lib/instant.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam, type Person } from '../dashboard/team.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import { pressOn, typeInto } from './keyboard.ts';
import { lookTest, test } from './tests.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

type Team = Awaited<ReturnType<typeof givenTeam>>;

async function openAlerts(person: Pick<Person, 'browser'>, { project }: Team) {
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(`${SITE.root}/projects/${project.uuid}/settings/alerts/`);
  await visit.page.getByRole('heading', { name: 'Quiet times' }).waitFor();
  return { ...visit, rows: visit.page.getByRole('list', { name: 'Quiet times' }).getByRole('listitem') };
}

const announce = ({ browser, path }: Team, input: object) =>
  browser.post(`${path}/do/announceQuietTime`, input);
const storedOf = async ({ project }: Team) => dashboard.app.deps.store.quietTimes.ofProject(project.id);
const seconds = () => Math.floor(dashboard.app.clock.now() / MICROS_PER_SECOND);

lookTest('a quiet time is announced for a tag, is stopped, and says what it covers', async () => {
  const team = await givenTeam(dashboard.app);
  for (const tags of ['web', 'web db', 'db']) await dashboard.app.givenCheck(team.project, { tags });
  await using visit = await openAlerts(team, team);
  const { page, rows } = visit;
  const dialog = page.getByRole('dialog');
  await page.getByText('No quiet time runs or will come.').waitFor();

  await page.getByRole('button', { name: 'New quiet time' }).click();
  await dialog.getByLabel('Name').fill('deploy 412');
  await dialog.getByLabel('When').selectOption('Now, until…');
  await dialog.getByLabel('Until').fill('2020-01-01T00:00');
  await dialog.getByLabel('What is quiet').selectOption('Checks with tags');
  await dialog.getByLabel('Tags').fill('web');
  await dialog.getByRole('button', { name: 'Announce' }).click();
  await dialog.getByRole('alert').getByText('until is in the past').waitFor();
  await isAccessible(visit);
  await dialog.getByLabel('When').selectOption('Now, for 4 hours');
  await dialog.getByRole('button', { name: 'Announce' }).click();

  await rows.getByText(/^Now, until .*\d\d:\d\d$/).waitFor();
  await rows.getByText(`tag web · 2 checks · ${team.account.email}`).waitFor();
  await isAccessible(visit);
  await page.getByRole('button', { name: 'Stop deploy 412' }).click();
  await page.getByText('Stopped deploy 412. What is down is told now.').waitFor();
  await page.getByText('No quiet time runs or will come.').waitFor();
  const [stored] = await storedOf(team);
  assert.ok((stored?.untilAt ?? 0) <= dashboard.app.clock.now());
  isQuiet(visit);
});

lookTest('one that comes again is announced by keys alone, edited and deleted, each with undo', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openAlerts(team, team);
  const { page, rows } = visit;
  const dialog = page.getByRole('dialog');
  const choose = async (act: string) => {
    await page.getByRole('button', { name: 'More about sunday' }).click();
    await page.getByRole('menuitem', { name: act }).click();
  };

  await pressOn(page.getByRole('button', { name: 'New quiet time' }), 'Enter');
  await typeInto(dialog.getByLabel('Name'), 'sunday');
  // The letter with which only "Again and again" begins.
  await pressOn(dialog.getByLabel('When', { exact: true }), 'a');
  await typeInto(dialog.getByLabel('When they begin'), 'Sun 25:00');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  await isAccessible(visit);
  await typeInto(dialog.getByLabel('When they begin'), 'Sun 01:00');
  await pressOn(dialog.getByRole('button', { name: 'Announce' }), 'Enter');
  await rows.getByText(/^On Sunday at 01:00, for 4 h/).waitFor();
  await rows.getByText(/^Whole project/).waitFor();

  await choose('Edit');
  await dialog.getByLabel('How many hours they last').fill('2');
  await dialog.getByLabel('Time zone').selectOption('Europe/Riga');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await rows.getByText(/^On Sunday at 01:00, Riga, for 2 h/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await rows.getByText(/for 4 h/).waitFor();

  await choose('Delete');
  await page.getByText('No quiet time runs or will come.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await rows.getByText(/for 4 h/).waitFor();
  assert.deepEqual(
    (await storedOf(team)).map(({ name, schedule, tz }) => [name, schedule, tz]),
    [['sunday', 'Sun 01:00', 'UTC']],
  );
  isQuiet(visit);
});

test('checks are chosen by name, and nothing is announced for a whole project by leaving them out', async () => {
  const team = await givenTeam(dashboard.app);
  const shop = await dashboard.app.givenCheck(team.project, { name: 'shop' });
  await announce(team, { name: 'quiet time', from: seconds() + 86_400, duration: 3_600 });
  await using visit = await openAlerts(team, team);
  const { page, rows } = visit;
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'New quiet time' }).click();
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'quiet time 2');
  await dialog.getByLabel('Name').fill('quiet time');
  await dialog.getByText('There is one of this name already.').waitFor();
  await dialog.getByLabel('Name').fill('disk swap');
  await dialog.getByLabel('What is quiet').selectOption('Some checks');
  assert.equal(await dialog.getByRole('button', { name: 'Announce' }).isDisabled(), true);
  await dialog.getByLabel('Add a check').selectOption('shop');
  await dialog.getByRole('button', { name: 'Announce' }).click();

  await rows.getByText(`shop · ${team.account.email}`).waitFor();
  const checkIds = (await storedOf(team)).map((one) => one.checkIds);
  assert.deepEqual(checkIds, [[], [shop.id]]);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await rows.filter({ hasText: 'disk swap' }).waitFor({ state: 'detached' });
  isQuiet(visit);
});

lookTest('the page of a check says until when it is quiet, and leads to the quiet time', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'shop' });
  const { json } = await announce(team, { name: 'deploy 412', duration: 3_600 });
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;

  await page.goto(`${SITE.root}/checks/${check.uuid}/details/`);
  await page.getByText(/^Quiet until .*\d\d:\d\d \(deploy 412\)$/).waitFor();
  await isAccessible(visit);
  await page.getByRole('link', { name: 'deploy 412' }).click();

  await page.getByRole('button', { name: 'Stop deploy 412' }).waitFor();
  assert.equal(new URL(page.url()).hash, `#quiet-time-${json.uuid}`);
  isQuiet(visit);
});

test('checks that are chosen in the list get a quiet time of their own', async () => {
  const team = await givenTeam(dashboard.app);
  const checks = [];
  for (const name of ['one', 'two', 'three'])
    checks.push(await dashboard.app.givenCheck(team.project, { name, status: 'up', lastPingAt: 1 }));
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(`${SITE.root}/projects/${team.project.uuid}/checks/`);

  for (const name of ['one', 'two']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Quiet time…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('two', { exact: true }).waitFor();
  assert.equal(await dialog.getByLabel('What is quiet').count(), 0);
  await dialog.getByRole('button', { name: 'Announce' }).click();

  await page.getByText('Announced quiet time').waitFor();
  await dialog.waitFor({ state: 'detached' });
  const [stored] = await storedOf(team);
  assert.deepEqual(
    stored?.checkIds.toSorted((a, b) => a - b),
    checks.slice(0, 2).map(({ id }) => id),
  );
  isQuiet(visit);
});

test('the palette asks for a new quiet time from every page of a project', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(`${SITE.root}/projects/${team.project.uuid}/integrations/`);
  const ask = async () => {
    await page.getByRole('button', { name: /Search or run a command/ }).click();
    await page.getByRole('combobox', { name: 'Search or run a command' }).fill('>quiet');
    await page.keyboard.press('Enter');
  };

  await ask();
  const dialog = page.getByRole('dialog', { name: 'New quiet time' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).hash, '');

  await ask();
  await dialog.getByLabel('Name').waitFor();
  isQuiet(visit);
});

test('whoever may only read sees quiet times, and no buttons', async () => {
  const team = await givenTeam(dashboard.app);
  const reader = await givenMember(dashboard.app, team.project, 'read_only');
  await announce(team, { name: 'deploy', duration: 3_600 });

  await using visit = await openAlerts(reader, team);

  await visit.rows.getByText('deploy').waitFor();
  assert.equal(await visit.page.getByRole('button', { name: /quiet time|deploy/ }).count(), 0);
  isQuiet(visit);
});
