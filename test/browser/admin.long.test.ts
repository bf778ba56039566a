import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Finding } from '../../src/domain/finding.ts';
import type { Disk } from '../../src/domain/growth.ts';
import { seconds } from '../../src/lib/instant.ts';
import { SITE } from '../app.ts';
import { givenAccount } from '../dashboard/browser.ts';
import { givenPerson, givenTeam, signedIn } from '../dashboard/team.ts';
import { type Dashboard, isAccessible, isQuiet, openSection, startDashboard } from './dashboard.ts';
import { SCREENS, type Visit } from './visit.ts';

let dashboard: Dashboard;
/** The pages for administrators, which all tests go through. */
let visit: Visit;
let disk: Disk | null = null;

const FINDINGS: readonly Finding[] = [
  { name: 'settings', verdict: 'ok', sentence: 'All are accepted.', advice: null },
  { name: 'care', verdict: 'warn', sentence: 'The service makes no backups.', advice: 'Set BACKUP_DIR.' },
];

before(async () => {
  const measured = { eventLoopLagSeconds: () => 0, residentBytes: () => 0, version: '0.0.0' };
  dashboard = await startDashboard('sqlite', {
    process: { ...measured, disk: async () => disk },
    examine: async () => FINDINGS,
  });
  visit = await dashboard.visitAs(
    await signedIn(dashboard.app, await givenAccount(dashboard.app, { isAdmin: true })),
  );
  await visit.page.goto(`${SITE.root}/admin/`);
});

after(() => dashboard[Symbol.asyncDispose]());

async function openAdmin(section: string, heading: string | RegExp = section) {
  await openSection(visit, section);
  await visit.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  return visit.page;
}

test('whoever does not administer the service finds nothing there', async () => {
  await using stranger = await dashboard.visitAs(await givenPerson(dashboard.app));

  await stranger.page.goto(`${SITE.root}/admin/`);

  await stranger.page.getByRole('heading', { name: 'Not found' }).waitFor();
  isQuiet(stranger);
});

test('a test mail shows that the server has taken it', async () => {
  const page = await openAdmin('Health', /^Tocsin/);

  await page.getByLabel('Send a test to').fill('ops@example.org');
  await page.getByRole('button', { name: 'Send test' }).click();

  await page.getByText('The mail server has accepted it.').waitFor();
  isQuiet(visit);
});

test('a look at the installation lists what was found, and what to do', async () => {
  const page = await openAdmin('Health', /^Tocsin/);

  await page.getByRole('button', { name: 'Look now' }).click();

  await page.getByText('The service makes no backups.').waitFor();
  await page.getByText('Set BACKUP_DIR.').waitFor();
  await page.getByRole('img', { name: 'Warning' }).waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('the page tells when the disk of the database is nearly full', async () => {
  const page = await openAdmin('Health', /^Tocsin/);
  await page.getByText('The disk of the database cannot be seen from here.').waitFor();
  const weekAgo = { at: dashboard.app.clock.now() - seconds(7.5 * 86_400), bytes: 0 };
  const sizes = JSON.stringify([weekAgo]);
  await dashboard.app.deps.store.transaction((tx) => tx.instance.set('database_sizes', sizes));
  const bytes = await dashboard.app.deps.store.instance.databaseBytes();

  disk = { freeBytes: (bytes / 7.5) * 21, totalBytes: bytes * 1_000 };

  await page.getByText('The disk of the database is nearly full: ').waitFor();
  assert.equal(await page.getByText('The disk fills up in about 21 days.').count(), 2);
  await page.getByText(/ of .* MiB \(0 %\)$/).waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('settings are listed with where they come from, and secrets are masked', async () => {
  const page = await openAdmin('Settings in force');
  await page.getByLabel('Search in names').fill('secret_key');

  const row = page.getByRole('row', { name: 'SECRET_KEY Key that protects' });

  await row.getByText('environment').waitFor();
  assert.doesNotMatch(await row.innerText(), /a secret for tests only/);
  isQuiet(visit);
});

test('on a phone, the last use of an account says that it is that', async () => {
  const { app } = dashboard;
  const admin = await signedIn(app, await givenAccount(app, { isAdmin: true }));
  const viewport = { viewport: SCREENS.phone };
  await using phone = await dashboard.visitAs(admin, viewport);
  await phone.page.goto(`${SITE.root}/admin/accounts/`);

  await phone.page
    .getByRole('cell', { name: /^Last seen .+ ago$/ })
    .first()
    .waitFor();
  isQuiet(phone);
});

test('an account is made, gets other limits, is switched off, and is deleted by its address', async () => {
  const page = await openAdmin('Accounts');
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

test('all pages for administrators can be used by everybody', async () => {
  for (const [section, heading] of [
    ['Health', /^Tocsin/],
    ['Settings in force', 'Settings in force'],
    ['Accounts', 'Accounts'],
    ['All projects', 'All projects'],
  ] as const) {
    const page = await openAdmin(section, heading);
    await page.getByRole('table').waitFor();
    await isAccessible(visit);
  }
  isQuiet(visit);
});

test('when nobody looks for missed deadlines any more, every page says so until somebody does', async () => {
  const { app } = dashboard;
  const { telemetry, deadlineLoop, http } = app.node;
  // In this node the loops are at rest.
  const sweep = telemetry.countTicks('deadlines', { restMs: 1_000 }, () => deadlineLoop.tick());
  /** Time passes in which jobs ping, and open pages are told how it is. */
  const pass = async (seconds: number) => {
    app.clock.advance({ seconds });
    telemetry.noteWrite();
    await http.live.tick();
    await http.live.settled();
  };
  const ready = async () => (await app.request('GET', '/api/v3/ready/')).status;
  const page = await openAdmin('Accounts');
  const main = page.getByRole('navigation', { name: 'Main' });
  const says = (text: string) => main.getByText(text).first().waitFor();
  await sweep();
  await pass(5);
  await says('Live, and watching');
  assert.equal(await ready(), 200);

  await pass(65);
  await says('Alerts are not being sent');
  assert.equal(await ready(), 503);
  await main.getByRole('link', { name: 'Health' }).click();
  await page.waitForURL(`${SITE.root}/admin/`);
  await page
    .getByRole('row', { name: 'Takes checks down whose ping did not come' })
    .getByText('Stuck', { exact: true })
    .waitFor();

  await sweep();
  await pass(5);
  await says('Live, and watching');
  assert.equal(await ready(), 200);
  isQuiet(visit);
});

test('an administrator enters a project of others openly', async () => {
  const team = await givenTeam(dashboard.app);
  const page = await openAdmin('All projects');
  await page.getByLabel('Search by name').fill(team.project.name);
  await page.getByRole('row', { name: team.project.name }).getByRole('button', { name: 'Enter' }).click();
  await page.getByLabel('Reason').fill('a question of its owner');

  await page.getByRole('dialog').getByRole('button', { name: 'Enter' }).click();

  await page.waitForURL(`${SITE.root}/projects/${team.project.uuid}/checks/`);
  const note = page.getByText(`You are in ${team.project.name} as an administrator`);
  await note.waitFor();
  await page.getByRole('link', { name: 'Integrations' }).click();
  await page.waitForURL(/integrations/);
  await note.waitFor();
  const { json } = await team.browser.post(`${team.path}/read/auditLog`, { cursor: '' });
  assert.equal(json.acts[0].action, 'administrator.entered');
  await page.getByRole('button', { name: 'Leave the project' }).click();
  await page.waitForURL(`${SITE.root}/admin/projects/`);
  await page.goto(`${SITE.root}/projects/${team.project.uuid}/checks/`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  isQuiet(visit);
});
