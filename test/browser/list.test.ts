import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Check } from '../../src/domain/check.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam } from '../dashboard/team.ts';
import { checkRecord, projectRecord } from '../records.ts';
import { until } from '../waiting.ts';
import { LAUNCH_TIMEOUT } from './chromium.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** For what a page shows. */
const PATIENCE_MS = 8_000;

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
}, LAUNCH_TIMEOUT);

after(() => dashboard[Symbol.asyncDispose]());

type Team = Awaited<ReturnType<typeof givenTeam>>;

async function open(team: Team, query = '', person: Pick<Team, 'browser'> = team) {
  const visit = await dashboard.visitAs(person);
  // From then on the page hears of changes.
  const isLive = visit.page.waitForResponse('**/dashboard/api/live');
  await visit.page.goto(addressOf(team, query));
  await visit.page.getByRole('heading', { level: 1 }).waitFor();
  await isLive;
  return visit;
}

const addressOf = ({ path }: Team, query = '') => `${SITE.root}${path}/checks/${query}`;

const rows = (page: Page): Locator => page.locator('[data-key]');
const row = (page: Page, name: string): Locator =>
  rows(page).filter({ has: page.getByRole('link', { name, exact: true }) });
const names = (page: Page): Promise<string[]> => page.locator('.row-link').allTextContents();

/** Waits until the page shows these checks, in this order. */
async function shows(page: Page, ...expected: string[]): Promise<void> {
  const isShown = async () => (await names(page)).join() === expected.join();
  await until('the rows are so', isShown, PATIENCE_MS).catch(async () =>
    assert.deepEqual(await names(page), expected),
  );
}

/** The status in the row, as a word. */
const hasStatus = (page: Page, name: string, word: string) =>
  row(page, name).locator('.st', { hasText: word }).waitFor();

const hasTitle = (page: Page, title: string) =>
  until(`the title is ${title}`, async () => (await page.title()) === title);

/** One check of each kind. */
async function givenChecks(team: Team): Promise<Map<string, Check>> {
  const { app } = dashboard;
  const now = app.clock.now();
  const given: Partial<Check>[] = [
    { name: 'backup', tags: 'prod db', status: 'down', lastPingAt: now - 2 * DAY, lastFlipAt: now - DAY },
    { name: 'feed', tags: 'prod', status: 'up', lastPingAt: now - DAY - 10 * MINUTE },
    { name: 'index', tags: 'search', status: 'up', lastPingAt: now - HOUR, lastStartAt: now - MINUTE },
    { name: 'job2', status: 'up', lastPingAt: now - 2 * MINUTE, lastDuration: 1_500_000 },
    { name: 'Job10', status: 'up', lastPingAt: now - MINUTE },
    { name: 'stopped', status: 'paused', lastPingAt: now - DAY },
    { name: 'waiting', slug: 'first-ping' },
  ];
  const checks = new Map<string, Check>();
  for (const one of given) checks.set(one.name ?? '', await app.givenCheck(team.project, one));
  return checks;
}

/** What was committed reaches open pages. */
async function announce({ project }: Team, ...checks: readonly Check[]): Promise<void> {
  const { node, clock } = dashboard.app;
  const checkIds = checks.length === 0 ? ('all' as const) : checks.map(({ id }) => id);
  node.parts.changes.announce([{ projectId: project.id, checkIds, channelIds: [], touchesStatus: true }]);
  clock.advance({ seconds: 1 });
  node.parts.changes.tick();
  await node.http.live.tick();
  await node.http.live.settled();
}

test('the list says what is wrong in words, and everybody can use it', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await dashboard.app.givenChannel(team.project, { name: 'Ops' });
  await using visit = await open(team);
  const { page } = visit;

  await page.getByText('1 down,').waitFor();
  await page.getByText('1 late.').waitFor();
  await page.getByText('3 fine, 2 silent on purpose.').waitFor();
  await shows(page, 'backup', 'feed', 'index', 'job2', 'Job10', 'stopped', 'waiting');
  await row(page, 'backup').getByText('No ping for 2 days.').waitFor();
  await row(page, 'feed').getByText('Still within grace: nobody has been told yet.').waitFor();
  await hasStatus(page, 'index', 'Running');
  await row(page, 'waiting').getByText('No ping yet').waitFor();
  assert.equal(await page.title(), '1 down – Tocsin');
  await isAccessible(visit);
  isQuiet(visit);
});

