import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SITE } from '../app.ts';
import { givenMember, givenPerson, givenTeam, type Person } from '../dashboard/team.ts';
import { projectRecord } from '../records.ts';
import { becomes } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, openSection, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

type Team = Awaited<ReturnType<typeof givenTeam>>;

async function openSettings(person: Pick<Person, 'browser'>, { project }: Team, section = '') {
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(`${SITE.root}/projects/${project.uuid}/settings/${section}`);
  await visit.page.getByRole('heading', { name: `Settings of ${project.name}` }).waitFor();
  return visit;
}

test('a project is renamed, and its new name is seen everywhere', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openSettings(team, team);
  const { page } = visit;

  await page.getByRole('textbox', { name: 'Name' }).fill('Night shift');
  await page.getByRole('button', { name: 'Save' }).click();

  await page.getByRole('heading', { name: 'Settings of Night shift' }).waitFor();
  await page.getByRole('button', { name: 'Night shift' }).waitFor();
  isQuiet(visit);
});

test('whoever only reads sees no keys, no log and no way to rename', async () => {
  const team = await givenTeam(dashboard.app);
  const reader = await givenMember(dashboard.app, team.project, 'read_only');
  await using visit = await openSettings(reader, team);
  const sections = visit.page.getByRole('navigation', { name: 'Settings' });

  assert.deepEqual(await sections.getByRole('link').allTextContents(), [
    'General',
    'Alerts',
    'Team',
    'Danger zone',
  ]);
  assert.equal(await visit.page.getByRole('button', { name: 'Save' }).count(), 0);
  await sections.getByRole('link', { name: 'Team' }).click();
  await visit.page.getByRole('table', { name: 'Team' }).getByText(team.account.email).waitFor();
  for (const name of ['Invite', 'Remove'])
    assert.equal(await visit.page.getByRole('button', { name }).count(), 0);
  isQuiet(visit);
});

test('a key is shown once, works with the API, is replaced with an overlap, and is refused once it is revoked', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openSettings(team, team, 'keys/');
  const { page } = visit;
  const status = async (key: string) =>
    (await dashboard.app.request('GET', '/api/v3/checks/', { key })).status;

  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('terraform');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const shown = page.getByRole('region', { name: '“terraform” is ready' });
  const key = await shown.getByText(/^hcw_\w{28}$/).innerText();
  assert.equal(await status(key), 200);
  await shown.getByRole('button', { name: 'Copy' }).waitFor();
  await page.keyboard.press('Escape');
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText(key).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const newKey = await shown.getByText(/^hcw_\w{28}$/).innerText();
  assert.deepEqual([await status(key), await status(newKey)], [200, 200]);
  assert.equal(await page.getByText(key).count(), 0);

  const revoke = page.getByRole('button', { name: 'Revoke', exact: true });
  await becomes(() => revoke.count(), 2);
  for (const left of [1, 0]) {
    await revoke.first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await becomes(() => revoke.count(), left);
  }
  await page.getByText('There are no keys.').waitFor();
  assert.deepEqual([await status(key), await status(newKey)], [401, 401]);
  isQuiet(visit);
});

test('a project accepts addresses of Uptime Kuma, and a check says when its token was last used', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'job' });
  await using visit = await openSettings(team, team, 'keys/');
  const { page } = visit;
  const push = async () => (await dashboard.app.ping('/api/push/oldtoken99', { door: '' })).status;
  assert.equal(await push(), 404);

  const accept = page.getByRole('switch', { name: 'Accept addresses of Uptime Kuma' });
  await accept.click();
  await becomes(() => accept.getAttribute('aria-checked'), 'true');
  await isAccessible(visit);
  await page.goto(`${SITE.root}/checks/${check.uuid}/details/`);
  await page.getByRole('button', { name: 'Add a token' }).click();
  await page.getByRole('textbox', { name: 'Token' }).fill('short');
  await page.getByRole('dialog').getByRole('button', { name: 'Add a token' }).click();
  await page
    .getByRole('dialog')
    .getByText(/8 to 64/)
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Token' }).fill('oldtoken99');
  await page.getByRole('dialog').getByRole('button', { name: 'Add a token' }).click();
  await page.getByText('••••en99').waitFor();
  await page.getByText('Uptime Kuma · never used').waitFor();
  await isAccessible(visit);

  assert.equal(await push(), 200);
  await page.reload();
  await page.getByText(/^Uptime Kuma · last used/).waitFor();
  isQuiet(visit);
});

