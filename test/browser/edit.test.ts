import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam } from '../dashboard/team.ts';
import { projectRecord } from '../records.ts';
import { becomes, until } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import { lookTest, test } from './tests.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

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
  await page.getByRole('checkbox', { name: 'Ops', checked: true }).waitFor();
  await page.getByText('Every day', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add check' }).click();
  await until('the check is added', async () => (await checksOf(team)).length === 1);

  const [check] = await checksOf(team);
  assert.deepEqual([check?.slug, check?.status], ['nightly-db-zagare-1', 'new']);
  assert.deepEqual([check?.kind, check?.timeoutSeconds, check?.graceSeconds], ['simple', 86_400, 3_600]);
  assert.deepEqual(await dashboard.app.deps.store.checks.channelsOf(check?.id ?? 0), [channel.uuid]);
  isQuiet(visit);
});

test('a wrong slug, period and expression are told at their fields, and nothing can be saved meanwhile', async () => {
  const team = await givenTeam(dashboard.app);
  await dashboard.app.givenCheck(team.project, { name: 'Other', slug: 'taken' });
  await using visit = await openNew(team);
  const { page } = visit;
  const canAdd = (isSo: boolean) =>
    page.getByRole('button', { name: 'Add check', disabled: !isSo }).waitFor();

  await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(101));
  await page.getByText('At most 100 characters.').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(98));
  await page.getByText('2 characters left').waitFor();
  await page.getByRole('textbox', { name: 'Tags' }).fill('y'.repeat(501));
  await page.getByText('At most 500 characters.').waitFor();
  await canAdd(false);
  await page.getByRole('textbox', { name: 'Tags' }).fill('y'.repeat(499));
  await page.getByText('1 character left').waitFor();
  await page.getByRole('textbox', { name: 'Slug' }).fill('Big Slug');
  await page.getByText('Small letters, digits, hyphen and underscore only.').waitFor();
  await canAdd(false);
  await page.getByRole('textbox', { name: 'Slug' }).fill('taken');
  await page.getByText('Other has this slug, too.').waitFor();
  await canAdd(true);
  await page.getByRole('spinbutton', { name: 'Period' }).fill('366');
  await page.getByText('From 1 minute to 365 days.').waitFor();
  await canAdd(false);
  await page.getByText('1 field needs a look').waitFor();
  await page.getByRole('button', { name: '1 week' }).first().click();
  await becomes(() => page.getByRole('spinbutton', { name: 'Period' }).inputValue(), '7');

  await page.getByRole('button', { name: 'Cron' }).click();
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('61 7 * * MON-FRI');
  await page.getByText('In the minute field').waitFor();
  await canAdd(false);
  await page.getByText('No next run').waitFor();
  await page.getByRole('button', { name: 'Use 1 7 * * MON-FRI' }).click();
  await page.getByText('From Monday to Friday at 07:01').waitFor();
  assert.equal(
    (await page.getByRole('list', { name: 'The next runs' }).getByRole('listitem').count()) >= 5,
    true,
  );
  await canAdd(true);
  isQuiet(visit);
});

