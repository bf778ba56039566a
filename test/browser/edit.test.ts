import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Check } from '../../src/domain/check.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam } from '../dashboard/team.ts';
import { until } from '../waiting.ts';
import { LAUNCH_TIMEOUT } from './chromium.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
}, LAUNCH_TIMEOUT);

after(() => dashboard[Symbol.asyncDispose]());

type Team = Awaited<ReturnType<typeof givenTeam>>;

const checksOf = ({ project }: Team) => dashboard.app.deps.store.checks.ofProject(project.id);

const stored = async ({ uuid }: Pick<Check, 'uuid'>) =>
  (await dashboard.app.deps.store.checks.byUuid(uuid)) ?? assert.fail();

async function openNew(team: Team) {
  const visit = await dashboard.visitAs(team);
  await visit.page.goto(`${SITE.root}/projects/${team.project.uuid}/checks/new/`);
  await visit.page.getByRole('heading', { name: 'Add check' }).waitFor();
  return visit;
}

async function openEdit(person: Pick<Team, 'browser'>, { uuid }: Check, name: string) {
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(`${SITE.root}/checks/${uuid}/edit/`);
  await visit.page.getByRole('heading', { name: `Edit ${name}` }).waitFor();
  return visit;
}

test('a check is added with the suggested slug, the defaults and all integrations', async () => {
  const team = await givenTeam(dashboard.app);
  const channel = await dashboard.app.givenChannel(team.project, { name: 'Ops' });
  await using visit = await openNew(team);
  const { page } = visit;

  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly DB – Žagare #1');
  await page.getByRole('button', { name: 'Use nightly-db-zagare-1' }).click();
  assert.ok(await page.getByRole('checkbox', { name: 'Ops' }).isChecked());
  await page.getByText('Every day', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add check' }).click();
  await until('the check is added', async () => (await checksOf(team)).length === 1);

  const [check] = await checksOf(team);
  assert.deepEqual([check?.slug, check?.kind, check?.graceSeconds], ['nightly-db-zagare-1', 'simple', 3_600]);
  assert.deepEqual(await dashboard.app.deps.store.checks.channelsOf(check?.id ?? 0), [channel.uuid]);
  isQuiet(visit);
});

test('a wrong slug, period and expression are told at their fields, and nothing can be saved meanwhile', async () => {
  const team = await givenTeam(dashboard.app);
  await dashboard.app.givenCheck(team.project, { name: 'Other', slug: 'taken' });
  await using visit = await openNew(team);
  const { page } = visit;
  const add = page.getByRole('button', { name: 'Add check' });

  await page.getByRole('textbox', { name: 'Slug' }).fill('Big Slug');
  await page.getByText('Small letters, digits, hyphen and underscore only.').waitFor();
  assert.ok(await add.isDisabled());
  await page.getByRole('textbox', { name: 'Slug' }).fill('taken');
  await page.getByText('Other has this slug, too.').waitFor();
  assert.ok(await add.isEnabled());
  await page.getByRole('spinbutton', { name: 'Period' }).fill('366');
  await page.getByText('From 1 minute to 365 days.').waitFor();
  assert.ok(await add.isDisabled());
  await page.getByText('1 field needs a look').waitFor();
  await page.getByRole('button', { name: '1 week' }).first().click();
  assert.equal(await page.getByRole('spinbutton', { name: 'Period' }).inputValue(), '7');

  await page.getByRole('button', { name: 'Cron' }).click();
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('61 7 * * MON-FRI');
  await page.getByText('In the minute field').waitFor();
  assert.ok(await add.isDisabled());
  await page.getByText('No next run').waitFor();
  await page.getByRole('button', { name: 'Use 1 7 * * MON-FRI' }).click();
  await page.getByText('From Monday to Friday at 07:01').waitFor();
  assert.equal(
    (await page.getByRole('list', { name: 'The next runs' }).getByRole('listitem').count()) >= 5,
    true,
  );
  assert.ok(await add.isEnabled());
  isQuiet(visit);
});

test('the schedule is taken out of a pasted crontab line and out of plain words', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openNew(team);
  const { page } = visit;
  await page.getByRole('button', { name: 'Cron' }).click();
  const field = page.getByRole('textbox', { name: 'Cron expression' });

  await field.fill('15 4 * * 1 /usr/bin/report --all');
  await page.getByRole('button', { name: /Use “/ }).click();
  assert.equal(await field.inputValue(), '15 4 * * 1');
  await field.fill('weekdays at 7:30');
  await page.getByText('In plain words.').waitFor();
  await page.getByRole('button', { name: /Use “/ }).click();
  assert.equal(await field.inputValue(), '30 7 * * MON-FRI');
  isQuiet(visit);
});