test('a secret that nobody has copied is lost neither by a link, nor by going back, nor by closing the page', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openSettings(team, team);
  const { page } = visit;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: SITE.root });
  const section = (name: string) =>
    page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click();
  const make = async (name: string) => {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Make the key' }).click();
  };
  const keyOf = (name: string) => page.getByRole('region', { name: `“${name}” is ready` });
  const question = page.getByRole('dialog', { name: 'Leave without storing it?' });
  await section('Keys');
  await make('terraform');
  await keyOf('terraform').waitFor();

  await section('Team');
  await question.getByText('“terraform” is ready').waitFor();
  await isAccessible(visit);
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  await page.goBack();
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  assert.equal((await asked).type(), 'beforeunload');
  await (await asked).dismiss();
  await make('ansible');
  await keyOf('ansible').getByRole('button', { name: 'Copy' }).click();
  const key = await keyOf('terraform').getByRole('code').innerText();
  await section('Team');
  await question.getByText('“terraform” is ready').waitFor();
  await question.getByRole('button', { name: 'Copy and leave' }).click();

  await page.getByText('One person.').waitFor();
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), key);
  isQuiet(visit);
});

test('a check that was deleted waits in the settings, and is restored from there', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup', tags: 'db' });
  await team.browser.post(`/checks/${check.uuid}/do/deleteCheck`);
  await using visit = await openSettings(team, team, 'deleted-checks/');
  const { page } = visit;
  const row = page.getByRole('table', { name: 'Deleted checks' }).getByRole('row', { name: 'Backup' });

  await row.getByText('in 7 days').waitFor();
  await isAccessible(visit);
  await row.getByRole('button', { name: 'Restore' }).click();

  await page.getByText('There are no deleted checks.').waitFor();
  assert.equal((await dashboard.app.ping(`/${check.uuid}`)).status, 200);
  isQuiet(visit);
});

test('a ping key is made, and can be read again later', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openSettings(team, team, 'keys/');
  const { page } = visit;
  await page.getByRole('button', { name: 'Make a ping key' }).click();
  await page.getByText(/^[a-z0-9]{4}•{18}$/).waitFor();

  await page.reload();
  await page.getByRole('button', { name: 'Show' }).click();

  await page.getByText(/^[a-z0-9]{22}$/).waitFor();
  isQuiet(visit);
});