test('a project without checks says what a check is, and leads to the first one', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  await visit.page.goto(addressOf(team));
  await visit.page.getByText('A check watches one job.').waitFor();
  assert.equal(await visit.page.getByRole('link', { name: 'Add check' }).count(), 2);
  isQuiet(visit);
});

suite('filters', () => {
  test('are in the address: another browser shows the same, and Back undoes them one by one', async () => {
    const team = await givenTeam(dashboard.app);
    await givenChecks(team);
    await using visit = await open(team);
    const { page } = visit;
    const chip = (name: RegExp) => page.getByRole('group', { name: 'Filters' }).getByRole('button', { name });
    await shows(page, 'backup', 'feed', 'index', 'job2', 'Job10', 'stopped', 'waiting');

    await chip(/^Down/).click();
    await shows(page, 'backup');
    await chip(/^Late/).click();
    await shows(page, 'backup', 'feed');
    await page.getByRole('button', { name: /^Tag/ }).click();
    await page.getByRole('menuitem', { name: /^db/ }).click();
    await shows(page, 'backup');

    await using other = await dashboard.visitAs(team);
    await other.page.goto(page.url());
    await shows(other.page, 'backup');
    await page.goBack();
    await shows(page, 'backup', 'feed');
    await page.reload();
    await shows(page, 'backup', 'feed');
    await page.goBack();
    await shows(page, 'backup');
    isQuiet(visit);
  });

  test('running checks are found whatever their status', async () => {
    const team = await givenTeam(dashboard.app);
    await givenChecks(team);
    await using visit = await open(team, '?status=running');
    await shows(visit.page, 'index');
  });

  test('words are found in names, slugs and tags, and Escape clears them', async () => {
    const team = await givenTeam(dashboard.app);
    await givenChecks(team);
    await using visit = await open(team);
    const { page } = visit;
    await page.keyboard.press('/');
    for (const [words, found] of [
      ['BAC', ['backup']],
      ['first-p', ['waiting']],
      ['tag:prod -tag:db', ['feed']],
      ['status:late name:fee', ['feed']],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Filter checks' }).fill(words);
      await shows(page, ...found);
    }
    await page.keyboard.press('Escape');
    await shows(page, 'backup', 'feed', 'index', 'job2', 'Job10', 'stopped', 'waiting');
    isQuiet(visit);
  });

  test('that leave nothing say so, and can be cleared', async () => {
    const team = await givenTeam(dashboard.app);
    await givenChecks(team);
    await using visit = await open(team, '?tag=search&status=down');
    const { page } = visit;
    await page.getByText('No check matches status:down tag:search.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'backup').waitFor();
  });
});

test('the order is natural, with what is down first, and stays when the page is opened again', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await using visit = await open(team);
  const { page } = visit;
  await page.getByRole('button', { name: 'Attention first' }).click();
  await page.getByRole('menuitem', { name: 'No groups' }).click();
  await page.getByRole('button', { name: 'Attention first' }).click();
  await page.getByRole('menuitem', { name: 'Name', exact: true }).click();
  const byName = ['backup', 'feed', 'index', 'job2', 'Job10', 'stopped', 'waiting'];
  await shows(page, ...byName);

  await page.goto(addressOf(team));
  await shows(page, ...byName);
  await page.goto(addressOf(team, '?sort=last_ping'));
  await shows(page, 'backup', 'feed', 'stopped', 'index', 'job2', 'Job10', 'waiting');
});

test('groups are by tag if somebody wants it, and stay closed', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await using visit = await open(team, '?group=tag');
  const { page } = visit;
  const group = (name: RegExp) => page.getByRole('button', { name, expanded: true });
  await group(/^prod 2/).waitFor();
  await group(/^No tag 4/).click();
  await shows(page, 'backup', 'backup', 'feed', 'index');
  await page.reload();
  await shows(page, 'backup', 'backup', 'feed', 'index');
});

