import assert from 'node:assert/strict';
import { after, before, suite } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Check } from '../../src/domain/check/check.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam } from '../dashboard/team.ts';
import { checkRecord, projectRecord } from '../records.ts';
import { becomes, until } from '../waiting.ts';
import { type Dashboard, isAccessible, isIdle, isLive, isQuiet, startDashboard } from './dashboard.ts';
import { smallTargets } from './targets.ts';
import { lookTest, test } from './tests.ts';
import { SCREENS } from './visit.ts';

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

type Team = Awaited<ReturnType<typeof givenTeam>>;

async function open(team: Team, query = '', person: Pick<Team, 'browser'> = team) {
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(addressOf(team, query));
  await visit.page.getByRole('heading', { level: 1 }).waitFor();
  await isLive(visit);
  return visit;
}

const addressOf = ({ path }: Team, query = '') => `${SITE.root}${path}/checks/${query}`;

const rows = (page: Page): Locator => page.locator('[data-key]');
const row = (page: Page, name: string): Locator =>
  rows(page).filter({ has: page.getByRole('link', { name, exact: true }) });
const names = (page: Page): Promise<string[]> => page.locator('.row-link').allTextContents();

const isUncut = (part: Locator): Promise<boolean> =>
  part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);

/** Whether all of an element's content is inside of it, and the element on the screen. */
async function isWhole(part: Locator, width: number): Promise<boolean> {
  const box = await part.boundingBox();
  return (await isUncut(part)) && box !== null && box.x >= 0 && box.x + box.width <= width;
}

/** Waits until the page shows these checks, in this order. */
const shows = (page: Page, ...expected: string[]) => becomes(() => names(page), expected);

/** The status in the row, as a word. */
const hasStatus = (page: Page, name: string, word: string) =>
  row(page, name).locator('.check-row__status', { hasText: word }).waitFor();

const hasTitle = (page: Page, title: string) => becomes(() => page.title(), title);

/** The row of the check with this name has the focus. */
const hasFocus = (page: Page, name: string) =>
  becomes(() => page.evaluate('document.activeElement.textContent'), name);

/** Messages go by themselves, unless the pointer is on them. */
const holdMessage = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).hover();

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
    { name: 'stopped', status: 'paused', lastPingAt: now - DAY, manualResume: true },
    { name: 'waiting', slug: 'first-ping' },
  ];
  const checks = new Map<string, Check>();
  for (const one of given) checks.set(one.name ?? '', await app.givenCheck(team.project, one));
  return checks;
}

/** Announces commits to open pages. */
async function announce({ project }: Team, ...checks: readonly Pick<Check, 'id'>[]): Promise<void> {
  const { node, clock } = dashboard.app;
  const checkIds = checks.length === 0 ? ('all' as const) : checks.map(({ id }) => id);
  node.parts.changes.announce([{ projectId: project.id, checkIds, channelIds: [], touchesStatus: true }]);
  clock.advance({ seconds: 1 });
  node.parts.changes.tick();
  await node.http.live.tick();
  await node.http.live.settled();
}

test('whoever pauses a check in the list gets its row with the answer, and reads nothing again', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'nightly', status: 'up' });
  await using visit = await open(team);
  const { page } = visit;
  await isIdle(visit);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/dashboard/api/')) asked.push(pathname.split('/').slice(-2).join('/'));
  });

  await row(page, 'nightly').getByRole('link', { name: 'nightly', exact: true }).focus();
  await page.keyboard.press('p');
  await page.getByText('Paused nightly').waitFor();
  await row(page, 'nightly').getByText('until a ping comes').waitFor();
  await announce(team, check);

  assert.deepEqual(asked, ['do/pauseCheck']);
  await until('another change is read', async () => {
    await dashboard.app.receive(check, 'success');
    await announce(team, check);
    return asked.includes('read/checkRows');
  });
  isQuiet(visit);
});