test('what is newer stays, even if an older answer comes later', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openNew(team);
  const { page } = visit;
  await page.getByRole('button', { name: 'Cron' }).click();
  await page.getByText('Every day at 03:00', { exact: true }).waitFor();
  const held: (() => Promise<void>)[] = [];
  await page.route('**/checks/schedule', async (route) => {
    const isFirst = route.request().postData()?.includes('"0 4 * * *"') === true;
    if (isFirst) held.push(() => route.continue());
    else await route.continue();
  });

  await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 4 * * *');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 5 * * *');
  await page.getByText('Every day at 05:00').waitFor();
  const answered = page.waitForResponse(
    (reply) => reply.request().postData()?.includes('"0 4 * * *"') === true,
  );
  assert.equal(held.length > 0, true);
  for (const go of held) await go();
  await answered;

  assert.equal(await page.getByText('Every day at 05:00').count(), 1);
  assert.equal(await page.getByText('Every day at 04:00').count(), 0);
  isQuiet(visit);
});

test('a check is edited with the keyboard, and who leaves with changes is asked', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup' });
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;

  await page.getByRole('textbox', { name: 'Name' }).fill('Night backup');
  await page.getByText('Unsaved: name').waitFor();
  await page.getByRole('link', { name: team.project.name }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByText('Night backup').waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await stored(check)).name, 'Backup');

  await page.getByRole('textbox', { name: 'Name' }).press('Control+Enter');
  await until('the name is saved', async () => (await stored(check)).name === 'Night backup');
  isQuiet(visit);
});

test('the second of two editors sees who was first, and chooses', async () => {
  const team = await givenTeam(dashboard.app);
  const bob = await givenMember(dashboard.app, team.project, 'member');
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup' });
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;
  await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await bob.browser.post(`/checks/${check.uuid}/settings`, { grace: 1_800 });

  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText(`${bob.account.email} changed grace: 30 min`).waitFor();
  assert.equal((await stored(check)).name, 'Backup');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('cell', { name: 'Mine' }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Use mine' }).click();
  await until('mine is saved', async () => (await stored(check)).name === 'Mine');

  assert.deepEqual([(await stored(check)).name, (await stored(check)).graceSeconds], ['Mine', 3_600]);
  isQuiet(visit);
});

test('keywords are tried on the last pings before they are saved', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup' });
  for (const body of ['all OK', 'bad']) await dashboard.app.ping(`/${check.uuid}`, { body });
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;

  await page.getByText('Which pings count?').click();
  assert.ok(await page.getByRole('textbox', { name: 'Success keywords' }).isDisabled());
  await page.getByRole('checkbox', { name: 'HTTP body' }).check();
  await page.getByRole('textbox', { name: 'Success keywords' }).fill('OK');
  await page.getByRole('button', { name: 'Try on the last pings' }).click();
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByText('because of “OK”').waitFor();
  await trial.getByText('no keyword found').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await until('the keywords are saved', async () => (await stored(check)).successKeywords === 'OK');
  assert.equal((await stored(check)).filterHttpBody, true);
  isQuiet(visit);
});

test('a check that was pinged lately is deleted by its name, and comes back with Undo', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup' });
  await dashboard.app.ping(`/${check.uuid}`);
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;

  await page.getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Backup?' });
  await dialog.getByRole('textbox', { name: 'Type Backup' }).fill('Backup');
  await dialog.getByRole('button', { name: 'Delete check' }).click();
  await page.getByText('Deleted Backup').waitFor();
  assert.equal((await dashboard.app.ping(`/${check.uuid}`)).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Backup is back, with its history').waitFor();
  assert.equal((await stored(check)).pingCount, 1);
  isQuiet(visit);
});

test('the editor is accessible in both themes and both widths', async () => {
  const team = await givenTeam(dashboard.app);
  await dashboard.app.givenChannel(team.project, { name: 'Ops' });
  const check = await dashboard.app.givenCheck(team.project, {
    ...{ name: 'license-report', kind: 'cron', schedule: '30 7 * * MON-FRI', tz: 'America/New_York' },
  });
  await using visit = await openEdit(team, check, 'license-report');
  await visit.page.getByText('From Monday to Friday at 07:30').waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});