suite('changes', () => {
  test('show without a reload: pings, new checks, checks that are gone, and the title', async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    const check = await app.givenCheck(team.project, { name: 'first' });
    await using visit = await open(team);
    const { page } = visit;

    await app.receive(check, 'success');
    await announce(team, check);
    await page.getByText('It is fine.').waitFor();
    await row(page, 'first').getByRole('img', { name: '1 run, all ok' }).waitFor();
    await app.receive(check, 'fail');
    await announce(team, check);
    await row(page, 'first').getByText('Failure signal.').waitFor();
    await hasTitle(page, '1 down – Tocsin');
    const second = await app.givenCheck(team.project, { name: 'second' });
    await announce(team, second);
    await shows(page, 'first', 'second');
    await app.deps.store.transaction((tx) => tx.checks.delete(check));
    await announce(team);
    await shows(page, 'second');
    await hasTitle(page, 'Checks – Tocsin');
    isQuiet(visit);
  });

  test('move no row under the pointer until somebody wants it', async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    const checks = [];
    for (const name of ['a', 'b', 'c'])
      checks.push(await app.givenCheck(team.project, { name, status: 'up', lastPingAt: app.clock.now() }));
    await using visit = await open(team);
    const { page } = visit;
    await shows(page, 'a', 'b', 'c');
    await row(page, 'b').hover();

    const last = checks[2] ?? assert.fail();
    await app.receive(last, 'fail');
    await announce(team, last);

    await hasStatus(page, 'c', 'Down');
    await shows(page, 'a', 'b', 'c');
    await page.getByRole('button', { name: /moved · Show/ }).click();
    await shows(page, 'c', 'a', 'b');
  });
});

suite('integrations', () => {
  test('are assigned by a click, and the icon goes back if the server fails', async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    const channel = await app.givenChannel(team.project, { name: 'Ops' });
    const check = await app.givenCheck(team.project, { name: 'one' });
    await using visit = await open(team);
    const { page } = visit;
    const icon = row(page, 'one').getByRole('button', { name: 'Ops' });

    const saved = page.waitForResponse('**/checks/bulk');
    await icon.click();
    await saved;
    assert.deepEqual(await app.deps.store.checks.channelsOf(check.id), [channel.uuid]);
    await page.route('**/checks/bulk', (route) =>
      route.fulfill({ status: 500, body: '{"error":"It broke."}' }),
    );
    await icon.click();
    await page.getByRole('alert').getByText('It broke.').waitFor();
    await row(page, 'one').getByRole('button', { name: 'Ops', pressed: true }).waitFor();
  });

  test('of more than ten, a number says how many are told', async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    const channels = [];
    for (let n = 0; n < 11; n++) channels.push(await app.givenChannel(team.project, { name: `Ops ${n}` }));
    const check = await app.givenCheck(team.project, { name: 'one' });
    await app.assign(check, ...channels.slice(0, 2));
    await using visit = await open(team);
    await row(visit.page, 'one').getByText('2 of 11').waitFor();
  });
});

test('a check is paused by keyboard, with an undo, and the focus stays', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const check = await app.givenCheck(team.project, {
    name: 'one',
    status: 'up',
    lastPingAt: app.clock.now(),
  });
  await app.givenCheck(team.project, { name: 'two', status: 'up', lastPingAt: app.clock.now() });
  await using visit = await open(team);
  const { page } = visit;
  await row(page, 'one').waitFor();

  await page.keyboard.press('j');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'one');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('p');
  await hasStatus(page, 'one', 'Paused');
  await page.getByRole('status').getByText('one is paused').waitFor();
  assert.equal((await app.deps.store.checks.byId(check.id))?.status, 'paused');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'one');
  await page.getByRole('button', { name: 'Undo' }).click();
  await hasStatus(page, 'one', 'New');
  isQuiet(visit);
});