lookTest('the picture marks an outage that began before it, and a legend explains its marks', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await using visit = await open(team);
  const { page } = visit;
  const lane = page.locator('.lane', { has: page.getByRole('link', { name: 'backup', exact: true }) });
  await lane.getByText(/since /).waitFor();
  await lane.getByText('until it pings').waitFor();
  const [name, bar] = await Promise.all([
    lane.locator('.lane-name').boundingBox(),
    lane.locator('.span').boundingBox(),
  ]);
  assert.ok(name !== null && bar !== null && name.y + name.height <= bar.y, 'the name stands above the bar');

  await page.getByRole('button', { name: 'Legend' }).click();
  await page
    .getByRole('dialog', { name: 'What the marks mean' })
    .getByText('Goes down then, unless it pings')
    .waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('on a phone, the picture says in full what comes, and nothing of it leaves the screen', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await using visit = await open(team);
  const { page } = visit;
  const lane = page.locator('.lane', { has: page.getByRole('link', { name: 'feed', exact: true }) });
  const label = lane.getByText(/^(\S+ )*\d\d:\d\d goes down unless it pings$/);

  for (const screen of [SCREENS.phone, SCREENS.narrow]) {
    await page.setViewportSize(screen);
    await page.getByText('last 12 h').waitFor();
    await page.getByText('next 4 h').waitFor();
    await label.waitFor();
    assert.ok(await isWhole(label, screen.width), `${screen.width} px`);
  }
});

/** The number of lines on which this name stands in the second line of the answer. */
const linesOf = (page: Page, name: string): Promise<number> =>
  page.evaluate(`{
    const texts = document.createTreeWalker(document.querySelector('.answer-line'), NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let lines = 0;
    while (texts.nextNode() && lines === 0) {
      const start = texts.currentNode.data.indexOf('${name}');
      if (start < 0) continue;
      range.setStart(texts.currentNode, start);
      range.setEnd(texts.currentNode, start + ${name.length});
      lines = new Set([...range.getClientRects()].map(({ top }) => top)).size;
    }
    lines;
  }`);

test('a name with hyphens is not divided where it fits on a line', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const now = app.clock.now();
  const name = 'nightly-backup-of-all-archives';
  await app.givenCheck(team.project, {
    name,
    status: 'down',
    lastPingAt: now - 2 * DAY,
    lastFlipAt: now - DAY,
  });
  await app.givenCheck(team.project, {
    ...{ name: 'feed', status: 'down', lastPingAt: now - 3 * DAY, lastFlipAt: now - 2 * DAY },
  });
  await using visit = await open(team);
  await visit.page.locator('.answer-line', { hasText: name }).waitFor();

  for (let width = 360; width <= 440; width += 10) {
    await visit.page.setViewportSize({ width, height: 800 });
    assert.equal(await linesOf(visit.page, name), 1, `${width} px`);
  }
});

test('a row shows each of its times whole, or leaves out the least important one', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const now = app.clock.now();
  const always = { timeoutSeconds: 30 * 86_400, status: 'up' } as const;
  await app.givenCheck(team.project, {
    ...{ ...always, name: 'slow', lastPingAt: now - 3 * DAY - 5 * HOUR, lastDuration: 9_000_000_000 },
  });
  await app.givenCheck(team.project, { ...always, name: 'fast', lastPingAt: now, lastDuration: 20_000_000 });
  await using visit = await open(team);
  const { page } = visit;

  for (const width of [1440, 1100, 390, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const cell = row(page, 'slow').locator('.check-row__last-ping');
    const duration = cell.getByText('2 h 30 min');
    await duration.waitFor({ state: 'attached' });
    const [whole, time, part] = await Promise.all([
      cell.boundingBox(),
      cell.locator('time').last().boundingBox(),
      duration.boundingBox(),
    ]);
    assert.ok(whole && time && part, `${width} px`);
    const [end, bottom] = [whole.x + whole.width, whole.y + whole.height];
    assert.ok(time.x + time.width <= end && time.y < bottom, `the time at ${width} px`);
    assert.ok(await isUncut(cell.locator('.check-row__detail')), `no part of them at ${width} px`);
    assert.ok(part.x + part.width <= end || part.y >= bottom - 1, `the duration at ${width} px`);
    assert.ok(
      await isWhole(row(page, 'slow').locator('.check-row__next'), width),
      `what comes at ${width} px`,
    );
  }
  const short = row(page, 'fast').getByText('· 20 s');
  assert.ok(await isWhole(short, 360));
});

