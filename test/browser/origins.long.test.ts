import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { givenPingKey } from '../ping/answers.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

test('a person lets jobs declare their checks, sees what the job has set, and follows it again', async () => {
  const { app } = dashboard;
  const owner = await givenTeam(app);
  const { project, browser } = owner;
  const key = await givenPingKey(app, project);
  await using visit = await dashboard.visitAs(owner);
  const { page } = visit;

  await page.goto(`${SITE.root}${owner.path}/settings/keys/`);
  await page.getByRole('button', { name: 'Always' }).click();
  await page.getByText('Counts with every ping.').waitFor();
  await app.ping(`/${key}/nightly?create=1&schedule=0+3+*+*+*&tz=Europe/Riga&grace=1h&tags=db`);
  const [check] = await app.deps.store.checks.ofProject(project.id);
  await browser.post(`/checks/${check?.uuid}/do/updateCheck`, { grace: 7_200 });
  await app.ping(`/${key}/nightly?schedule=0+3+*+*+*&tz=Europe/Riga&grace=1h&tags=db`);
  await page.goto(`${SITE.root}/checks/${check?.uuid}/details/`);
  const card = page.getByRole('region', { name: 'Who has set it' });
  await card.getByText('grace=1h').waitFor();
  await isAccessible(visit);
  await card.getByRole('button', { name: 'Follow the job again' }).click();
  await card.getByText('grace=1h').waitFor({ state: 'detached' });
  isQuiet(visit);
});

test('a person sets the timing that pings show', async () => {
  const { app } = dashboard;
  const owner = await givenTeam(app);
  const check = await app.givenCheck(owner.project, { name: 'Sync' });
  for (let n = 0; n < 12; n++) {
    await app.ping(`/${check.uuid}`);
    app.clock.advance({ minutes: 15 });
  }
  await using visit = await dashboard.visitAs(owner);
  const { page } = visit;

  await page.goto(`${SITE.root}/checks/${check.uuid}/details/`);
  const hint = page.getByText('Pings come every 15 minutes, you expect one a day');
  await hint.waitFor();
  await isAccessible(visit);
  await page.getByRole('button', { name: 'Set every 15 minutes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 min').waitFor();
  await dialog.getByRole('button', { name: 'Set every 15 minutes' }).click();
  await hint.waitFor({ state: 'detached' });
  isQuiet(visit);
});

test('a person is asked before they change what a file has set, and not about other fields', async () => {
  const { app } = dashboard;
  const owner = await givenTeam(app);
  const check = await app.givenCheck(owner.project, { name: 'Nightly', slug: 'nightly' });
  const file = `source: infra
projects:
  - { name: '${owner.project.name}', owner: ${owner.account.email}, checks: [{ slug: nightly, grace: 600, desc: Dump }] }`;
  await provision(app.deps, parseProvisionFile('tocsin.yaml', file));
  const stored = async () => app.deps.store.checks.byUuid(check.uuid);
  await using visit = await dashboard.visitAs(owner);
  const { page } = visit;
  const edit = async () => {
    await page.goto(`${SITE.root}/checks/${check.uuid}/edit/`);
    await page.getByText(/^From the file infra: (Grace time|Description), /).waitFor();
  };
  const save = () => page.getByRole('button', { name: 'Save changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change it all the same?' });

  await edit();
  await page.getByRole('textbox', { name: 'Tags' }).fill('db');
  await save();
  await page.getByText('Saved Nightly').waitFor();
  await edit();
  await page.getByRole('spinbutton', { name: 'Grace' }).fill('20');
  await save();
  await dialog
    .getByText('From the file infra: grace. Your change lasts until the file is applied again.')
    .waitFor();
  await isAccessible(visit);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await stored())?.graceSeconds, 600);
  await save();
  await dialog.getByRole('button', { name: 'Save all the same' }).click();
  await page.getByText('Saved Nightly').waitFor();

  const after = await stored();
  assert.deepEqual([after?.graceSeconds, after?.tags], [1_200, 'db']);
  isQuiet(visit);
});

test('a person is asked once before they change what files have set in many checks', async () => {
  const { app } = dashboard;
  const owner = await givenTeam(app);
  const channel = await app.givenChannel(owner.project, { name: 'Ops' });
  const checks: Check[] = [];
  for (const name of ['alpha', 'beta', 'gamma'])
    checks.push(await app.givenCheck(owner.project, { name, slug: name }));
  const file = `source: infra
projects:
  - name: '${owner.project.name}'
    owner: ${owner.account.email}
    checks: [{ slug: alpha, tags: prod, integrations: [Ops] }, { slug: beta, tags: prod }]`;
  await provision(app.deps, parseProvisionFile('tocsin.yaml', file));
  const tags = async () =>
    (await app.deps.store.checks.ofProject(owner.project.id)).map((check) => check.tags);
  const toldOf = (index: number) => app.deps.store.checks.channelsOf(checks[index]?.id ?? 0);
  await using visit = await dashboard.visitAs(owner);
  const { page } = visit;
  const dialog = page.getByRole('dialog', { name: 'Change it all the same?' });
  const bar = page.getByRole('toolbar', { name: 'Selected checks' });
  const addTag = async (tag: string) => {
    await bar.getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('combobox', { name: 'Tag' }).fill(tag);
    await page.getByRole('button', { name: 'Add the tag' }).click();
  };

  await page.goto(`${SITE.root}${owner.path}/checks/`);
  const alpha = page
    .locator('[data-key]')
    .filter({ has: page.getByRole('link', { name: 'alpha', exact: true }) });
  await alpha.getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Select all 3' }).click();
  await addTag('night');
  await dialog
    .getByText('From the file infra: tags of 2 checks. Your change lasts until the file is applied again.')
    .waitFor();
  await isAccessible(visit);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await tags(), ['prod', 'prod', '']);
  await addTag('night');
  await dialog.getByRole('button', { name: 'Change all the same' }).click();
  await page.getByText('3 checks tagged').waitFor();
  assert.deepEqual(await tags(), ['prod night', 'prod night', 'night']);

  await alpha.getByRole('button', { name: 'Ops', pressed: true }).click();
  await dialog.getByText('who is told of 1 check').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await alpha.getByRole('button', { name: 'Ops', pressed: true }).waitFor();
  assert.deepEqual(await toldOf(0), [channel.uuid]);
  await page.goto(`${SITE.root}/checks/${checks[0]?.uuid}/details/`);
  await page.getByRole('switch', { name: 'Ops' }).click();
  await dialog.getByText('From the file infra: who is told.').waitFor();
  await dialog.getByRole('button', { name: 'Change all the same' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await toldOf(0), []);
  isQuiet(visit);
});