test('selected checks are paused, tagged, assigned, moved and deleted, and each says how many', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const channel = await app.givenChannel(team.project, { name: 'Ops' });
  const target = await app.deps.store.transaction((tx) =>
    tx.projects.insert(projectRecord(team.account.id, { name: 'Elsewhere' })),
  );
  const checks: Check[] = [];
  for (let n = 1; n <= 5; n++)
    checks.push(
      await app.givenCheck(team.project, { name: `job${n}`, status: 'up', lastPingAt: app.clock.now() }),
    );
  await using visit = await open(team);
  const { page } = visit;
  const bar = page.getByRole('toolbar', { name: 'Selected checks' });
  const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
  const stored = async () =>
    Promise.all(checks.map(async ({ id }) => (await app.deps.store.checks.byId(id)) ?? null));

  await row(page, 'job1').getByRole('checkbox').check();
  await row(page, 'job5')
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] });
  await bar.getByText('5 selected').waitFor();
  await bar.getByRole('button', { name: 'Tag' }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill('nightly');
  await page.getByRole('button', { name: 'Add the tag' }).click();
  await said('5 checks tagged');
  assert.ok((await stored()).every((check) => check?.tags === 'nightly'));
  await bar.getByRole('button', { name: 'Integrations' }).click();
  await page.getByRole('menuitem', { name: 'Tell Ops', exact: true }).click();
  await said('5 checks assigned');
  for (const { id } of checks) assert.deepEqual(await app.deps.store.checks.channelsOf(id), [channel.uuid]);
  await bar.getByRole('button', { name: 'Pause' }).click();
  await said('5 checks paused');
  assert.ok((await stored()).every((check) => check?.status === 'paused'));

  await row(page, 'job1').getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('menuitem', { name: 'Elsewhere' }).click();
  await said('1 check moved');
  assert.equal((await stored())[0]?.projectId, target.id);
  await row(page, 'job1').waitFor({ state: 'detached' });
  await row(page, 'job2').getByRole('checkbox').check();
  await row(page, 'job3').getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('textbox', { name: 'Type 2' }).fill('2');
  await page.getByRole('button', { name: 'Delete 2 checks' }).click();
  await said('2 checks deleted');
  await shows(page, 'job4', 'job5');
  await page.getByRole('button', { name: 'Undo' }).click();
  await shows(page, 'job2', 'job3', 'job4', 'job5');
  isQuiet(visit);
});

test('at the limit of checks, the reason and the numbers stand at the button', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  await app.givenCheck(team.project, { name: 'only' });
  await app.deps.store.transaction((tx) => tx.accounts.setLimits(team.account.id, { checks: 1, pings: 100 }));
  await using visit = await open(team);
  const add = visit.page.getByRole('button', { name: /Add check/, disabled: true });
  await add.waitFor();
  assert.match((await add.getAttribute('title')) ?? '', /^1 of 1 checks are in use\./);
});

test('a read-only member sees everything and can change nothing', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  await app.givenChannel(team.project, { name: 'Ops' });
  const check = await app.givenCheck(team.project, { name: 'one' });
  const reader = await givenMember(app, team.project, 'read_only');
  await using visit = await open(team, '', reader);
  const { page } = visit;
  await row(page, 'one').waitFor();

  assert.equal(await page.getByRole('link', { name: 'Add check' }).count(), 0);
  assert.equal(await row(page, 'one').getByRole('checkbox').count(), 0);
  await row(page, 'one').getByRole('button', { name: 'More for one' }).click();
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Open']);
  assert.ok(!(await page.content()).includes(check.uuid));
});

test('of two thousand checks only those in view are drawn, and all can be found', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  await app.deps.store.transaction(async (tx) => {
    for (let n = 1; n <= 2_000; n++)
      await tx.checks.insert(
        checkRecord(team.project.id, { name: `job${n}`, status: 'up', lastPingAt: app.clock.now() }),
      );
  });
  await using visit = await open(team);
  const { page } = visit;
  await page.getByText('All 2000 are fine.').waitFor();
  await row(page, 'job1').waitFor();
  assert.ok((await rows(page).count()) < 60);

  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await row(page, 'job2000').waitFor();
  assert.ok((await rows(page).count()) < 60);
  await page.keyboard.press('/');
  await page.keyboard.type('job1999');
  await shows(page, 'job1999');
  isQuiet(visit);
});
