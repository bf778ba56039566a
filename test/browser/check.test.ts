import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { createPolicy, setAlerting } from '../../src/services/alert/policies.ts';
import { updateCheck } from '../../src/services/check/checks.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { drain, FakeSender, newNotifier } from '../alerts.ts';
import { SITE } from '../app.ts';
import { givenMember, givenPerson, givenTeam, type Person } from '../dashboard/team.ts';
import { becomes, until } from '../waiting.ts';
import {
  appears,
  type Dashboard,
  isAccessible,
  isIdle,
  isLive,
  isQuiet,
  startDashboard,
} from './dashboard.ts';
import { type Demo, makeDemo } from './demo.ts';
import { lookTest, test } from './tests.ts';

let dashboard: Dashboard;
let demo: Demo;

before(async () => {
  dashboard = await startDashboard();
  demo = await makeDemo(dashboard.app);
});

after(() => dashboard[Symbol.asyncDispose]());

/** All but the last digit of a run id. */
const RID = '5c7e2a10-93b4-4d6f-8a21-00000000000';

const details = (name: string) => `${SITE.root}/checks/${demo.checks.get(name)?.uuid}/details/`;

lookTest('a check that is down tells since when, why, whom it told and what comes next', async () => {
  await using visit = await dashboard.visitAs(demo.owner);
  const { page } = visit;
  await page.goto(details('db-backup'));

  await page.getByRole('heading', { name: 'db-backup', level: 1 }).waitFor();
  await page.getByText('no ping for 26 h').first().waitFor();
  await until('the title says so', async () => /^Down – db-backup/.test(await page.title()));
  const way = page.getByRole('region', { name: 'What happened and what comes next' });
  for (const words of [
    'Last ping · OK',
    'Run expected, none came',
    'Grace over · Down',
    'Told Alice mail and #ops, not yet On-call',
    'Now',
  ])
    await way.getByText(words).first().waitFor();
  await page.getByText('Stays down until a ping comes.').waitFor();
  const told = page.getByRole('list', { name: 'Who was told' }).first();
  await told.getByText('Received status code 503').waitFor();
  await told.getByRole('button', { name: 'Try now' }).click();
  await page.getByText('It is sent now.').waitFor();
  await page.getByText('Show as table').click();
  await page.getByRole('cell', { name: 'Missed' }).first().waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('the chart of durations gives the values of a run to a mouse, to the arrow keys and to a finger', async () => {
  await using visit = await dashboard.visitAs(demo.owner);
  const { page } = visit;
  await page.goto(details('db-backup'));
  const runs = page.getByRole('region', { name: 'The last runs' });
  const values = runs.getByRole('status');
  const chart = runs.getByRole('img', { name: /^Durations of the last 31 runs, median 6 min/ });
  await chart.waitFor();
  const { x, y, width, height } = (await chart.boundingBox()) ?? assert.fail('it is drawn');
  /** In the chart, above the place of one of the runs. */
  const at = (place: number) => ({ clientX: x + ((place - 0.5) / 31) * width, clientY: y + height / 2 });

  await page.mouse.move(at(31).clientX, at(31).clientY);
  await values.getByText(/^Missed · .*\d\d:\d\d$/).waitFor();
  await page.mouse.move(at(30).clientX, at(30).clientY);
  await values.getByText(/^Ok · .*\d\d:\d\d · [67] min( \d+ s)?$/).waitFor();
  await page.mouse.move(0, 0);
  await becomes(() => values.innerText(), '');

  await runs.focus();
  await page.keyboard.press('ArrowLeft');
  await values.getByText(/^Missed/).waitFor();
  await page.keyboard.press('ArrowLeft');
  await values.getByText(/^Ok/).waitFor();
  await page.keyboard.press('Escape');
  await becomes(() => values.innerText(), '');

  const tap = async (place: number) => {
    await runs.dispatchEvent('pointerdown', { pointerType: 'touch', ...at(place) });
    await runs.dispatchEvent('pointerleave', { pointerType: 'touch', ...at(place) });
    await runs.dispatchEvent('click', at(place));
  };
  await tap(30);
  await values.getByText(/^Ok/).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await tap(30);
  await page.getByRole('dialog').waitFor();
  isQuiet(visit);
});

test('ready lines have the address of the check, and what was chosen is remembered', async () => {
  await using visit = await dashboard.visitAs(demo.owner);
  const { page } = visit;
  await page.goto(details('wal-archive'));
  const url = `${SITE.pingEndpoint}${demo.checks.get('wal-archive')?.uuid}`;

  const lines = page.getByRole('region', { name: /^Ready lines for/ });
  await becomes(
    () => lines.innerText(),
    `*/15 * * * * /path/to/job.sh; curl -fsS -m 10 --retry 5 -o /dev/null ${url}/$?`,
  );
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    assert.ok((await lines.innerText()).includes(url), await tab.innerText());
  }
  await page.getByRole('tab', { name: 'Python' }).click();
  await page.getByLabel('With start').check();
  const python = page.getByRole('region', { name: 'Ready lines for Python' }).filter({ hasText: '/start' });
  await python.waitFor();
  await page.reload();

  await python.waitFor();
  isQuiet(visit);
});

lookTest('numbers that runs report stand over time below the runs, and follow new pings', async () => {
  const own = await givenOwn({ kind: 'simple', timeoutSeconds: 86_400, graceSeconds: 3_600 });
  const { app } = dashboard;
  const say = (body: string, path = '') => app.ping(`/${own.check.uuid}${path}`, { method: 'POST', body });
  const now = app.clock.now();
  for (let day = 40; day >= 0; day--) {
    app.clock.set(now - day * 86_400_000_000 - 600_000_000);
    await say('', '/start');
    app.clock.set(app.clock.now() + (300 + 5 * (day % 7)) * 1_000_000);
    const added = 900_000_000 + 40_000_000 * ((day * 7) % 11);
    const line = `files=${181_000 - 120 * day} bytes_added=${added} bytes_total=${900e9 - 1e9 * day} errors=${day === 12 ? 3 : 0}`;
    await (day === 20 ? say('repository is locked', '/1') : say(`${line}\nsnapshot 8c1f2a saved`));
  }
  app.clock.set(now);
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  const rows = page
    .getByRole('region', { name: /^Last \d+ runs/ })
    .getByRole('listitem')
    .filter({ has: page.getByRole('img') });
  await rows.first().waitFor();
  assert.deepEqual(
    (await rows.allInnerTexts()).map((text) => text.split(/\s*\n\s*/)),
    [
      ['files', '181,000', '176,200 to 181,000'],
      ['bytes_added', '858 MiB', '858 MiB to 1.2 GiB'],
      ['bytes_total', '838 GiB', '801 GiB to 838 GiB'],
      ['errors', '0', '0 to 3'],
    ],
  );
  await page.getByText('Show as table').click();
  await page.getByRole('columnheader', { name: 'bytes_added' }).waitFor();
  await page.getByRole('cell', { name: '838 GiB' }).first().waitFor();
  await isAccessible(visit);

  await isLive(visit);
  await say('files=5 errors=1\nsource is nearly empty');
  await appears(dashboard, own.project, rows.filter({ hasText: '5 to 181,000' }));
  await page.goto(`${own.page}#ping-83`);
  const sheet = page.getByRole('dialog');
  await sheet.getByText('Reported').waitFor();
  await becomes(async () => (await sheet.getByRole('listitem').allInnerTexts()).join(), 'files 5,errors 1');
  await isAccessible(visit);
  isQuiet(visit);
});

lookTest('what came late is shown as of when it happened, and says how much later it came', async () => {
  const own = await givenOwn({ kind: 'simple', timeoutSeconds: 3_600, graceSeconds: 600 });
  const { app } = dashboard;
  const ping = (path: string) => app.ping(`/${own.check.uuid}${path}`);
  const now = app.clock.now();
  app.clock.set(now - 5 * 3_600_000_000);
  await ping('');
  app.clock.set(now - 3_600_000_000);
  while (await flipOverdue({ ...app.deps, onPoison: () => undefined }));
  app.clock.set(now);
  const pings = [4, 3, 2, 0].flatMap((hours) => [
    `/start?age=${hours * 3_600 + 900}&rid=${RID}${hours}`,
    `${hours === 2 ? '/3' : ''}?age=${hours * 3_600 + 780}&rid=${RID}${hours}`,
  ]);
  for (const path of pings) {
    app.clock.advance({ seconds: 0.01 });
    await ping(path);
  }

  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);

  // It is up since the last one came, and its last ping is when that one happened.
  await page
    .getByText(/last ping \d+ min ago/)
    .first()
    .waitFor();
  await page
    .getByText(/Was down from/)
    .first()
    .waitFor();
  const row = page.getByRole('article').filter({ hasText: 'arrived 2 h 13 min later' });
  await row.getByText(/^Exit status 3$/).waitFor();
  await row.getByText('2 min', { exact: true }).waitFor();
  assert.equal(await row.getByText(/^happened .*\d\d:\d\d:\d\d$/).count(), 2);
  await page.getByText('Show as table').click();
  const results = page.getByRole('region', { name: 'Runs as a table' }).locator('td:nth-child(2)');
  await becomes(async () => (await results.allInnerTexts()).join(), 'Ok,Skipped,Failed,Ok,Ok,Ok');
  await isAccessible(visit);
  await row.getByRole('button', { name: 'Exit status 3. Open ping 7' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText(/^Happened .*, 2 min after its start.*It came 2 h 13 min later\.$/).waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

/** A check of a project of its own. */
async function givenOwn(overrides: Parameters<typeof dashboard.app.givenCheck>[1] = {}) {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'job', ...overrides });
  return { ...team, check, page: `${SITE.root}/checks/${check.uuid}/details/` };
}

test('a run has the same time everywhere on the page, and a time of another zone names it', async () => {
  const own = await givenOwn({
    ...{ kind: 'cron', schedule: '0 3 * * *', tz: 'Asia/Tokyo' },
    ...{ status: 'up', lastPingAt: dashboard.app.clock.now() },
  });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  await page
    .getByRole('region', { name: 'What happened and what comes next' })
    .getByText('18:00')
    .first()
    .waitFor();

  const next = page.locator('dd').filter({ hasText: '03:00, Tokyo' });
  await next.first().waitFor();
  for (const text of await next.allTextContents()) assert.match(text, /18:00/);
  isQuiet(visit);
});

test('the keys of a check are in the help, and one of them edits it', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'Backup' });
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.goto(`${SITE.root}/checks/${check.uuid}/details/`);
  await page.getByRole('heading', { level: 1, name: 'Backup' }).waitFor();

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  await help.getByText('Copy its ping address').waitFor();
  await help.getByText('Edit it').waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('e');

  await page.waitForURL(`${SITE.root}/checks/${check.uuid}/edit/`);
  isQuiet(visit);
});