test('keys and walls of a member who is lowered or removed are listed, and revoked if that is wanted', async () => {
  const team = await givenTeam(dashboard.app);
  const path = `/projects/${team.project.uuid}`;
  const members = [await givenMember(dashboard.app, team.project, 'member')];
  members.push(await givenMember(dashboard.app, team.project, 'member'));
  for (const { browser } of members) {
    await browser.post(`${path}/do/createKey`, { name: 'Deployment', kind: 'read_write' });
    await browser.post(`${path}/do/createWall`, { name: 'Office' });
  }
  const [lowered, removed] = members.map(({ account }) => account.email);
  await using visit = await openSettings(team, team, 'team/');
  const { page } = visit;
  const dialog = page.getByRole('dialog');
  const left = async () => [
    (await team.browser.get(`${path}/read/projectKeys`)).json.length,
    (await team.browser.get(`${path}/read/wallDisplays`)).json.length,
  ];

  await page.getByLabel(`Role of ${lowered}`).selectOption('Read-only');
  await dialog.getByText('Deployment').waitFor();
  await isAccessible(visit);
  await dialog.getByRole('button', { name: 'Revoke them' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual(await left(), [1, 1]);

  await page
    .getByRole('row', { name: removed ?? '' })
    .getByRole('button', { name: 'Remove' })
    .click();
  await dialog.getByText('Office').waitFor();
  await dialog.getByLabel('Revoke these as well').check();
  await isAccessible(visit);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('2 people.').waitFor();
  assert.deepEqual(await left(), [0, 0]);
  isQuiet(visit);
});

test('somebody is invited by a link, a role is changed, and a member is removed', async () => {
  const team = await givenTeam(dashboard.app);
  const member = await givenMember(dashboard.app, team.project, 'member');
  await using visit = await openSettings(team, team, 'team/');
  const { page } = visit;

  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = page.getByText(`${SITE.root}/accounts/invitation/#`);
  await link.waitFor();
  // Browsers close a dialog at the second Escape, whatever the page says, unless it is told to stay.
  for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
  assert.ok(await link.isVisible());
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText('Whoever has the link').waitFor();

  await page.getByLabel(`Role of ${member.account.email}`).selectOption('Manager');
  await page.getByRole('table', { name: 'Team' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('One person.').waitFor();

  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('role: member → manager').waitFor();
  await page.getByRole('searchbox', { name: 'Search people' }).fill('nobody of that name');
  await page.getByText('Nothing was changed in this time.').waitFor();
  await page.getByRole('searchbox', { name: 'Search people' }).fill('manager');
  await page.getByLabel('Time', { exact: true }).selectOption('Last day');
  await page.waitForURL(/search=manager&days=/);
  await page.getByRole('button', { name: /Changed the role of/ }).click();
  await page.getByRole('cell', { name: 'manager' }).waitFor();
  await page.getByRole('button', { name: 'Keys', exact: true }).click();
  await page.getByText('Nothing was changed in this time.').waitFor();
  await page.waitForURL(/action=key\./);
  isQuiet(visit);
});

test('inviting a member again says so, and people of other projects are a click away', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const member = await givenMember(app, team.project, 'member');
  const other = await app.deps.store.transaction((tx) => tx.projects.insert(projectRecord(team.account.id)));
  const colleague = await givenMember(app, other, 'member');
  await using visit = await openSettings(team, team, 'team/');
  const { page } = visit;
  await page.getByRole('button', { name: 'Invite' }).click();

  await page.getByLabel('E-mail').fill(member.account.email);
  await page.getByRole('button', { name: 'Send the invitation' }).click();

  await page.getByText(/already a member/).waitFor();
  await page.getByRole('button', { name: colleague.account.email }).click();
  await becomes(() => page.getByLabel('E-mail').inputValue(), colleague.account.email);
  isQuiet(visit);
});

test('a member leaves, and the project is not found any more', async () => {
  const team = await givenTeam(dashboard.app);
  const member = await givenMember(dashboard.app, team.project, 'member');
  await using visit = await openSettings(member, team, 'danger/');
  const { page } = visit;
  await page.getByRole('button', { name: 'Leave…' }).click();

  await page.getByRole('button', { name: 'Leave the project' }).click();

  await page.getByRole('link', { name: team.project.name }).waitFor({ state: 'detached' });
  await page.goto(`${SITE.root}/projects/${team.project.uuid}/settings/`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  isQuiet(visit);
});

test('the owner offers the project to a member, takes the offer back, and deletes it only by its name', async () => {
  const team = await givenTeam(dashboard.app);
  const member = await givenMember(dashboard.app, team.project, 'manager');
  await using visit = await openSettings(team, team, 'danger/');
  const { page } = visit;
  await page.getByRole('button', { name: 'Hand over…' }).click();
  await page.getByRole('button', { name: 'Offer it' }).click();
  await page.getByText(`Offered to ${member.account.email}`).waitFor();
  await page.getByRole('button', { name: 'Withdraw the offer' }).click();
  await page.getByRole('button', { name: 'Hand over…' }).waitFor();

  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete the project', disabled: true }).waitFor();
  await dialog.getByLabel(`Type ${team.project.name}`).fill(team.project.name);
  await dialog.getByRole('button', { name: 'Delete the project' }).click();

  await page.waitForURL(`${SITE.root}/`);
  isQuiet(visit);
});

test('a stranger finds nothing, as for a project that does not exist', async () => {
  const team = await givenTeam(dashboard.app);
  const stranger = await givenPerson(dashboard.app);
  await using visit = await dashboard.visitAs(stranger);
  for (const uuid of [team.project.uuid, crypto.randomUUID()]) {
    await visit.page.goto(`${SITE.root}/projects/${uuid}/settings/`);
    await visit.page.getByRole('heading', { name: 'Not found' }).waitFor();
  }
  isQuiet(visit);
});

test('all settings can be used by everybody', async () => {
  const team = await givenTeam(dashboard.app);
  await givenMember(dashboard.app, team.project, 'member');
  await team.browser.post(`${team.path}/do/createKey`, { name: 'prometheus', kind: 'read_only' });
  await using visit = await openSettings(team, team);
  await isAccessible(visit);

  for (const section of ['Keys', 'Team', 'Audit log', 'Danger zone']) {
    await openSection(visit, section);
    await isAccessible(visit);
  }
  isQuiet(visit);
});