test('on a phone, rows name the integrations that are told', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  const ops = await dashboard.app.givenChannel(team.project, { name: 'Ops' });
  const told = await dashboard.app.givenCheck(team.project, { name: 'told', status: 'up' });
  await dashboard.app.assign(told, ops);
  await using visit = await open(team);
  const { page } = visit;
  await page.setViewportSize({ width: 390, height: 844 });

  await row(page, 'told').getByText('Tells Ops', { exact: true }).waitFor();
  await row(page, 'feed').getByText('Tells nobody', { exact: true }).waitFor();
  // Who was told of an outage stands in its story.
  assert.equal(await row(page, 'backup').getByText('Tells').count(), 0);
});

lookTest('the list says what is wrong in words, and everybody can use it', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await dashboard.app.givenChannel(team.project, { name: 'Ops' });
  await using visit = await open(team);
  const { page } = visit;

  await page.getByText('1 down,').waitFor();
  await page.getByRole('link', { name: /^Times in .+\.$/ }).waitFor();
  await page.getByText('1 late.').waitFor();
  await page.getByText('3 fine, 1 silent on purpose, 1 waiting for the first run.').waitFor();
  await shows(page, 'backup', 'feed', 'index', 'job2', 'Job10', 'stopped', 'waiting');
  await row(page, 'backup').getByText('No ping for 2 days.').waitFor();
  await row(page, 'backup').getByText('Nobody is told: no integration is assigned.').waitFor();
  await row(page, 'backup').getByText('Stays down until a ping comes.').waitFor();
  await row(page, 'backup').getByText('Down for 24 h').waitFor();
  await row(page, 'feed').getByText('goes Down and tells nobody').waitFor();
  await page.getByText('Nobody is told of backup.').waitFor();
  await page.getByRole('link', { name: 'Assign an integration' }).waitFor();
  await row(page, 'feed').getByText('Still within grace: nobody has been told yet.').waitFor();
  await hasStatus(page, 'index', 'Running');
  await row(page, 'stopped').getByText('until resumed by hand').waitFor();
  await row(page, 'waiting').getByText('No ping yet').waitFor();
  await hasTitle(page, '1 down – Tocsin');
  const inMenu = page.getByRole('navigation').getByRole('link', { name: 'Checks 1 down', exact: true });
  assert.equal(await inMenu.getAttribute('title'), 'Checks: 1 down');
  await isAccessible(visit);
  isQuiet(visit);
});

test('in the timeline, a run that must come or finish soon is not a missed one', async () => {
  const team = await givenTeam(dashboard.app);
  await givenChecks(team);
  await using visit = await dashboard.visitAs(team);
  await visit.page.goto(`${SITE.root}${team.path}/timeline/`);
  const lane = (name: string) => visit.page.getByRole('listitem').filter({ hasText: name });

  await lane('index')
    .getByTitle(/^Must finish by /)
    .waitFor();
  await lane('feed')
    .getByTitle(/^Goes down at .+, unless it pings$/)
    .waitFor();

  assert.equal(
    await visit.page.locator('.is-missed').count(),
    await lane('backup').locator('.is-missed').count(),
  );
  isQuiet(visit);
});

lookTest('a check that recovered says when it fell, when it came back, and who was told', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const check = await app.givenCheck(team.project, { name: 'nightly' });
  await app.givenCheck(team.project, { name: 'other', status: 'up', lastPingAt: app.clock.now() });
  for (const signal of ['fail', 'success'] as const) await app.receive(check, signal);
  await using visit = await open(team);
  const { page } = visit;

  await row(page, 'nightly')
    .getByText(/^Was down from .* to .* Nobody was told\.$/)
    .waitFor();
  await page.getByText('Nobody is told if they go down.').waitFor();
  await isAccessible(visit);
  await page.goto(`${SITE.root}/checks/${check.uuid}/details/`);
  await page.getByText(/^Was down from .* to .* Nobody was told\.$/).waitFor();
  isQuiet(visit);
});