lookTest('a check that was never pinged says so, and the ping by the button appears by itself', async () => {
  const own = await givenOwn();
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  await page.getByText('Waiting for the first ping').waitFor();
  await page.getByText('Nothing has happened yet.').waitFor();
  await page.getByText('Send /start and the chart begins.').waitFor();
  await page.getByText('Nothing is known before the first ping.').waitFor();
  await isAccessible(visit);

  await page.getByRole('button', { name: 'Ping now' }).click();

  await page.getByRole('button', { name: 'Pinged' }).waitFor();
  await page.getByRole('button', { name: 'OK. Open ping 1' }).waitFor();
  await page.getByText('Waiting for the first ping').waitFor({ state: 'hidden' });
  isQuiet(visit);
});

test('while a check is down, its description with the runbook stands above all cards', async () => {
  const own = await givenOwn({
    status: 'down',
    lastPingAt: dashboard.app.clock.now(),
    description: 'Runbook: https://example.org/run',
  });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  const runbook = await page.getByRole('link', { name: 'https://example.org/run' }).boundingBox();
  const told = await page.getByRole('region', { name: 'Who is told' }).boundingBox();
  const events = await page.getByRole('region', { name: 'Events' }).boundingBox();

  assert.ok(runbook !== null && told !== null && events !== null);
  assert.ok(runbook.y < Math.min(told.y, events.y));
  isQuiet(visit);
});

