import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SITE } from '../app.ts';
import { givenAccount } from '../dashboard/browser.ts';
import { givenPerson, givenTeam, type Person, signedIn } from '../dashboard/team.ts';
import { LAUNCH_TIMEOUT } from './chromium.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;
let admin: Person;

before(async () => {
  dashboard = await startDashboard();
  admin = await signedIn(dashboard.app, await givenAccount(dashboard.app, { isAdmin: true }));
}, LAUNCH_TIMEOUT);

after(() => dashboard[Symbol.asyncDispose]());

async function openAdmin(section: string, heading: string | RegExp) {
  const visit = await dashboard.visitAs(admin);
  await visit.page.goto(`${SITE.root}/admin/${section}`);
  await visit.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  return visit;
}

test('whoever does not administer the service finds nothing there', async () => {
  await using visit = await dashboard.visitAs(await givenPerson(dashboard.app));

  await visit.page.goto(`${SITE.root}/admin/`);

  await visit.page.getByRole('heading', { name: 'Not found' }).waitFor();
  isQuiet(visit);
});

test('a test mail shows that the server has taken it', async () => {
  await using visit = await openAdmin('', /^Tocsin/);
  const { page } = visit;

  await page.getByLabel('Send a test to').fill('ops@example.org');
  await page.getByRole('button', { name: 'Send test' }).click();

  await page.getByText('The mail server has accepted it.').waitFor();
  isQuiet(visit);
});

test('settings are listed with where they come from, and secrets are masked', async () => {
  await using visit = await openAdmin('settings/', 'Settings in force');
  const { page } = visit;
  await page.getByLabel('Search in names').fill('secret_key');

  const row = page.getByRole('row', { name: 'SECRET_KEY Key that protects' });

  await row.getByText('environment').waitFor();
  assert.doesNotMatch(await row.innerText(), /a secret for tests only/);
  isQuiet(visit);
});

test('an account is made, gets other limits, is switched off, and is deleted by its address', async () => {
  await using visit = await openAdmin('accounts/', 'Accounts');
  const { page } = visit;
  const email = `carol-${crypto.randomUUID()}@example.org`;
  const choose = async (item: string) => {
    await page.getByRole('button', { name: `Actions on ${email}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByText(`${SITE.root}/accounts/password/#`).waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByLabel('Search by address').fill(email);

  await choose('Limits…');
  await page.getByLabel('Checks in all projects').fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/of 7 checks/).waitFor();
  await choose('Switch off');
  await page.getByText('Switched off', { exact: true }).waitFor();
  await choose('Delete…');
  await page.getByLabel(`Type ${email}`).fill(email);
  await page.getByRole('button', { name: 'Delete the account' }).click();

  await page.getByRole('button', { name: `Actions on ${email}` }).waitFor({ state: 'detached' });
  isQuiet(visit);
});

test('an administrator enters a project of others openly', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openAdmin('projects/', 'All projects');
  const { page } = visit;
  await page.getByLabel('Search by name').fill(team.project.name);
  await page.getByRole('row', { name: team.project.name }).getByRole('button', { name: 'Enter' }).click();
  await page.getByLabel('Reason').fill('a question of its owner');

  await page.getByRole('dialog').getByRole('button', { name: 'Enter' }).click();

  await page.waitForURL(`${SITE.root}/projects/${team.project.uuid}/checks/`);
  const { json } = await team.browser.get(`${team.path}/audit-log`);
  assert.equal(json.acts[0].action, 'administrator.entered');
  isQuiet(visit);
});

for (const [section, heading] of [
  ['', /^Tocsin/],
  ['settings/', 'Settings in force'],
  ['accounts/', 'Accounts'],
  ['projects/', 'All projects'],
] as const) {
  test(`the page below /admin/${section} can be used by everybody`, async () => {
    await using visit = await openAdmin(section, heading);
    await visit.page.getByRole('table').waitFor();

    await isAccessible(visit);

    isQuiet(visit);
  });
}