test('the schedule is taken out of a pasted crontab line and out of plain words, and no late answer to older words shows', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openNew(team);
  const { page } = visit;
  await page.getByRole('button', { name: 'Cron' }).click();
  const field = page.getByRole('textbox', { name: 'Cron expression' });

  await field.fill('15 4 * * 1 /usr/bin/report --all');
  await page.getByRole('button', { name: /Use “/ }).click();
  await becomes(() => field.inputValue(), '15 4 * * 1');
  await field.fill('weekdays at 7:30');
  await page.getByText('In plain words.').waitFor();
  await page.getByRole('button', { name: /Use “/ }).click();
  await becomes(() => field.inputValue(), '30 7 * * MON-FRI');
  await page.getByText('From Monday to Friday at 07:30').waitFor();
  await page.getByRole('img', { name: /^The hours of a week in which it runs/ }).waitFor();
  await field.fill('0 4 1 * *');
  const year = page.getByRole('img', { name: /^The days of a year on which it runs/ });
  await until('each month has its day', async () => (await year.locator('.is-on').count()) >= 11);

  const held: (() => Promise<void>)[] = [];
  await page.route('**/read/scheduleMeaning', async (route) => {
    const isFirst = route.request().postData()?.includes('"0 4 * * *"') === true;
    if (isFirst) held.push(() => route.continue());
    else await route.continue();
  });

  await field.fill('0 4 * * *');
  await until('it is asked', async () => held.length > 0);
  await field.fill('0 5 * * *');
  await page.getByText('Every day at 05:00').waitFor();
  const answered = page.waitForResponse(
    (reply) =>
      reply.url().endsWith('/read/scheduleMeaning') &&
      reply.request().postData()?.includes('"0 4 * * *"') === true,
  );
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

lookTest('below the choice when to tell stands what it means for the check, before it is saved', async () => {
  const team = await givenTeam(dashboard.app);
  const [chat, mail] = [
    await dashboard.app.givenChannel(team.project, { name: 'Chat' }),
    await dashboard.app.givenChannel(team.project, { name: 'Mail' }),
  ];
  const settings = { name: 'Backup', timeoutSeconds: 3_600, graceSeconds: 600 };
  const lastPingAt = dashboard.app.clock.now();
  const check = await dashboard.app.givenCheck(team.project, { ...settings, status: 'up', lastPingAt });
  await dashboard.app.assign(check, chat, mail);
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;
  const sentence = page.getByText('For this check: down at');
  const times = () => sentence.locator('time').evaluateAll((all) => all.map((one) => one.dateTime));
  const minutesLater = (one = '', other = '') => (Date.parse(other) - Date.parse(one)) / 60_000;

  await page.getByText('Chat and Mail told at').waitFor();
  const [down, told] = await times();
  assert.equal(down, told);

  await page.getByRole('radio', { name: /^Patient/ }).check();
  await until('the wait counts', async () => {
    const [down, told] = await times();
    return minutesLater(down, told) === 15;
  });
  await page.getByRole('checkbox', { name: 'Mail' }).uncheck();
  await page.getByText(', Chat told at').waitFor();
  await page.getByRole('radio', { name: /^Keep reminding/ }).check();
  await page.getByText('again at').waitFor();
  assert.equal((await stored(check)).policy, '');
  await isAccessible(visit);
  isQuiet(visit);
});

test('a period follows its slider, and who edits comes back to where they were', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup', tags: 'db' });
  await dashboard.app.givenCheck(team.project, { name: 'Other' });
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  const list = `${SITE.root}/projects/${team.project.uuid}/checks/?tag=db`;
  await page.goto(list);
  await page.getByRole('button', { name: 'More for Backup' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const period = page.getByRole('spinbutton', { name: 'Period' });
  const slider = page.getByRole('slider', { name: /period/i });
  await slider.fill('300');
  await becomes(() => period.inputValue(), '1');
  const unit = page.getByRole('combobox', { name: /period/i });
  await becomes(() => unit.inputValue(), 'hours');
  await unit.selectOption('minutes');
  await period.fill('90');
  await until('the slider follows', async () => Number(await slider.inputValue()) > 300);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.waitForURL(list);
  assert.equal((await stored(check)).timeoutSeconds, 5_400);
  await page.getByText('Every 1 hour 30 minutes').waitFor();

  await page.goto(`${SITE.root}/checks/${check.uuid}/details/`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Night backup');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.waitForURL(`${SITE.root}/checks/${check.uuid}/details/`);
  await page.getByRole('heading', { name: 'Night backup' }).waitFor();
  await team.browser.post(`/checks/${check.uuid}/do/pauseCheck`);
  await page.goto(`${SITE.root}/checks/${check.uuid}/edit/`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Resume' }).waitFor();
  isQuiet(visit);
});

test('before a check moves to another project, it is said what that changes', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const target = await app.deps.store.transaction((tx) =>
    tx.projects.insert(projectRecord(team.account.id, { name: 'Elsewhere' })),
  );
  const check = await app.givenCheck(team.project, { name: 'Backup' });
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Move or copy to another project' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move or copy Backup' });

  await dialog.getByText('Moving assigns all integrations of the other project').waitFor();
  await dialog.getByText('Ping addresses stay').waitFor();
  const here = dialog.getByRole('option', { name: `${team.project.name} (it is here)`, disabled: true });
  await here.waitFor({ state: 'attached' });
  await becomes(() => dialog.getByRole('combobox', { name: 'To' }).inputValue(), target.uuid);
  assert.equal((await stored(check)).projectId, team.project.id);
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();

  await page.getByText('Moved Backup to Elsewhere').waitFor();
  assert.equal((await stored(check)).projectId, target.id);
  isQuiet(visit);
});

test('the second of two editors sees who was first, and chooses', async () => {
  const team = await givenTeam(dashboard.app);
  const bob = await givenMember(dashboard.app, team.project, 'member');
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup' });
  await using visit = await openEdit(team, check, 'Backup');
  const { page } = visit;
  await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await bob.browser.post(`/checks/${check.uuid}/do/updateCheck`, { grace: 1_800 });

  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText(`${bob.account.email} changed grace: 30 min`).waitFor();
  await page.getByText('“Use mine” saves only your name.').waitFor();
  assert.equal((await stored(check)).name, 'Backup');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('cell', { name: 'Mine' }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Use mine' }).click();
  await until('mine is saved', async () => (await stored(check)).name === 'Mine');

  // What the person has not touched stays as the other one has saved it.
  assert.deepEqual([(await stored(check)).name, (await stored(check)).graceSeconds], ['Mine', 1_800]);
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

  // Unsaved changes go with the check: nobody is asked to save them.
  await page.getByRole('textbox', { name: 'Name' }).fill('Unsaved');
  await page.getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Backup?' });
  await dialog.getByRole('textbox', { name: 'Type Backup' }).fill('Backup');
  await dialog.getByRole('button', { name: 'Delete check' }).click();
  // The message goes by itself, unless the pointer is on it.
  await page.getByText('Deleted Backup').hover();
  assert.equal((await dashboard.app.ping(`/${check.uuid}`)).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Backup is back, with its history').waitFor();
  assert.equal((await stored(check)).pingCount, 1);
  isQuiet(visit);
});

lookTest('the editor is accessible in both themes and both widths', async () => {
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