lookTest(
  'while a check is down, the output of its last run stands on top, and follows the pings that come',
  async () => {
    const own = await givenOwn({ status: 'up', lastPingAt: dashboard.app.clock.now() });
    const { app } = dashboard;
    const fail = (body: string) => app.ping(`/${own.check.uuid}/1`, { method: 'POST', body });
    await fail(Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join('\n'));
    await using visit = await dashboard.visitAs(own);
    const { page } = visit;
    await page.goto(own.page);

    const output = page.getByRole('region', { name: 'Last output' });
    await output.getByText('#1 · exit status 1').waitFor();
    const lines = output.getByRole('region', { name: 'Body' });
    await lines.getByText('line 40').waitFor();
    const isScrolled = () =>
      lines.evaluate((box) => box.scrollTop + box.clientHeight >= box.scrollHeight - 1);
    assert.equal(await isScrolled(), true, 'its end is in view');
    const events = await page.getByRole('region', { name: 'Events' }).boundingBox();
    assert.ok(((await output.boundingBox())?.y ?? Infinity) < (events?.y ?? 0));
    await isAccessible(visit);
    await output.getByRole('button', { name: 'Show all 40 lines' }).click();
    await lines.getByText('line 1', { exact: true }).click();

    await fail('no space left');
    await appears(dashboard, own.project, output.getByText('no space left'));
    await output.getByText('#2 · exit status 1').waitFor();

    await app.ping(`/${own.check.uuid}`);
    await appears(dashboard, own.project, page.getByText('Up').first());
    await output.waitFor({ state: 'detached' });
    isQuiet(visit);
  },
);

