import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seconds } from '../../src/lib/instant.ts';
import { SITE } from '../app.ts';
import { givenMember, givenPerson, givenTeam, join, type Person } from '../dashboard/team.ts';
import { accountRecord, invitationRecord, projectRecord, unique } from '../records.ts';
import { becomes } from '../waiting.ts';
import { appears, type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import type { Visit } from './visit.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

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
  const pump = await app.givenCheck(other, { name: 'pump', ...up });
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
    .getByText(/Down since .*mail-queue/)
    .waitFor();
  await rowOf(page, 'Aquarium').getByText('all 1 fine').waitFor();
  await rowOf(page, 'Aquarium').getByText('Read-only').waitFor();
  await becomes(() => page.title(), '1 down – Tocsin');
  await isAccessible(visit);

  await app.receive(pump, 'fail');
  await appears(dashboard, other, page.getByRole('heading', { name: '2 down. 1 fine.' }));
  await rowOf(page, 'Aquarium').getByText('1 down').waitFor();
  await page.locator('link[rel="icon"][href$="/down-2.svg"]').waitFor({ state: 'attached' });
  isQuiet(visit);
});

test('a project is chosen in the switcher, by its status, and the one that was open last is marked', async () => {
  const { app } = dashboard;
  const person = await givenTeam(app);
  const other = await givenOther(person, 'Aquarium');
  await app.givenCheck(other, { name: 'pump', status: 'down', lastPingAt: app.clock.now() });
  await using visit = await openProjects(person);
  const { page } = visit;
  const switcher = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('button', { name: /^All projects/ });
  const item = page.getByRole('menuitem', { name: 'Aquarium' });

  assert.equal(await page.getByText('last visited').count(), 0);
  await switcher.click();
  await item.getByRole('img', { name: 'Down' }).waitFor();
  await item.click();
  await page.waitForURL(`**/projects/${other.uuid}/checks/`);
  await page.getByRole('table', { name: 'Checks' }).getByRole('link', { name: 'pump' }).waitFor();
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('button', { name: /Aquarium/ })
    .click();
  assert.notEqual(await item.getAttribute('aria-current'), null);
  await page.getByRole('menuitem', { name: 'All projects' }).click();
  await rowOf(page, 'Aquarium').getByText('last visited').waitFor();
  await switcher.click();
  await item.getByText('last visited').waitFor();
  assert.equal(await page.getByText('last visited').count(), 2);
  isQuiet(visit);
});

test('all checks of all projects stand in one list, each with its project', async () => {
  const { app } = dashboard;
  const person = await givenTeam(app);
  const other = await givenOther(person, 'Aquarium');
  const now = app.clock.now();
  const up = { status: 'up', lastPingAt: now - seconds(60), lastReceivedAt: now - seconds(60) } as const;
  await app.givenCheck(other, { name: 'pump', ...up });
  const backup = await app.givenCheck(person.project, { name: 'backup', ...up });
  const broken = await app.givenCheck(person.project, { name: 'mail-queue', ...up });
  await app.receive(broken, 'fail');
  await using visit = await openProjects(person);
  const { page } = visit;
  const row = (name: string) =>
    page.locator('[data-key]').filter({ has: page.getByRole('link', { name, exact: true }) });

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'All checks' }).click();
  await page.waitForURL('**/all-checks/');
  await page.getByRole('heading', { name: '1 down. 2 fine.' }).waitFor();
  await page.getByText('In 2 projects.').waitFor();
  await row('mail-queue').getByText('Failure signal.').waitFor();
  await row('pump').getByRole('link', { name: 'Aquarium' }).waitFor();
  assert.equal(await row('pump').getByRole('checkbox').count(), 0);
  await isAccessible(visit);
  await row('backup').getByRole('button', { name: 'More for backup' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await row('backup').locator('.check-row__status', { hasText: 'Paused' }).waitFor();
  await becomes(async () => (await app.deps.store.checks.byId(backup.id))?.status, 'paused');

  await page.getByRole('button', { name: 'Project', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Aquarium' }).click();
  await row('backup').waitFor({ state: 'detached' });
  await row('pump').waitFor();
  await page
    .getByRole('navigation', { name: 'Projects or checks' })
    .getByRole('link', { name: 'Projects' })
    .click();
  await page.getByRole('table', { name: /Projects/ }).waitFor();
  await page.keyboard.press('a');
  await page.waitForURL('**/all-checks/');
  isQuiet(visit);
});

test('typing into the new dialog names a project, and a name that is too long is refused', async () => {
  const person = await givenPerson(dashboard.app);
  await using visit = await openProjects(person);
  const { page } = visit;
  await page.getByText('Make your first project').waitFor();
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Crontab lab');
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Crontab lab');
  await page.getByLabel('Name', { exact: true }).fill('x'.repeat(61));
  await page.getByRole('button', { name: 'Make the project' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();

  await page.getByLabel('Name', { exact: true }).fill('y'.repeat(60));
  await page.getByRole('button', { name: 'Make the project' }).click();

  await page.waitForURL(/\/projects\/[\w-]+\/checks\/$/);
  await page.getByRole('heading', { name: 'Nothing to watch yet.' }).waitFor();
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
  await team.browser.post(`${team.path}/do/offerProject`, { member: bob.account.uuid });
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
  await givenOther(bob, 'Aquarium');
  await using visit = await openProjects(bob);
  const { page } = visit;
  await page.getByRole('button', { name: `Actions on ${team.project.name}` }).click();
  await page.getByRole('menuitem', { name: 'Leave…' }).click();
  await page.getByRole('button', { name: 'Leave project' }).click();

  await rowOf(page, team.project.name).waitFor({ state: 'detached' });
  await rowOf(page, 'Aquarium').waitFor();
  assert.equal((await bob.browser.get(team.path)).status, 404);
  isQuiet(visit);
});

test('a deleted project is restored by its owner', async () => {
  const team = await givenTeam(dashboard.app);
  const { name } = team.project;
  assert.equal((await team.browser.post(`${team.path}/do/deleteProject`, { name })).status, 204);
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
  await becomes(names, ['Alpha', 'beta', 'delta']);
  await page.getByRole('searchbox', { name: 'Search projects' }).fill('eta');
  await becomes(names, ['beta', 'Eta', 'zeta']);
  await page.getByRole('searchbox', { name: 'Search projects' }).fill('nothing');
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await becomes(names, ['Alpha', 'beta', 'delta']);

  await page.getByRole('heading', { level: 1 }).click();
  for (const name of ['Alpha', 'beta']) {
    await page.keyboard.press('j');
    await becomes(() => page.evaluate('document.activeElement.textContent'), name);
  }
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New project' }).waitFor();
  isQuiet(visit);
});
