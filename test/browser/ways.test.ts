import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { SITE } from '../app.ts';
import { givenMember, givenTeam, type Person } from '../dashboard/team.ts';
import { becomes } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
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

const listed = (page: Page, list: string) => page.getByRole('list', { name: list }).getByRole('listitem');
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' }).last().click();

lookTest('working hours are added, changed and deleted, each with undo', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openAlerts(team, team);
  const { page } = visit;
  const rows = listed(page, 'Working hours');
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'New working hours' }).click();
  await dialog.getByLabel('Name').fill('office');
  await dialog.getByLabel('Until').fill('17:00');
  await dialog.getByLabel('Time zone').selectOption('Europe/Riga');
  await dialog.getByLabel('Days off').fill('24 December');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/not a date/)
    .waitFor();
  await isAccessible(visit);
  await dialog.getByLabel('Days off').fill('2026-12-24');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await rows.getByText('Mon–Fri 08:00–17:00, Riga · not on 2026-12-24').waitFor();
  await rows.getByText('Not used').waitFor();

  await page.getByRole('button', { name: 'Edit office' }).click();
  await dialog.getByLabel('Days', { exact: true }).selectOption('Other, by a schedule');
  await dialog.getByLabel('When they begin').fill('Mon..Fr 09:30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('When they begin').fill('Mon,Wed 09:30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await rows.getByText(/^Mon,Wed 09:30, for 9 h, Riga/).waitFor();
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