lookTest('addresses with slugs are a choice of the project, and changes say who made them', async () => {
  const own = await givenOwn({
    status: 'up',
    lastPingAt: dashboard.app.clock.now(),
    description: 'See\nhttps://example.org/run <script>x</script>',
  });
  await own.browser.post(`/checks/${own.check.uuid}/do/updateCheck`, { grace: 600 });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  await page.getByRole('link', { name: 'https://example.org/run' }).waitFor();
  await page.getByText('<script>x</script>').waitFor();
  await page.getByRole('button', { name: 'Slug', exact: true }).click();
  await page.getByText('The project has no ping key').waitFor();
  await own.browser.post(`${own.path}/do/replacePingKey`);
  await page.reload();
  await page.getByText('The check has no slug').waitFor();
  await page.getByRole('link', { name: 'Give it one' }).waitFor();
  await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Show' }).click();
  await page.getByRole('region', { name: 'Changes' }).getByText('changed the settings').waitFor();
  await page.getByText('1 h', { exact: true }).waitFor();
  await page.getByText('10 min', { exact: true }).waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('a run counts up against its usual time, is shown when it ends, and goes down when it does not', async () => {
  const { app } = dashboard;
  const own = await givenOwn({ status: 'up', lastPingAt: app.clock.now(), graceSeconds: 3_600 });
  await app.receive(own.check, 'start');
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  await appears(dashboard, own.project, page.getByText(/Running for/));

  await app.receive(own.check, 'success');
  await appears(dashboard, own.project, page.getByText(/last ping/));
  await app.receive(own.check, 'start');
  await appears(dashboard, own.project, page.getByText(/Running for/));
  app.clock.advance({ hours: 2 });
  while (await flipOverdue({ ...app.deps, onPoison: () => undefined }));

  await appears(dashboard, own.project, page.getByText('did not finish within 1 h'));
  await appears(dashboard, own.project, page.getByText('did not finish in time'));
  const picture = (file: string) =>
    page.locator(`link[rel="icon"][href$="${file}"]`).waitFor({ state: 'attached' });
  await picture('/down-1.svg');
  assert.match(await page.title(), /^Down – job/);
  app.clock.set(Date.now() * 1_000);
  await app.receive(own.check, 'success');
  await appears(dashboard, own.project, page.getByText('Up', { exact: true }).first());
  await picture('/bell.svg');
  assert.match(await page.title(), /^job/);
  isQuiet(visit);
});

test('a check is paused, resumed, and told to another integration, also of each success', async () => {
  const { app } = dashboard;
  const own = await givenOwn({ status: 'up', lastPingAt: app.clock.now() });
  const channel = await app.givenChannel(own.project, { name: 'Ops' });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);

  await page.getByRole('switch', { name: 'Tell Ops' }).click();
  await page.locator('[role=switch][aria-checked=true]').waitFor();
  const success = page.getByRole('checkbox', { name: 'Ops: also of each success' });
  const toldOfSuccess = async () => (await app.deps.store.checks.byId(own.check.id))?.doneChannels;
  await success.check();
  await becomes(toldOfSuccess, channel.uuid);
  await success.uncheck();
  await becomes(toldOfSuccess, '');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(`by ${own.account.email}`).first().waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('next by').first().waitFor();

  await becomes(() => app.deps.store.checks.channelsOf(own.check.id), [channel.uuid]);
  isQuiet(visit);
});

lookTest(
  'Why? says who was told and why others were not, and of a check that is up what would be',
  async () => {
    const { app } = dashboard;
    const own = await givenOwn({ status: 'up', lastPingAt: app.clock.now() });
    const ops = await app.givenChannel(own.project, { name: 'Ops' });
    await app.givenChannel(own.project, { name: 'Others' });
    await app.assign(own.check, ops);
    await using visit = await dashboard.visitAs(own);
    const { page } = visit;
    await page.goto(own.page);

    await page.getByRole('button', { name: 'Why? Who is told when' }).click();
    const sheet = page.getByRole('dialog', { name: 'Who is told of job' });
    await sheet.getByText('If its run does not come').waitFor();
    const line = (name: string) => sheet.getByRole('listitem').filter({ hasText: name });
    await line('Ops').getByText('that it is down').waitFor();
    await line('Others').getByText('not assigned to the check').waitFor();
    await isAccessible(visit);
    await sheet.getByRole('button', { name: 'It fails' }).click();
    await sheet.getByText('If it fails at').waitFor();
    await sheet.getByText('Told at all hours.').waitFor();
    const later = new Date(app.clock.now() / 1_000 + 2 * 86_400_000).toISOString().slice(0, 10);
    await sheet.getByLabel('At', { exact: true }).fill(`${later}T22:15`);
    const times = () => sheet.locator('time').evaluateAll((all) => all.map((one) => one.dateTime));
    await becomes(async () => (await times())[0]?.startsWith(`${later}T22:15`), true);
    await isAccessible(visit);
    await sheet.getByRole('button', { name: 'Close' }).click();

    await app.receive(own.check, 'fail');
    await page.goto(own.page);
    await page.getByRole('button', { name: 'Why? Who is told when' }).click();
    await sheet.getByRole('heading', { name: 'Told', exact: true }).waitFor();
    await line('Ops').getByText('not taken yet').waitFor();
    await sheet.getByRole('button', { name: 'It is up' }).click();
    await line('Ops').getByText('that it is up again').waitFor();
    isQuiet(visit);
  },
);

lookTest(
  'a ping by hand asks before it gives the all-clear for a check that is down, and names its sender',
  async () => {
    const { app } = dashboard;
    const own = await givenOwn({ status: 'up', lastPingAt: app.clock.now() });
    await app.receive(own.check, 'fail');
    await using visit = await dashboard.visitAs(own);
    const { page } = visit;
    await page.goto(own.page);
    const stored = async () => (await app.deps.store.checks.byId(own.check.id))?.status;

    const buttons = page.getByRole('main').getByRole('button');
    await page.getByRole('button', { name: 'Ping now' }).waitFor();
    assert.notEqual(await buttons.first().textContent(), 'Ping now');
    await page.getByRole('button', { name: 'Ping now' }).click();
    const question = page.getByRole('dialog', { name: 'Send an all-clear for job?' });
    await question.getByText('name you as the sender').waitFor();
    await isAccessible(visit);
    assert.equal(await stored(), 'down');
    await question.getByRole('button', { name: 'Send the all-clear' }).click();

    await becomes(stored, 'up');
    await page.getByText(`Dashboard, by ${own.account.email}`).first().waitFor();
    isQuiet(visit);
  },
);

test('an act without network says so at once, and is not done later', async () => {
  const own = await givenOwn();
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  await page.getByRole('button', { name: 'Ping now' }).waitFor();

  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Ping now' }).click();
  await page.getByText('The server cannot be reached.').first().waitFor();
  await page.context().setOffline(false);

  assert.equal((await dashboard.app.deps.store.checks.byId(own.check.id))?.pingCount, 0);
});

test('whoever acts gets what the page shows with the answer, and reads nothing again, also when the change is told', async () => {
  const { app } = dashboard;
  const own = await givenOwn({ status: 'up', lastPingAt: app.clock.now() });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);
  await isLive(visit);
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await isIdle(visit);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/dashboard/api/')) asked.push(pathname.split('/').slice(-2).join('/'));
  });

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(`by ${own.account.email}`).first().waitFor();
  const tell = async () => {
    const checkIds = [own.check.id];
    const { parts, http } = app.node;
    parts.changes.announce([{ projectId: own.project.id, checkIds, channelIds: [], touchesStatus: true }]);
    app.clock.advance({ seconds: 1 });
    parts.changes.tick();
    await http.live.tick();
  };
  await tell();
  assert.deepEqual(asked, ['do/pauseCheck']);

  await app.receive(own.check, 'success');
  await until('another change after it is read', async () => {
    await tell();
    return asked.includes('read/checkPage');
  });
  isQuiet(visit);
});