lookTest('the only project opens at once, and leads to the first check and its first ping', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  await app.givenChannel(team.project, { name: 'Ops' });
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(`${SITE.root}/`);
  await page.waitForURL(addressOf(team));
  await page.getByRole('heading', { name: 'Nothing to watch yet.' }).waitFor();
  await page.getByRole('heading', { name: 'Ops will be told' }).waitFor();
  await isLive(visit);
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Timeline' }).click();
  await page.getByText('There are no checks yet.').waitFor();
  assert.equal(await page.getByText('Nothing went wrong').count(), 0);
  await main.getByRole('link', { name: 'Checks' }).click();

  await page.getByRole('button', { name: /^Nightly backup/ }).click();
  await page.getByText('Listening for the first ping').waitFor();
  await page.getByRole('heading', { name: 'Nightly backup waits for its first ping.' }).waitFor();
  const [check] = await app.deps.store.checks.ofProject(team.project.id);
  assert.equal(check?.schedule, '0 3 * * *');
  await page.getByRole('tabpanel').getByText(check.uuid).waitFor();
  await isAccessible(visit);
  await page.getByRole('button', { name: 'Ping now' }).click();
  await page.getByText(/First ping/).waitFor();
  await page.getByRole('heading', { name: 'Nightly backup is watched.' }).waitFor();
  await page.getByRole('button', { name: 'See the list' }).click();

  await shows(page, 'Nightly backup');
  await page.getByRole('link', { name: 'Tocsin' }).first().click();
  await page.getByRole('table', { name: /Projects/ }).waitFor();
  isQuiet(visit);
});

