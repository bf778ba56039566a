import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { SITE } from '../app.ts';
import { givenMember, givenTeam, type Person } from '../dashboard/team.ts';
import { becomes } from '../waiting.ts';
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
  await visit.page.getByRole('heading', { name: 'Working hours' }).waitFor();
  return visit;
}

/** What the project has chosen for a tag. */
interface TagRule {
  readonly tag: string;
  readonly policy: string;
  readonly asOne: boolean;
}

const listed = (page: Page, list: string) => page.getByRole('list', { name: list }).getByRole('listitem');
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' }).last().click();

lookTest('working hours are added by keys alone, changed and deleted, each with undo', async () => {
  const team = await givenTeam(dashboard.app);
  await team.browser.post('/do/editAccount', { tz: 'Europe/Riga' });
  await using visit = await openAlerts(team, team);
  const { page } = visit;
  const rows = listed(page, 'Working hours');
  const dialog = page.getByRole('dialog');

  await pressOn(page.getByRole('button', { name: 'New working hours' }), 'Enter');
  await typeInto(dialog.getByLabel('Name'), 'office');
  // It is 18:00 at first. The focus is on the hours.
  await pressOn(dialog.getByLabel('Until'), 'ArrowDown');
  await typeInto(dialog.getByLabel('Days off'), '24 December');
  await page.keyboard.press('Enter');
  await dialog
    .getByRole('alert')
    .getByText(/not a date/)
    .waitFor();
  await isAccessible(visit);
  await typeInto(dialog.getByLabel('Days off'), '2026-12-24');
  await pressOn(dialog.getByRole('button', { name: 'Add' }), 'Enter');
  await rows.getByText('Mon–Fri 08:00–17:00, Riga · not on 2026-12-24').waitFor();
  await rows.getByText('Not used').waitFor();

  await page.getByRole('button', { name: 'Edit office' }).click();
  await dialog.getByLabel('Days', { exact: true }).selectOption('Other, by a schedule');
  await dialog.getByLabel('When they begin').fill('Mon..Fr 09:30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('When they begin').fill('Mon,Wed 09:30');
  await dialog.getByLabel('Time zone').selectOption('Europe/Vienna');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await rows.getByText(/^Mon,Wed 09:30, for 9 h, Vienna/).waitFor();
  await undo(page);
  await rows.getByText(/^Mon–Fri 08:00–17:00, Riga/).waitFor();

  await page.getByRole('button', { name: 'Delete office' }).click();
  await page.getByText('There are no working hours yet.').waitFor();
  await undo(page);
  await rows.getByText(/^Mon–Fri 08:00–17:00, Riga/).waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('working hours that are used say by what, and are deleted after a question', async () => {
  const team = await givenTeam(dashboard.app);
  const reader = await givenMember(dashboard.app, team.project, 'read_only');
  const hours = { schedule: 'Mon..Fri 08:00', tz: 'UTC', duration: 36_000, except: [] };
  const act = (name: string, input: object) => team.browser.post(`${team.path}/do/${name}`, input);
  await act('createCalendar', { name: 'office', ...hours });
  await act('createPolicy', { name: 'calm', hours: 'office' });
  {
    await using visit = await openAlerts(reader, team);
    await listed(visit.page, 'Working hours').getByText('Used by the way calm').waitFor();
    assert.equal(await visit.page.getByRole('button', { name: /hours|office/ }).count(), 0);
  }
  await using visit = await openAlerts(team, team);
  const { page } = visit;

  await page.getByRole('button', { name: 'Delete office' }).click();
  await page
    .getByRole('dialog')
    .getByText(/used by the way calm/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();

  await page.getByText('There are no working hours yet.').waitFor();
  await becomes(
    async () => (await team.browser.get(`${team.path}/read/alerting`)).json.policies[0].rules,
    {},
  );
  isQuiet(visit);
});

lookTest('an own way is made by keys alone, changed and deleted, each with undo', async () => {
  const team = await givenTeam(dashboard.app);
  await dashboard.app.givenChannel(team.project, { name: 'Phone' });
  await using visit = await openAlerts(team, team);
  const { page } = visit;
  const rows = listed(page, 'Own ways');
  const dialog = page.getByRole('dialog');

  await pressOn(page.getByRole('button', { name: 'New own way' }), 'Enter');
  await typeInto(dialog.getByLabel('Name'), 'night');
  // The letter with which only "Patient" begins, and only the integration.
  await pressOn(dialog.getByLabel('Begin with'), 'p');
  await typeInto(dialog.getByLabel('Minutes between repeats'), '60');
  await pressOn(dialog.getByRole('button', { name: 'Add a step' }), 'Enter');
  await isAccessible(visit);
  await pressOn(dialog.getByLabel('Integration for step 1'), 'p');
  await pressOn(dialog.getByRole('button', { name: 'Add', exact: true }), 'Enter');
  const sentences = ['still down after 15 minutes', 'every 1 hour', 'Then told: Phone after 15 minutes'];
  for (const words of sentences) await rows.getByText(words).waitFor();
  await isAccessible(visit);

  await page.getByRole('button', { name: 'Edit night' }).click();
  await dialog.getByLabel('Minutes to wait').fill('0.5');
  // What the browser refuses is not sent. The server refuses it, too.
  await dialog.getByLabel('Minutes to wait').evaluate((input) => input.removeAttribute('min'));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('group', { name: 'Wait' }).getByRole('alert').waitFor();
  await dialog.getByLabel('Minutes to wait').fill('20');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await rows.getByText('after 20 minutes').waitFor();
  await undo(page);
  await rows.getByText('still down after 15 minutes').waitFor();

  await page.getByRole('button', { name: 'Delete night' }).click();
  await page.getByText('There are no own ways yet.').waitFor();
  await undo(page);
  await rows.getByText('Then told: Phone after 15 minutes').waitFor();
  isQuiet(visit);
});

lookTest('when to tell is set for the project and for tags by keys alone, each with undo', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openAlerts(team, team);
  const { page } = visit;
  const dialog = page.getByRole('dialog');
  const stored = async () => {
    const { policy, tags } = (await team.browser.get(`${team.path}/read/alerting`)).json;
    const words = ({ tag, policy: ofTag, asOne }: TagRule) => `${tag} ${ofTag}${asOne ? ' as one' : ''}`;
    return { policy, tags: tags.map(words) };
  };
  const press = (name: string | RegExp, within: Pick<Page, 'getByRole'> = page) =>
    within.getByRole('button', { name, exact: true }).press('Enter');
  const becomesWith = (policy: string, ...tags: readonly string[]) => becomes(stored, { policy, tags });

  await press('Change when to tell: The project');
  await dialog.getByRole('radio', { name: 'Twice in a row' }).press('Space');
  await isAccessible(visit);
  await press('Save', dialog);
  await becomesWith('twice');
  await press('Undo');
  await becomesWith('at-once');
  // All of it is saved together, as the page knows it.
  const ofProject = page.getByRole('button', { name: 'Change when to tell: The project' }).locator('..');
  await ofProject.getByText('Tell at once').waitFor();

  for (const tag of ['db', 'web']) {
    await press('Add a tag');
    await dialog.getByLabel('Tag', { exact: true }).fill(tag);
    await dialog.getByRole('radio', { name: /^Patient/ }).press('Space');
    await dialog.getByLabel('Tag', { exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Remove ${tag}` }).waitFor();
  }
  await becomesWith('at-once', 'db patient', 'web patient');
  await press('Move web up');
  await becomesWith('at-once', 'web patient', 'db patient');
  await press('Remove db');
  await becomesWith('at-once', 'web patient');
  // The undo of the move may still be there.
  await press('Undo', page.getByRole('status').filter({ hasText: 'Removed db' }));
  await becomesWith('at-once', 'web patient', 'db patient');
  const asOne = page.getByRole('checkbox', { name: 'Tell checks with db as one' });
  await asOne.press('Space');
  await becomesWith('at-once', 'web patient', 'db patient as one');
  await press('Undo', page.getByRole('status').filter({ hasText: 'Saved db' }));
  await becomesWith('at-once', 'web patient', 'db patient');
  await becomes(() => asOne.isChecked(), false);
  await isAccessible(visit);
  isQuiet(visit);
});

test('at night only what is important is told, set as the guide says', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'shop' });
  await using visit = await openAlerts(team, team);
  const { page } = visit;
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'Change when to tell: The project' }).click();
  await dialog.getByRole('radio', { name: /^Working hours; at night only/ }).click();
  await dialog.getByText('Which are your working hours?').waitFor();
  await dialog.getByLabel('Days', { exact: true }).selectOption('Monday to Saturday');
  await dialog.getByLabel('From', { exact: true }).fill('09:00');
  await dialog.getByLabel('Until', { exact: true }).fill('17:00');
  await dialog.getByLabel('Time zone').selectOption('Europe/Riga');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await listed(page, 'Working hours').getByText('Mon–Sat 09:00–17:00, Riga').waitFor();
  await listed(page, 'Own ways')
    .getByText(/^Told in working-hours .*, and at any time with the tag important\.$/)
    .waitFor();
  await page.goto(`${SITE.root}/checks/${check.uuid}/edit/`);
  await page.getByRole('radio', { name: 'As the project: Working hours; at night only important' }).waitFor();
  await page.getByLabel('Tags', { exact: true }).fill('important');
  await page.getByRole('button', { name: 'Save' }).click();

  await becomes(async () => (await dashboard.app.deps.store.checks.byId(check.id))?.tags, 'important');
  const { json } = await team.browser.get(`${team.path}/read/alerting`);
  assert.deepEqual(
    [json.policy, json.calendars[0].schedule, json.calendars[0].duration],
    ['working-hours', 'Mon..Sat 09:00', 28_800],
  );
  isQuiet(visit);
});

test('the form of a check leads to own ways, and offers the one that was made meanwhile', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'job' });
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(`${SITE.root}/checks/${check.uuid}/edit/`);
  const [ways] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Make an own way' }).click(),
  ]);

  await ways.getByRole('button', { name: 'New own way' }).click();
  await ways.getByLabel('Name').fill('calm');
  await ways.getByLabel('Bad runs in a row', { exact: true }).fill('3');
  await ways.getByRole('button', { name: 'Add', exact: true }).click();
  await listed(ways, 'Own ways').getByText('Told after 3 bad runs in a row.').waitFor();
  await ways.close();
  // A browser without windows hides no tabs.
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('radio', { name: 'Own', exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();

  await becomes(async () => (await dashboard.app.deps.store.checks.byId(check.id))?.policy, 'calm');
  await page.goto(`${SITE.root}/projects/${team.project.uuid}/settings/alerts/`);
  await page.getByRole('button', { name: 'Delete calm' }).click();
  await page
    .getByRole('dialog')
    .getByText(/used by 1 check/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no own ways yet.').waitFor();
  await becomes(async () => (await dashboard.app.deps.store.checks.byId(check.id))?.policy, '');
  isQuiet(visit);
});

test('whoever may only read sees what own ways mean, and changes nothing', async () => {
  const team = await givenTeam(dashboard.app);
  const reader = await givenMember(dashboard.app, team.project, 'read_only');
  await team.browser.post(`${team.path}/do/createPolicy`, { name: 'calm', bad_runs: 2 });
  await using visit = await openAlerts(reader, team);

  await listed(visit.page, 'Own ways').getByText('Told after 2 bad runs in a row.').waitFor();

  assert.equal(await visit.page.getByRole('button', { name: /own way|calm/ }).count(), 0);
  isQuiet(visit);
});