test('a check is deleted on its page, and nothing that is gone is read again', async () => {
  const own = await givenOwn({});
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.page);

  await page.getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Deleted ').waitFor();
  await page.waitForURL('**/checks/');
  await isIdle(visit);

  assert.deepEqual(visit.refusals, []);
  isQuiet(visit);
});

lookTest(
  'who is told says by which rule, what comes and what it waits for, in the list and on the page',
  async () => {
    const { app } = dashboard;
    const team = await givenTeam(app);
    const actor = systemActor(team.project.id);
    const [chat, boss] = [
      await app.givenChannel(team.project, { name: 'Chat' }),
      await app.givenChannel(team.project, { name: 'Boss' }),
    ];
    const stepTo = (uuid: string) => [{ after: 2700, tell: [uuid] }];
    // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
    await createPolicy(app.deps, actor, 'night', { again: 1800, then: stepTo(boss.uuid) });
    await setAlerting(app.deps, actor, { policy: 'night', tags: [{ tag: 'calm', policy: 'twice' }] });
    const given = async (name: string, tags = '') => {
      const lastPingAt = app.clock.now();
      const check = await app.givenCheck(team.project, { name, tags, status: 'up', lastPingAt });
      await app.assign(check, chat);
      return check;
    };
    const [router, shop, report] = [
      await given('router'),
      await given('shop'),
      await given('report', 'calm'),
    ];
    await updateCheck(app.deps, actor, shop.id, { edit: { parents: router.uuid } });
    for (const check of [router, shop, report]) await app.receive(check, 'fail');
    await drain({ app, notifier: newNotifier(app, new FakeSender()) });
    await using visit = await dashboard.visitAs(team);
    const { page } = visit;
    await page.goto(`${SITE.root}/projects/${team.project.uuid}/checks/`);

    await page
      .getByRole('heading', { name: '2 down, 1 of them not told yet, and 1 that depends on them.' })
      .waitFor();
    await page.getByText('report: first of 2 bad runs. Told').first().waitFor();
    const row = (name: string) => page.getByRole('row').filter({ hasText: name }).first();
    await row('router').getByText('tells Chat again').first().waitFor();
    await row('router').getByText('then tells Boss').first().waitFor();
    await row('shop').getByText('Waits for router, down since').first().waitFor();
    assert.equal(await row('shop').locator('.trace').count(), 1, 'no room is kept for those who were told');
    await row('report').getByText('Nobody told yet: first of 2 bad runs').first().waitFor();
    await row('report').getByText('tells Chat if the next run is missed, too').first().waitFor();
    const names = await page.locator('.check-row .row-link').allTextContents();
    assert.equal(names.indexOf('shop'), names.indexOf('router') + 1, 'it stands below the one it waits for');
    await isAccessible(visit);

    await page.goto(`${SITE.root}/checks/${router.uuid}/details/`);
    const told = page.getByRole('region', { name: 'Who is told' });
    await told.getByText('Own: night').first().waitFor();
    await told.getByText('from the project').first().waitFor();
    await told
      .getByText(/^Told .* · next /)
      .first()
      .waitFor();
    await told.getByText('Then, at').first().waitFor();
    const way = page.getByRole('region', { name: 'What happened and what comes next' });
    for (const words of ['Tells Chat again', 'Then Boss']) await way.getByText(words).first().waitFor();
    await isAccessible(visit);
    await told.getByRole('link', { name: 'Change when to tell' }).click();
    await page.waitForURL('**/edit/');

    await page.goto(`${SITE.root}/checks/${report.uuid}/details/`);
    await page.getByText('nobody told yet: first of 2 bad runs').first().waitFor();
    await way.getByText('Tells Chat if the next run is missed, too').first().waitFor();
    isQuiet(visit);
  },
);

