import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { FIRST_CHECK } from '../../src/domain/check/first-check.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import type {
  BoardHeadJson,
  CheckDetailsJson,
  CheckHeadJson,
  CheckRowJson,
} from '../../src/views/board-json.ts';
import { MAX_ASKED_ROWS, MAX_DETAILED } from '../../src/wire/dashboard/limits.ts';
import { FakeSender, failure, newNotifier, OK } from '../alerts.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import type { Browser } from './browser.ts';
import { givenMember, givenPerson, givenTeam, join } from './team.ts';

const iso = (micros: number) => new Date(micros / 1000).toISOString().replace('.000Z', '+00:00');
const NO_KEY = 'f'.repeat(40);

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  const rowsOf = async (browser: Browser, path: string, ...checks: Check[]): Promise<CheckRowJson[]> => {
    const keys = checks.map(({ uniqueKey }) => uniqueKey);
    const { status, json } = await browser.post(`${path}/read/checkRows`, {
      ...(keys.length > 0 && { keys }),
    });
    assert.equal(status, 200);
    return json;
  };
  const detailsOf = async (browser: Browser, path: string, check: Check) => {
    const { json } = await browser.post(`${path}/read/checkDetails`, { keys: [check.uniqueKey] });
    const [details] = json as CheckDetailsJson[];
    assert.ok(details);
    return details;
  };
  const headOf = async (browser: Browser, path: string): Promise<CheckHeadJson> =>
    (await browser.get(`${path}/read/checkHead`)).json;

  test('the list says of each check what filters, groups and orders it', async () => {
    const { project, browser, path } = await givenTeam(app());
    const now = app().clock.now();
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project, {
      name: 'Backup',
      slug: 'backup',
      tags: 'prod  db',
      kind: 'cron',
      schedule: '0 3 * * *',
      tz: 'Europe/Berlin',
      status: 'up',
      lastPingAt: now,
      lastDuration: 401_000_000,
      lastFlipAt: now - 86_400_000_000,
    });
    await app().deps.store.transaction((tx) => tx.checks.setChannels(check, [channel.id]));

    const [row, ...others] = await rowsOf(browser, path);

    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...row, revision: 0 },
      {
        key: check.uniqueKey,
        uuid: check.uuid,
        name: 'Backup',
        slug: 'backup',
        tags: ['prod', 'db'],
        status: 'up',
        running: false,
        slow: false,
        neverCame: false,
        since: iso(now - 86_400_000_000),
        lastPing: iso(now),
        ready: false,
        answer: null,
        standing: 'fine',
        lastDuration: 401,
        started: null,
        next: { kind: 'due', at: '2024-03-02T02:00:00+00:00' },
        until: '2024-03-02T02:00:00+00:00',
        schedule: 'Every day at 03:00',
        tz: 'Europe/Berlin',
        grace: 3600,
        channels: [channel.uuid],
        revision: 0,
      },
    );
  });

  test('a read-only member sees neither UUIDs nor ping addresses', async () => {
    const { project, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const { browser } = await givenMember(app(), project, 'read_only');

    const [row] = await rowsOf(browser, path);
    const details = await detailsOf(browser, path, check);

    assert.deepEqual([row?.key, row?.uuid], [check.uniqueKey, null]);
    assert.equal(details.pingUrl, null);
    assert.ok(!JSON.stringify([row, details]).includes(check.uuid));
  });

  test('rows are asked for by their keys, and those of others are not found', async () => {
    const { project, browser, path } = await givenTeam(app());
    const [one, two] = [await app().givenCheck(project), await app().givenCheck(project)];
    await app().givenCheck(project);
    const other = await app().givenCheck((await givenTeam(app())).project);

    const rows = await rowsOf(browser, path, two, other, one);

    assert.deepEqual(
      rows.map(({ key }) => key),
      [two.uniqueKey, one.uniqueKey],
    );
  });

  test('keys that are none, or too many, are refused with their field', async () => {
    const { browser, path } = await givenTeam(app());
    const many = (count: number) => Array(count).fill(NO_KEY);
    for (const [view, keys, status] of [
      ['checkRows', ['x'], 400],
      ['checkRows', 'x', 400],
      ['checkRows', many(MAX_ASKED_ROWS), 200],
      ['checkRows', many(MAX_ASKED_ROWS + 1), 400],
      ['checkDetails', many(MAX_DETAILED), 200],
      ['checkDetails', many(MAX_DETAILED + 1), 400],
      ['checkDetails', undefined, 400],
    ] as const) {
      const reply = await browser.post(`${path}/read/${view}`, { keys });
      assert.equal(reply.status, status, `${view} ${keys?.length}`);
      if (status === 400) assert.equal(reply.json.field, 'keys');
    }
  });

  test('whoever has no role in the project is told that it does not exist', async () => {
    const { path } = await givenTeam(app());
    const { browser } = await givenPerson(app());
    for (const view of ['checkRows', 'checkHead'])
      assert.equal((await browser.get(`${path}/read/${view}`)).status, 404);
    assert.equal((await browser.post(`${path}/read/checkDetails`, { keys: [NO_KEY] })).status, 404);
  });

  test('only checks that have changed are read again', async (t) => {
    const { project, browser, path } = await givenTeam(app());
    const [one, two] = [await app().givenCheck(project), await app().givenCheck(project)];
    await rowsOf(browser, path);
    const { mock } = t.mock.method(app().deps.store.checks, 'revisedByIds');

    await rowsOf(browser, path);
    assert.equal(mock.callCount(), 0);
    await app().receive(one, 'success');
    const rows = await rowsOf(browser, path, one, two);

    assert.deepEqual(
      mock.calls.map(({ arguments: [ids] }) => ids),
      [[one.id]],
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['up', 'new'],
    );
  });

  test('rows change with time alone, and a deleted check is gone', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await app().receive(check, 'success');
    const status = async () => (await rowsOf(browser, path))[0]?.status;

    assert.equal(await status(), 'up');
    app().clock.advance({ days: 1 });
    assert.equal(await status(), 'late');
    app().clock.advance({ hours: 1 });
    assert.equal(await status(), 'down');
    await app().deps.store.transaction((tx) => tx.checks.delete(check));
    app().clock.advance({ seconds: 1 });
    assert.equal(await status(), undefined);
  });

  test('a run is slow after twice the usual duration', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    for (const minutes of [10, 12, 14]) {
      await app().receive(check, 'start');
      app().clock.advance({ minutes });
      await app().receive(check, 'success');
    }
    await app().receive(check, 'start');

    app().clock.advance({ minutes: 24 });
    const [usual] = await rowsOf(browser, path);
    app().clock.advance({ seconds: 1 });
    const [slow] = await rowsOf(browser, path);
    const details = await detailsOf(browser, path, check);

    assert.deepEqual([usual?.running, usual?.slow, slow?.slow], [true, false, true]);
    assert.equal(details.usual, 720);
    assert.equal(details.runs.results, 'ooor');
    assert.deepEqual(details.runs.durations, [600, 720, 840, null]);
    assert.equal(details.cause?.kind, 'slow');
    assert.deepEqual(details.durations, { median: 720, p95: 840 });
    assert.deepEqual(details.ahead, [{ kind: 'goes_down', at: slow?.next?.at }]);
    assert.equal((await headOf(browser, path)).counts.slow, 1);
  });

  test('a check that failed says why, to whom that was told, and what comes', async () => {
    const { project, browser, path } = await givenTeam(app());
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project);
    await app().deps.store.transaction((tx) => tx.checks.setChannels(check, [channel.id]));
    await app().ping(`/${check.uuid}`);
    await app().ping(`/${check.uuid}/2`, {
      method: 'POST',
      body: 'line\n\u001b[31mno space left\u001b[0m\n\n',
    });

    const details = await detailsOf(browser, path, check);

    assert.equal(details.pingUrl, SITE.pingEndpoint + check.uuid);
    assert.equal(details.runs.results, 'of');
    assert.deepEqual(details.runs.n, [1, 2]);
    assert.deepEqual(details.cause, {
      kind: 'failed',
      head: ['Exit status 2.'],
      rest: [],
      exitStatus: 2,
      line: 'no space left',
    });
    assert.deepEqual(details.sentence.slice(2), [' · ', 'exit status 2']);
    assert.deepEqual(
      details.told.map(({ channel: uuid, state, tries }) => ({ uuid, state, tries })),
      [{ uuid: channel.uuid, state: 'waiting', tries: 0 }],
    );
    assert.deepEqual(details.ahead, [{ kind: 'stays_down', until: 'success', toldAgain: null }]);
  });

  test('a check that is silent says what ends that, and when the person is reminded', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await app().assign(check, await app().givenChannel(project));
    await app().receive(check, 'success');
    const reminder = async () => (await browser.get(`${path}/read/checkHead`)).json.reminder;
    await browser.post('/do/editAccount', { reminders: 'daily' });
    assert.equal(await reminder(), null);
    app().clock.advance({ hours: 26 });
    while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));
    const sender = new FakeSender();
    sender.answer = () => failure('Received status code 503');
    const notifier = newNotifier(app(), sender);
    const send = async () => {
      while ((await notifier.tick()) === true) await notifier.settled();
    };
    await send();

    const failing = await detailsOf(browser, path, check);
    const notReached = (await headOf(browser, path)).told;
    const triedAt = app().clock.now();
    sender.answer = () => OK;
    app().clock.advance({ minutes: 1 });
    await send();
    const told = await detailsOf(browser, path, check);
    const reached = (await headOf(browser, path)).told;

    assert.deepEqual(
      failing.told.map(({ state, tries, tried, error }) => [state, tries, tried, error]),
      [['retrying', 1, iso(triedAt), 'Received status code 503']],
    );
    assert.deepEqual(failing.ahead, [
      { kind: 'retry', at: failing.told[0]?.next, channel: failing.told[0]?.channel },
      { kind: 'stays_down', until: 'ping', toldAgain: null },
    ]);
    assert.deepEqual(told.ahead, [{ kind: 'stays_down', until: 'ping', toldAgain: 'nobody' }]);
    const checks = { count: 1, some: [{ key: check.uniqueKey, name: check.name }] };
    const channel = told.told[0]?.channel;
    assert.deepEqual(
      [notReached?.reached, notReached?.missing.map((one) => [one.channel, one.state, one.checks])],
      [[], [[channel, 'retrying', checks]]],
    );
    assert.deepEqual([reached?.reached, reached?.missing], [[{ channels: [channel], checks }], []]);
    assert.ok(Date.parse(await reminder()) > triedAt / 1_000);

    const backAt = app().clock.now();
    await app().receive(check, 'success');
    const { recovery, told: toldNow } = await detailsOf(browser, path, check);
    assert.deepEqual(toldNow, []);
    assert.deepEqual(recovery?.told, [{ channel, of: 'fall' }]);
    assert.deepEqual(recovery?.sentence[3], { at: iso(backAt), as: 'clock' });
    const page = (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    assert.deepEqual(page.recovery, recovery);
    await send();
    assert.deepEqual((await detailsOf(browser, path, check)).recovery?.told, [{ channel, of: 'both' }]);
    app().clock.advance({ hours: 7 });
    await app().receive(check, 'success');
    assert.equal((await detailsOf(browser, path, check)).recovery, null);
  });

  test('a check that is paused says what ends that', async () => {
    const { project, browser, path } = await givenTeam(app());
    const given = (values: Partial<Check>) => app().givenCheck(project, values);

    const byPing = await given({ status: 'paused' });
    const byHand = await given({ status: 'paused', manualResume: true });
    const up = await given({ status: 'up', manualResume: true });

    assert.equal((await detailsOf(browser, path, byPing)).pausedUntil, 'ping');
    assert.equal((await detailsOf(browser, path, byHand)).pausedUntil, 'resumed');
    assert.equal((await detailsOf(browser, path, up)).pausedUntil, null);
  });

  test('a check that was never pinged is expected, and is trouble when its first run never came', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { name: 'New' });
    const first = iso(app().clock.now() + 86_400_000_000);
    const shown = async () => {
      const [row] = await rowsOf(browser, path);
      const { counts, lanes } = await headOf(browser, path);
      return [row?.status, row?.neverCame, row?.next, counts.never_came, lanes.map(({ status }) => status)];
    };

    assert.deepEqual(await shown(), ['new', false, { kind: 'due', at: first }, 0, []]);
    app().clock.advance({ hours: 25 });
    assert.deepEqual(await shown(), ['new', true, { kind: 'overdue', at: first }, 1, ['never_came']]);
    const { cause, ahead } = await detailsOf(browser, path, check);
    assert.deepEqual([cause?.kind, ahead], ['never_came', [{ kind: 'first_ping' }]]);
    await app().receive(check, 'success');
    assert.deepEqual((await shown()).slice(0, 2), ['up', false]);
  });

  test('silence is a missed run, and a run that comes is in the strip at once', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await app().receive(check, 'success');
    app().clock.advance({ hours: 26 });

    assert.equal((await detailsOf(browser, path, check)).runs.results, 'om');
    await app().receive(check, 'success');
    assert.equal((await detailsOf(browser, path, check)).runs.results, 'ol');
  });

  test('runs that are missed one after the other are counted, also while the check stays down', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { kind: 'cron', schedule: '0 * * * *' });
    await app().receive(check, 'success');
    app().clock.advance({ hours: 3 });
    await app().receive(check, 'start');
    const missed = async () => (await detailsOf(browser, path, check)).runs.counts;

    assert.deepEqual(await missed(), [2]);
    app().clock.advance({ hours: 3 });
    assert.deepEqual(await missed(), [2, 2]);
    app().clock.advance({ hours: 1 });
    assert.deepEqual(await missed(), [2, 3]);
    await app().receive(check, 'success');
    const { results, counts } = (await detailsOf(browser, path, check)).runs;
    assert.deepEqual([results, counts], ['ommo', [2, 4]]);
  });

  test('the head shows when checks were down that are up again, and no outage that goes on', async () => {
    const { project, browser, path } = await givenTeam(app());
    const [one, two] = [await app().givenCheck(project, { name: 'one' }), await app().givenCheck(project)];
    await app().receive(one, 'fail');
    const from = iso(app().clock.now());
    app().clock.advance({ minutes: 5 });
    await app().receive(two, 'fail');
    assert.deepEqual((await headOf(browser, path)).outages, []);
    app().clock.advance({ minutes: 5 });
    await app().receive(one, 'success');
    const until = iso(app().clock.now());

    const { outages, recovered } = await headOf(browser, path);
    assert.deepEqual(outages, [{ from, until }]);
    assert.deepEqual(recovered, { count: 1, some: [{ name: 'one', from, until }] });
    app().clock.advance({ hours: 13 });
    await app().receive(one, 'success');
    assert.deepEqual((await headOf(browser, path)).outages, []);
  });

  test('the head counts statuses, and shows trouble with what comes next', async () => {
    const { project, browser, path, account } = await givenTeam(app());
    const channel = await app().givenChannel(project, { name: 'Ops' });
    const now = app().clock.now();
    const day = 86_400_000_000;
    await app().givenCheck(project, { status: 'up', lastPingAt: now });
    await app().givenCheck(project, { status: 'paused' });
    await app().givenCheck(project);
    const late = await app().givenCheck(project, { name: 'Late', status: 'up', lastPingAt: now - day - 1 });
    const down = await app().givenCheck(project, { name: 'Down' });
    await app().deps.store.transaction((tx) => tx.checks.setChannels(down, [channel.id]));
    await app().ping(`/${down.uuid}/fail`);

    const head = await headOf(browser, path);

    assert.deepEqual(head.counts, {
      ...{ down: 1, held: 0, acknowledged: 0, late: 1, never_came: 0, slow: 0 },
      ...{ fine: 1, silent: 1, new: 1, ready: 0 },
      ...{ total: 5, running: 0, untold: 0 },
    });
    assert.deepEqual(
      head.lanes.map(({ key, name, status, count }) => ({ key, name, status, count })),
      [
        { key: down.uniqueKey, name: 'Down', status: 'down', count: 1 },
        { key: late.uniqueKey, name: 'Late', status: 'late', count: 1 },
      ],
    );
    assert.deepEqual(head.lanes[1]?.next, {
      kind: 'goes_down',
      at: `${iso(now - 1 + 3_600_000_000).slice(0, 19)}+00:00`,
    });
    assert.equal(head.more, 0);
    assert.deepEqual(head.since, [
      {
        ...{ trouble: 'down', count: 1, first: iso(now), last: iso(now) },
        some: [{ name: 'Down', since: iso(now), by: null }],
      },
      {
        ...{ trouble: 'late', count: 1, first: iso(now - 1_000_000), last: iso(now - 1_000_000) },
        some: [{ name: 'Late', since: iso(now - 1_000_000), by: null }],
      },
    ]);
    assert.equal(head.isFirstRun, false);
    assert.deepEqual(head.told, {
      reached: [],
      missing: [
        {
          ...{ channel: channel.uuid, state: 'waiting', next: iso(now) },
          checks: { count: 1, some: [{ key: down.uniqueKey, name: 'Down' }] },
        },
      ],
      looked: 1,
      unassigned: { count: 0, some: [] },
      unsent: { count: 0, some: [] },
    });
    assert.deepEqual(head.limit, { used: 5, max: account.limits.checks });
    assert.deepEqual(head.channels, [
      { uuid: channel.uuid, kind: channel.kind, label: 'Email', name: 'Ops', isOff: false },
    ]);
  });

  test('the head tells together what broke together, and does not hide what is late the longest', async () => {
    const { project, browser, path } = await givenTeam(app());
    const now = app().clock.now();
    const [minute, day] = [60_000_000, 86_400_000_000];
    for (const [n, hours] of [3, 5].entries())
      await app().givenCheck(project, {
        name: `down ${n}`,
        status: 'down',
        lastFlipAt: now - hours * 60 * minute,
      });
    for (const tags of ['web prod', 'prod', 'prod db'])
      await app().givenCheck(project, { tags, status: 'down', lastFlipAt: now - 2 * minute });
    for (const minutes of [10, 40])
      await app().givenCheck(project, {
        name: `late ${minutes}`,
        status: 'up',
        lastPingAt: now - day - minutes * minute,
      });

    const { lanes, more } = await headOf(browser, path);

    assert.deepEqual(
      lanes.map(({ name, tag, count }) => [name, tag, count]),
      [
        ['down 1', null, 1],
        ['down 0', null, 1],
        ['', 'prod', 3],
        ['late 40', null, 1],
      ],
    );
    assert.equal(more, 1);
  });

  test('the head names checks of which nobody is or was told', async () => {
    const { project, browser, path } = await givenTeam(app());
    const on = await app().givenChannel(project);
    const off = await app().givenChannel(project, { isOff: true });
    const fails = async (name: string, ...channels: (typeof on)[]) => {
      const check = await app().givenCheck(project, { name });
      await app().assign(check, ...channels);
      await app().receive(check, 'fail');
      return check;
    };
    await fails('told', on);
    const alone = await fails('alone');
    const muted = await fails('muted', off);
    const later = await fails('later');
    await app().assign(later, on);
    const fine = await app().givenCheck(project, {
      name: 'fine',
      status: 'up',
      lastPingAt: app().clock.now(),
    });
    await app().givenCheck(project, { status: 'paused' });
    const some = (...checks: Check[]) => ({
      count: checks.length,
      some: checks.map(({ uniqueKey: key, name }) => ({ key, name })),
    });

    const { told, untold } = await headOf(browser, path);

    assert.deepEqual(told?.unassigned, some(alone, muted));
    assert.deepEqual(told?.unsent, some(later));
    assert.deepEqual(untold, some(alone, muted, fine));
  });

  test('the head says whether somebody begins here', async () => {
    const { project, browser, path } = await givenTeam(app());
    assert.equal((await headOf(browser, path)).isFirstRun, true);
    const first = await app().givenCheck(project, FIRST_CHECK);
    assert.equal((await headOf(browser, path)).isFirstRun, true);
    await app().receive(first, 'success');
    assert.equal((await headOf(browser, path)).isFirstRun, false);
  });

  test('the list over all projects has their rows, details and trouble, and nothing of others', async () => {
    const team = await givenTeam(app());
    const other = await givenTeam(app());
    await join(app(), other.project, team.account, 'read_only');
    const [own, foreign] = [
      await app().givenCheck(team.project, { name: 'own' }),
      await app().givenCheck(other.project, { name: 'foreign' }),
    ];
    const hidden = await app().givenCheck((await givenTeam(app())).project);
    await app().receive(own, 'success');
    await app().receive(foreign, 'fail');
    const keys = [own, foreign, hidden].map(({ uniqueKey }) => uniqueKey);

    const all = (await team.browser.get('/read/allCheckRows')).json;
    assert.deepEqual(
      all.map(({ name, uuid, project, status }: Record<string, unknown>) => ({
        name,
        uuid,
        project,
        status,
      })),
      [
        { name: 'own', uuid: own.uuid, project: team.project.uuid, status: 'up' },
        { name: 'foreign', uuid: null, project: other.project.uuid, status: 'down' },
      ],
    );
    const some = await team.browser.post('/read/allCheckRows', { keys: keys.slice(1) });
    assert.deepEqual(some.json, [all[1]]);
    const details = (await team.browser.post('/read/allCheckDetails', { keys })).json as CheckDetailsJson[];
    assert.deepEqual(
      details.map(({ key, runs, pingUrl }) => [key, runs.results, pingUrl === null]),
      [
        [own.uniqueKey, 'o', false],
        [foreign.uniqueKey, 'f', true],
      ],
    );
    const head = (await team.browser.get('/read/allCheckHead')).json as BoardHeadJson;
    assert.deepEqual([head.counts.total, head.counts.fine, head.counts.down], [2, 1, 1]);
    assert.deepEqual(
      head.lanes.map(({ name }) => name),
      ['foreign'],
    );
    assert.deepEqual([head.pulse.ran.at(-1), head.pulse.failed.at(-1)], [2, 1]);
    assert.equal((await team.browser.post('/read/allCheckDetails', { keys: ['x'] })).status, 400);
  });

  test('the pulse counts checks that ran, failed and missed, and those that are expected', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { timeoutSeconds: 3600, graceSeconds: 60 });
    const failing = await app().givenCheck(project);
    app().clock.advance({ seconds: 61 });
    await app().ping(`/${check.uuid}`);
    app().clock.advance({ seconds: 61 });
    await app().ping(`/${check.uuid}`);
    await app().ping(`/${failing.uuid}/fail`);

    const { pulse } = await headOf(browser, path);

    assert.deepEqual([pulse.ran.length, pulse.expected.length, pulse.step], [72, 24, 600]);
    assert.deepEqual([pulse.ran[71], pulse.failed[71]], [2, 1]);
    assert.deepEqual(
      pulse.expected.flatMap((count, index) => (count > 0 ? [index] : [])),
      [6, 12, 18],
    );
    app().clock.advance({ hours: 2 });
    await app().receive(failing, 'success');
    await app().receive(check, 'success');
    const { pulse: later } = await headOf(browser, path);
    assert.deepEqual([later.ran[71], later.ran[59], later.failed[59]], [2, 2, 1]);
    assert.deepEqual(
      later.missed.flatMap((count, index) => (count > 0 ? [[index, count]] : [])),
      [[65, 1]],
    );
  });

  test('pings are counted once, however often somebody looks', async (t) => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await app().ping(`/${check.uuid}`);
    await headOf(browser, path);
    const { mock } = t.mock.method(app().deps.store.pings, 'activity');

    await headOf(browser, path);
    assert.equal(mock.callCount(), 0);
    await app().ping(`/${check.uuid}`);
    const { pulse } = await headOf(browser, path);

    assert.deepEqual(mock.calls[0]?.arguments.slice(0, 3), [[check.id], mock.calls[0]?.arguments[1], 1]);
    assert.equal(pulse.ran[71], 1);
  });
});