test('a check that is added right after the first integration tells it', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(addressOf(team));
  await page.getByRole('heading', { name: 'Nothing to watch yet.' }).waitFor();
  await page.getByRole('button', { name: /^Nightly backup/ }).waitFor();
  await page.getByRole('link', { name: 'Add an integration' }).click();
  await page.getByRole('link', { name: /Webhook/ }).click();
  await page.getByLabel('Name').fill('Ops');
  await page.getByLabel('Address').fill('https://hooks.example.org/ops');
  await page.getByRole('button', { name: 'Save integration' }).click();
  await page.getByRole('row', { name: /Ops/ }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Checks' }).click();

  await page.getByRole('link', { name: /^Add check/ }).click();

  assert.ok(await page.getByRole('checkbox', { name: 'Ops' }).isChecked());
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
    await page.getByRole('menuitem').filter({ hasText: 'prod' }).getByText('1 of 2 down').waitFor();
    await page.getByRole('menuitem', { name: /db/ }).click();
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
    await chip(/^Late/).click();
    await shows(page, 'backup', 'feed');
    await chip(/^Down/).click();
    await shows(page, 'feed');
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
    const checks = await givenChecks(team);
    await using visit = await open(team);
    const { page } = visit;
    await page.keyboard.press('/');
    for (const [words, found] of [
      ['BACK', ['backup']],
      [checks.get('stopped')?.uuid.slice(4, 18).toUpperCase() ?? '', ['stopped']],
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

test('a view is kept under a name, shared with everybody, and found in the palette', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const reader = await givenMember(app, team.project, 'read_only');
  await givenChecks(team);
  await using visit = await open(team, '?tag=prod&group=none');
  const { page } = visit;
  await shows(page, 'backup', 'feed');
  await page.getByRole('button', { name: 'View options' }).click();
  await page.getByRole('menuitem', { name: 'Save as a view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Production');
  await page.getByRole('checkbox', { name: 'Everybody in this project sees it' }).check();
  await page.getByRole('button', { name: 'Save the view' }).click();
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Production/ });
  await link.getByText('2 checks').waitFor();
  await page.goto(addressOf(team, '?group=status'));
  await row(page, 'waiting').waitFor();
  await link.click();
  await shows(page, 'backup', 'feed');

  await using other = await open(team, '', reader);
  await other.page.keyboard.press('Control+k');
  await other.page.getByRole('combobox').fill('produ');
  await other.page.getByRole('option', { name: 'Production' }).click();
  await shows(other.page, 'backup', 'feed');
  await page.keyboard.press('2');
  await shows(page, 'feed');
  await page.getByRole('button', { name: 'View options' }).click();
  await page.getByRole('menuitem', { name: 'Manage views…' }).click();
  await page.getByRole('button', { name: 'Change Production' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Feeds');
  await page.getByRole('checkbox', { name: 'It shows what the list shows now' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Delete Feeds' }).waitFor();
  const [changed] = await app.deps.store.savedViews.seenBy(team.project.id, reader.account.id);
  assert.equal(changed?.name, 'Feeds');
  assert.match(changed.query, /status=late/);
  await link.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete Feeds' }).click();
  await page.getByRole('button', { name: 'Delete Feeds' }).waitFor({ state: 'detached' });
  assert.deepEqual(await app.deps.store.savedViews.seenBy(team.project.id, reader.account.id), []);
  isQuiet(visit);
});

test('what is typed and what is clicked both count, and a filter takes no hidden check along', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  await givenChecks(team);
  await using visit = await open(team, '?group=none');
  const { page } = visit;
  await row(page, 'backup').getByRole('checkbox').check();
  await row(page, 'feed').getByRole('checkbox').check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('2');
  await shows(page, 'feed');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('2');
  await row(page, 'backup').waitFor();

  // At once, before the typed word is in the address.
  await page.evaluate(`{
    const box = document.querySelector('.filter-search input');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, 'b');
    box.dispatchEvent(new Event('input', { bubbles: true }));
    document.querySelector('[data-filter="down"]').click();
  }`);
  await page.waitForURL((url) => url.searchParams.get('q') === 'b');
  assert.equal(new URL(page.url()).searchParams.get('status'), 'down');
  await shows(page, 'backup');

  // The rail of a narrow desktop has order and integrations, too.
  await page.setViewportSize({ width: 1024, height: 800 });
  await page.goto(addressOf(team, '?tag=prod'));
  await page.getByRole('button', { name: 'Attention first' }).waitFor();
  await page.getByRole('link', { name: /Add check/ }).click();
  const tags = page.getByLabel('Tags');
  await becomes(() => tags.inputValue(), 'prod');
  await page.getByRole('button', { name: '+ search' }).click();
  await tags.fill('prod   search ');
  await tags.blur();
  await becomes(() => tags.inputValue(), 'prod search');
  isQuiet(visit);
});

lookTest('a row sends a ping with a body, opens the last one, and shows how long runs took', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const check = await app.givenCheck(team.project, { name: 'one' });
  await app.givenCheck(team.project, { name: 'two' });
  for (const minutes of [4, 6]) {
    await app.receive(check, 'start');
    app.clock.advance({ minutes });
    await app.receive(check, 'success');
  }
  app.clock.set(Date.now() * 1_000);
  await using visit = await open(team);
  const { page } = visit;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: SITE.root });
  await row(page, 'one').getByRole('button', { name: 'More for one' }).click();
  await page.getByRole('menuitem', { name: 'Copy ping URL' }).click();
  await page.getByRole('status').getByText('Ping URL copied').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.equal(copied, `${SITE.pingEndpoint}${check.uuid}`);
  const exact = await row(page, 'one').locator('.check-row__last-ping time').first().getAttribute('title');
  assert.match(exact ?? '', /\d\d:\d\d:\d\d/);
  await page.getByRole('button', { name: 'View options' }).click();
  await page.getByRole('menuitem', { name: 'Show durations' }).click();
  await row(page, 'one').getByRole('img', { name: 'Median 4 min, 95 % within 6 min' }).waitFor();
  await row(page, 'one').getByRole('button', { name: 'More for one' }).click();
  await page.getByRole('menuitem', { name: 'Send a ping…' }).click();
  await page.getByRole('button', { name: 'Failure' }).click();
  await page.getByRole('textbox', { name: 'Body' }).fill('disk full');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('status').getByText('Failure sent to one').waitFor();
  await announce(team, check);
  await row(page, 'one').getByText('disk full').waitFor();
  await row(page, 'one').locator('.row-ping').click();
  const sheet = page.getByRole('dialog', { name: /^#5/ });
  await sheet.getByText('disk full').first().waitFor();
  await isAccessible(visit);
  await sheet.getByRole('link', { name: 'All events of this check' }).click();
  await page.waitForURL(`**/checks/${check.uuid}/log/`);
  isQuiet(visit);
});

test('the order is natural, with what is down first, and stays over a sign-out', async () => {
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

  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.goto(addressOf(team));
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.context().addCookies(cookies);
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
  test('are assigned by a click, the icon goes back if the server fails, and goes with its integration', async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    const channel = await app.givenChannel(team.project, { name: 'Ops' });
    const check = await app.givenCheck(team.project, { name: 'one' });
    await using visit = await open(team);
    const { page } = visit;
    const icon = row(page, 'one').getByRole('button', { name: 'Ops' });

    assert.match((await icon.getAttribute('title')) ?? '', /Ops/);
    const saved = page.waitForResponse('**/do/adjustChecks');
    await icon.click();
    await saved;
    assert.deepEqual(await app.deps.store.checks.channelsOf(check.id), [channel.uuid]);
    await page.route('**/do/adjustChecks', (route) =>
      route.fulfill({ status: 500, body: '{"error":"It broke."}' }),
    );
    await icon.click();
    await page.getByRole('alert').getByText('It broke.').waitFor();
    await row(page, 'one').getByRole('button', { name: 'Ops', pressed: true }).waitFor();
    await team.browser.post(`${team.path}/do/deleteChannel`, { channel: channel.uuid });
    await announce(team);
    await icon.waitFor({ state: 'detached' });
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
    pingCount: 1,
    lastPingAt: app.clock.now(),
  });
  await app.givenCheck(team.project, { name: 'two', status: 'up', lastPingAt: app.clock.now() });
  await using visit = await open(team);
  const { page } = visit;
  await row(page, 'one').waitFor();

  await page.keyboard.press('j');
  await hasFocus(page, 'one');
  await page.keyboard.press('j');
  await hasFocus(page, 'two');
  await page.keyboard.press('k');
  await hasFocus(page, 'one');
  await page.keyboard.press('p');
  await hasStatus(page, 'one', 'Paused');
  await holdMessage(page, 'Paused one');
  assert.equal((await app.deps.store.checks.byId(check.id))?.status, 'paused');
  await hasFocus(page, 'one');
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await hasStatus(page, 'one', 'Up');
  await page.keyboard.press('k');
  await hasFocus(page, 'one');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/checks/${check.uuid}/details/`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  // Somebody else is faster, as in test/dashboard/checks.test.ts.
  await page.route('**/do/resumeCheck', (route) =>
    route.fulfill({ status: 409, json: { error: 'check is not paused', code: 'check_not_paused' } }),
  );
  await page.getByRole('main').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('one is not paused any more. Somebody else has resumed it.').waitFor();
  isQuiet(visit);
});

test('to acknowledge or to snooze is one act, by the row, a key, the palette or for selected checks', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const toAcknowledge = ['alpha', 'beta', 'delta', 'epsilon'];
  const toSnooze = ['gamma', 'kappa', 'lambda', 'sigma', 'upsilon'];
  for (const name of [...toAcknowledge, ...toSnooze]) {
    const check = await app.givenCheck(team.project, { name, status: 'up', lastPingAt: app.clock.now() });
    await app.receive(check, 'fail');
  }
  await using visit = await open(team);
  const { page } = visit;
  const acts: string[] = [];
  page.on('request', (request) => {
    const [, act] = /\/do\/(\w+)$/.exec(request.url()) ?? [];
    if (act !== undefined) acts.push(act);
  });
  const has = (name: string) => row(page, name).getByText('has it since').first().waitFor();
  const isAct = async (act: string) => {
    await becomes(() => acts.length, 1);
    assert.deepEqual(acts.splice(0), [act]);
  };
  const isSilent = (name: string) => row(page, name).getByText('Silent until').waitFor();
  const focus = (name: string) => row(page, name).getByRole('link', { name, exact: true }).focus();

  await page.getByRole('button', { name: 'Acknowledge alpha' }).click();
  await has('alpha');
  await isAct('acknowledgeCheck');
  await page.getByRole('button', { name: 'Snooze kappa' }).click();
  await page.getByRole('menuitem', { name: '4 hours' }).click();
  await isSilent('kappa');
  await isAct('snoozeCheck');
  await focus('beta');
  await page.keyboard.press('a');
  await has('beta');
  await isAct('acknowledgeCheck');
  await focus('gamma');
  await page.keyboard.press('s');
  await page.getByRole('dialog').getByRole('button', { name: 'Snooze' }).click();
  await isSilent('gamma');
  await row(page, 'gamma')
    .getByText(/by \S+@example\.org$/)
    .waitFor();
  await isAct('snoozeCheck');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('delta');
  await page.getByRole('option', { name: 'Acknowledge' }).first().click();
  await has('delta');
  await isAct('acknowledgeCheck');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('lambda');
  await page.getByRole('option', { name: 'Snooze: 1 hour' }).click();
  await isSilent('lambda');
  await isAct('snoozeCheck');

  const select = async (...chosen: readonly string[]) => {
    for (const name of chosen) {
      await focus(name);
      await page.keyboard.press('x');
    }
  };
  const bar = page.getByRole('toolbar', { name: 'Selected checks' });
  await select('sigma', 'upsilon');
  await bar.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: '1 hour' }).click();
  for (const name of ['sigma', 'upsilon']) await isSilent(name);
  await isAct('snoozeChecks');
  await bar.waitFor({ state: 'detached' });
  await select('beta', 'epsilon');
  await bar.getByRole('button', { name: 'Acknowledge' }).click();
  await has('epsilon');
  await isAct('acknowledgeChecks');
  isQuiet(visit);
});

lookTest('on a phone, a tap on a row selects it, and what is selected is acknowledged at once', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  for (const name of ['alpha', 'beta', 'gamma']) {
    const check = await app.givenCheck(team.project, { name, status: 'up', lastPingAt: app.clock.now() });
    await app.receive(check, 'fail');
  }
  const screen = { viewport: SCREENS.phone, isMobile: true, hasTouch: true };
  await using visit = await dashboard.visitAs(team, screen);
  const { page } = visit;
  await page.goto(addressOf(team));
  await isLive(visit);
  const bar = page.getByRole('toolbar', { name: 'Selected checks' });
  const begin = async () => {
    await page.getByRole('button', { name: 'View options' }).tap();
    await page.getByRole('menuitem', { name: 'Select checks' }).tap();
    await bar.getByText('0 selected').waitFor();
  };
  const tap = (name: string) => row(page, name).tap({ position: { x: 200, y: 60 } });

  await begin();
  assert.equal(await bar.getByRole('button', { name: 'Pause' }).count(), 0);
  await tap('alpha');
  await tap('beta');
  await tap('gamma');
  await bar.getByText('3 selected').waitFor();
  await tap('gamma');
  await bar.getByText('2 selected').waitFor();
  assert.deepEqual(await smallTargets(page), []);
  await isAccessible(visit);
  await page.setViewportSize(SCREENS.phone);
  await bar.getByRole('button', { name: 'Acknowledge' }).tap();
  await page.getByRole('status').getByText('2 checks acknowledged').waitFor();
  await bar.waitFor({ state: 'detached' });
  for (const name of ['alpha', 'beta']) await row(page, name).getByText('has it since').waitFor();
  assert.equal(await row(page, 'gamma').getByText('has it since').count(), 0);

  await begin();
  await tap('gamma');
  await bar.getByRole('button', { name: 'Done' }).tap();
  await bar.waitFor({ state: 'detached' });
  await row(page, 'gamma').tap({ position: { x: 200, y: 60 } });
  await page.waitForURL('**/details/');
  isQuiet(visit);
});

test('selected checks are tagged, assigned, paused, resumed, moved and deleted, and each says how many', async () => {
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
  await bar.waitFor({ state: 'detached' });
  await row(page, 'job1').getByRole('checkbox').check();
  await row(page, 'job5')
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] });
  await bar.getByRole('button', { name: 'Resume' }).click();
  await said('5 checks resumed');
  assert.ok((await stored()).every((check) => check?.status === 'new'));
  await bar.waitFor({ state: 'detached' });

  await row(page, 'job1').getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('menuitem', { name: 'Elsewhere' }).click();
  const question = page.getByRole('dialog', { name: 'Move 1 check to Elsewhere?' });
  await question.getByText('Moving assigns all integrations of the other project').waitFor();
  await question.getByRole('button', { name: 'Move 1 check' }).click();
  await said('1 check moved');
  assert.equal((await stored())[0]?.projectId, target.id);
  await row(page, 'job1').waitFor({ state: 'detached' });
  await row(page, 'job2').getByRole('checkbox').check();
  await row(page, 'job3').getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('textbox', { name: 'Type 2' }).fill('2');
  await page.getByRole('button', { name: 'Delete 2 checks' }).click();
  await holdMessage(page, '2 checks deleted');
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
  const check = await app.givenCheck(team.project, {
    name: 'one',
    status: 'up',
    lastPingAt: app.clock.now(),
  });
  await app.receive(check, 'fail');
  const reader = await givenMember(app, team.project, 'read_only');
  await using visit = await open(team, '', reader);
  const { page } = visit;
  await row(page, 'one').getByText('Down').first().waitFor();
  for (const name of ['Acknowledge', 'Snooze'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);

  await page.getByText('Members who may make changes can assign an integration.').waitFor();
  for (const name of ['Add check', 'Assign an integration'])
    assert.equal(await page.getByRole('link', { name }).count(), 0, name);
  assert.equal(await row(page, 'one').getByRole('checkbox').count(), 0);
  await row(page, 'one').getByRole('button', { name: 'More for one' }).click();
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Open']);
  assert.ok(!(await page.content()).includes(check.uuid));
  for (const address of [addressOf(team, 'new/'), `${SITE.root}/checks/${check.uniqueKey}/edit/`]) {
    await page.goto(address);
    await page.getByText('You may not do this here').waitFor();
    await page.getByText(`${team.account.email} owns the project`).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Timeline' }).waitFor();
  }
  isQuiet(visit);
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
  await page.getByText('All 2,000 are fine.').waitFor();
  await row(page, 'job1').waitFor();
  assert.ok((await rows(page).count()) < 60);

  // Rows that the page makes from here on, and what it asks the server.
  await page.evaluate(`{
    window.rowsMade = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node.nodeType === 1) rowsMade += node.querySelectorAll('[data-key]').length + node.matches('[data-key]');
    }).observe(document.body, { childList: true, subtree: true });
  }`);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // The browser asks for the icon of the tab whenever it likes.
    if (pathname.startsWith('/dashboard/api/')) asked.push(pathname);
  });
  const rowsMade = () => page.evaluate<number>('rowsMade');

  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await row(page, 'job2000').waitFor();
  assert.ok((await rows(page).count()) < 60);
  assert.ok((await rowsMade()) < 60, 'those on the way are not made');
  await page.keyboard.press('/');
  for (const [index, key] of [...'job1999'].entries()) {
    await page.keyboard.type(key);
    await becomes(() => page.getByRole('searchbox').inputValue(), 'job1999'.slice(0, index + 1));
  }
  await shows(page, 'job1999');
  assert.ok((await rowsMade()) < 8 * 60, 'a key makes no more rows than are in view');
  // The page asks the server only for the runs of rows in view. Typed words are found without it.
  assert.deepEqual(
    asked.filter((path) => path !== `/dashboard/api${team.path}/read/checkDetails`),
    [],
  );
  isQuiet(visit);
});