test('somebody who may only read finds the check by its unique key, and nothing that writes', async () => {
  const own = await givenOwn({
    status: 'up',
    lastPingAt: dashboard.app.clock.now(),
    description: '**Call** [us](https://example.org/)',
  });
  await dashboard.app.receive(own.check, 'fail');
  const reader = await givenMember(dashboard.app, own.project, 'read_only');
  await using visit = await dashboard.visitAs(reader);
  const { page } = visit;
  await page.goto(`${SITE.root}/cloaked/${own.check.uniqueKey}/`);

  await page.getByRole('heading', { name: 'job', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'us', exact: true }).waitFor();
  await page
    .getByText(/^Down since/)
    .first()
    .waitFor();
  for (const name of ['Ping now', 'Pause', 'Acknowledge', 'Snooze'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  assert.equal(await page.getByText('Ping it').count(), 0);
  assert.ok(!(await page.content()).includes(own.check.uuid));
  isQuiet(visit);
});

test('a check of others is not found', async () => {
  const own = await givenOwn();
  const stranger: Person = await givenPerson(dashboard.app);
  await using visit = await dashboard.visitAs(stranger);
  await visit.page.goto(`${SITE.root}/cloaked/${own.check.uniqueKey}/`);

  await visit.page.getByText('Not found').first().waitFor();
  isQuiet(visit);
});
