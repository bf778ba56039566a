import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seconds } from '../../src/lib/instant.ts';
import { SITE } from '../app.ts';
import { givenMember, givenPerson, givenTeam, join, type Person } from '../dashboard/team.ts';
import { accountRecord, invitationRecord, projectRecord, unique } from '../records.ts';
import { LAUNCH_TIMEOUT } from './chromium.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import type { Visit } from './visit.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
}, LAUNCH_TIMEOUT);

after(() => dashboard[Symbol.asyncDispose]());

async function openProjects(person: Person): Promise<Visit> {
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(`${SITE.root}/`);
  await visit.page.getByRole('navigation', { name: 'Where you are' }).getByText('Projects').waitFor();
  return visit;
}

/** Another project of somebody else, in which the person may read. */
async function givenOther(person: Person, name: string) {
  return dashboard.app.deps.store.transaction(async (tx) => {
    const owner = await tx.accounts.insert(accountRecord({ email: `erin-${unique()}@example.org` }));
    const project = await tx.projects.insert(projectRecord(owner.id, { name }));
    await tx.projects.addMember(project.id, person.account.id, 'read_only', 1);
    return project;
  });
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test('a project that is down opens up above the others, and the answer counts over all of them', async () => {
  const { app } = dashboard;
  const person = await givenTeam(app);
  const other = await givenOther(person, 'Aquarium');
  const now = app.clock.now();
  const up = { status: 'up', lastPingAt: now - seconds(60), lastReceivedAt: now - seconds(60) } as const;
  await app.givenCheck(other, { name: 'pump', ...up });
  await app.givenCheck(person.project, { name: 'backup', ...up });
  const broken = await app.givenCheck(person.project, { name: 'mail-queue', ...up });
  await app.receive(broken, 'fail');

  await using visit = await openProjects(person);
  const { page } = visit;

  await page.getByRole('heading', { name: '1 down. 2 fine.' }).waitFor();
  await page.getByText('In 2 projects.').waitFor();
  const rows = page.getByRole('table', { name: /Projects/ }).getByRole('row');
  await rows.nth(1).getByText(person.project.name).waitFor();
  await rows.nth(2).getByText('Aquarium').waitFor();
  await rowOf(page, person.project.name)
    .getByText(/Since .*mail-queue/)
    .waitFor();
  await rowOf(page, 'Aquarium').getByText('all 1 fine').waitFor();
  await rowOf(page, 'Aquarium').getByText('Read-only').waitFor();
  assert.equal(await page.title(), '1 down – Tocsin');
  await isAccessible(visit);
  isQuiet(visit);
});

test('a project is made, and a name that is too long is refused', async () => {
  const person = await givenPerson(dashboard.app);
  await using visit = await openProjects(person);
  const { page } = visit;
  await page.getByText('Make your first project').waitFor();
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name', { exact: true }).fill('x'.repeat(61));
  await page.getByRole('button', { name: 'Make the project' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();

  await page.getByLabel('Name', { exact: true }).fill('y'.repeat(60));
  await page.getByRole('button', { name: 'Make the project' }).click();

  await page.waitForURL(/\/projects\/[\w-]+\/checks\/$/);
  isQuiet(visit);
});

test('an invitation is the last row, and joins or is declined', async () => {
  const { app } = dashboard;
  const bob = await givenPerson(app);
  const [first, second] = [await givenTeam(app), await givenTeam(app)];
  await app.deps.store.transaction(async (tx) => {
    for (const { project } of [first, second])
      await tx.invitations.insert(
        invitationRecord(project.id, {
          email: bob.account.email,
          expiresAt: app.clock.now() + seconds(90_000),
        }),
      );
  });
  await using visit = await openProjects(bob);
  const { page } = visit;

  await page.getByRole('button', { name: `Join ${first.project.name}` }).click();
  await page.getByRole('link', { name: first.project.name }).first().waitFor();
  await page.getByRole('button', { name: 'Decline' }).click();

  await page.getByText(`You are invited to ${second.project.name}`).waitFor({ state: 'detached' });
  assert.equal(await app.deps.store.projects.roleOf(second.project.id, bob.account.id), null);
  isQuiet(visit);
});

test('an offer is taken over if the checks fit, and says with numbers if they do not', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const bob = await givenMember(app, team.project, 'member');
  await app.givenCheck(team.project);
  await team.browser.post(`${team.path}/offer`, { account: bob.account.uuid });
  const limitTo = (checks: number) =>
    app.deps.store.transaction((tx) => tx.accounts.setLimits(bob.account.id, { checks, pings: 100 }));
  await limitTo(0);
  await using visit = await openProjects(bob);
  const { page } = visit;
  await page.getByText('It has 1 check, and your account has room for 0 more.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Take it over' }).isDisabled());

  await limitTo(10);
  await page.reload();
  await page.getByRole('button', { name: 'Take it over' }).click();

  await rowOf(page, team.project.name).getByText('you own it').waitFor();
  const members = await app.deps.store.projects.membersOf(team.project.id);
  assert.deepEqual(
    members.map(({ email, role }) => [email, role]),
    [[team.account.email, 'member']],
  );
  isQuiet(visit);
});

test('a member leaves a project, which is gone for them', async () => {
  const team = await givenTeam(dashboard.app);
  const bob = await givenMember(dashboard.app, team.project, 'member');
  await using visit = await openProjects(bob);
  const { page } = visit;
  await page.getByRole('button', { name: `Actions on ${team.project.name}` }).click();
  await page.getByRole('menuitem', { name: 'Leave…' }).click();
  await page.getByRole('button', { name: 'Leave project' }).click();

  await page.getByText('Make your first project').waitFor();
  assert.equal((await bob.browser.get(team.path)).status, 404);
  isQuiet(visit);
});

test('a deleted project is restored by its owner', async () => {
  const team = await givenTeam(dashboard.app);
  const { name } = team.project;
  assert.equal((await team.browser.post(`${team.path}/delete`, { name })).status, 200);
  await using visit = await openProjects(team);
  const { page } = visit;

  await page.getByRole('button', { name: `Restore ${name}` }).click();

  await rowOf(page, name).waitFor();
  isQuiet(visit);
});

test('among many projects one is found by its name, and by the keyboard', async () => {
  const { app } = dashboard;
  const person = await givenTeam(app);
  for (const name of ['Alpha', 'beta', 'Gamma', 'delta', 'Epsilon', 'zeta', 'Eta']) {
    const owner = await givenTeam(app);
    await app.deps.store.transaction((tx) => tx.projects.rename(owner.project.id, name));
    await join(app, owner.project, person.account, 'member');
  }
  await using visit = await openProjects(person);
  const { page } = visit;
  const names = async () =>
    (
      await page
        .getByRole('table', { name: /Projects/ })
        .getByRole('link')
        .allTextContents()
    ).slice(0, 3);
  assert.deepEqual(await names(), ['Alpha', 'beta', 'delta']);
  await page.getByRole('searchbox', { name: 'Search projects' }).fill('eta');
  assert.deepEqual(await names(), ['beta', 'Eta', 'zeta']);
  await page.getByRole('searchbox', { name: 'Search projects' }).fill('nothing');
  await page.getByRole('button', { name: 'Clear the search' }).click();

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  assert.ok(
    await page
      .getByRole('link', { name: 'beta', exact: true })
      .first()
      .evaluate((link) => link.matches(':focus')),
  );
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New project' }).waitFor();
  isQuiet(visit);
});
