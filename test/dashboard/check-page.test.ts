import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { Fields } from '../../src/lib/fields.ts';
import { fromTemporal } from '../../src/lib/instant.ts';
import type { checkPage } from '../../src/views/check-page.ts';
import type { JsonText, View } from '../../src/views/view.ts';
import { FakeSender, newNotifier } from '../alerts.ts';
import { SITE, START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { deliveryRecord, flipRecord } from '../records.ts';
import type { Browser } from './browser.ts';
import { givenMember, givenPerson, givenTeam } from './team.ts';

type Shown = typeof checkPage extends View<'check', Fields, JsonText<infer Answer>> ? Answer : never;

const MINUTE = 60_000_000;
const at = (text: string) => fromTemporal(Temporal.Instant.from(text));

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenWatched(overrides: Partial<Check> = {}) {
    const team = await givenTeam(app());
    const check = await app().givenCheck(team.project, {
      ...{
        name: 'db-backup',
        tags: 'prod db',
        description: '*nightly*',
        createdAt: START - 86_400 * 1_000_000 * 90,
      },
      ...overrides,
    });
    return { ...team, check, path: `/checks/${check.uuid}` };
  }

  async function read(browser: Browser, path: string) {
    const reply = await browser.get(`${path}/read/checkPage`);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  }

  test('the page tells that a newer version has written rules which this one does not know', async () => {
    const known = await givenWatched({ runRules: '{"end_within":7200}' });
    const unknown = await givenWatched({ runRules: '{"end_within":7200,"not_known_yet":1}' });

    assert.equal((await read(known.browser, known.path)).schedule.hasUnknownRules, false);
    assert.equal((await read(unknown.browser, unknown.path)).schedule.hasUnknownRules, true);
  });

  test('a check that came from another server shows its last ping, and no more of its past than is known', async () => {
    const cameAt = START - 60 * MINUTE;
    const lastPingAt = START - 120 * MINUTE;
    const came = { createdAt: cameAt, lastFlipAt: cameAt, lastPingAt, lastReceivedAt: lastPingAt };
    const up = await givenWatched({ ...came, status: 'up' });
    const down = await givenWatched({ ...came, status: 'down' });

    const [upPage, downPage] = [await read(up.browser, up.path), await read(down.browser, down.path)];

    assert.deepEqual(
      [upPage.status, upPage.pings, upPage.runs, upPage.fuse.map(({ kind }: Shown['fuse'][number]) => kind)],
      ['up', 0, [], ['last_ping', 'due', 'goes_down']],
    );
    assert.equal(
      downPage.sentence[0] + downPage.sentence[2],
      'Down since before  · it was down when it came here from another server',
    );
    assert.deepEqual(
      [
        downPage.status,
        downPage.pings,
        downPage.runs,
        downPage.fuse.map(({ kind }: Shown['fuse'][number]) => kind),
      ],
      ['down', 0, [], ['last_ping', 'down']],
    );
    assert.deepEqual(
      downPage.months.map(({ down }: Shown['months'][number]) => down && [down.count, down.seconds]),
      [[1, 3_600], null, null],
    );
  });

  test('a check that was never pinged says so, and how to ping it', async () => {
    const { browser, check, project, path } = await givenWatched({ timeoutSeconds: 900, createdAt: START });

    const page = await read(browser, path);

    assert.deepEqual([page.status, page.sentence[0]], ['new', 'New · waiting for its first ping, expected ']);
    assert.deepEqual([page.fuse, page.runs, page.cause, page.months], [[], [], null, []]);
    assert.equal(page.pingUrl, `${SITE.pingEndpoint}${check.uuid}`);
    assert.deepEqual(page.project, { id: project.uuid, name: project.name });
    assert.deepEqual(page.may, { edit: true, ping: true, retry: true, answer: true });
    assert.deepEqual(
      [page.tags, page.description],
      [
        ['prod', 'db'],
        [{ kind: 'paragraph', children: [{ kind: 'em', children: [{ kind: 'text', text: 'nightly' }] }] }],
      ],
    );
    assert.deepEqual(
      { ...page.schedule },
      {
        kind: 'simple',
        words: 'Every 15 minutes',
        expression: null,
        tz: null,
        grace: 3600,
        hasUnknownRules: false,
        due: [],
        crontab: '*/15 * * * *',
      },
    );
  });

  test('while a check is down, the page names the ping whose output is shown', async () => {
    const { browser, check, path } = await givenWatched({ status: 'up', lastPingAt: START });
    const send = (rest: string, body: string) =>
      app().ping(`/${check.uuid}${rest}`, { method: 'POST', body });
    const output = async () => (await read(browser, path)).output;

    await send('', 'all is well');
    assert.equal(await output(), null, 'it is up');
    await send('/1', 'no space left');
    await send('/log', 'still at it');
    assert.equal(await output(), 2, 'the ping that failed, not the last one');
    await send('/1', '');
    assert.equal(await output(), 3, 'the last ping with a body, if the one that failed has none');

    const silent = await givenWatched({ status: 'down', lastPingAt: START });
    assert.equal((await read(silent.browser, silent.path)).output, null);
    await app().givenPing(silent.check, { body: Buffer.from('fine, the last time') });
    assert.equal((await read(silent.browser, silent.path)).output, 1);
  });

  test('a check that is down has its cause, its runs, its way and whom it was told', async () => {
    const { browser, project, check, path } = await givenWatched({ status: 'up', lastPingAt: START });
    const [told, other] = [await app().givenChannel(project), await app().givenChannel(project)];
    await app().assign(check, told);
    await app().receive(check, 'start');
    app().clock.advance({ minutes: 2 });
    await app().receive(check, 'success');
    await app().receive(check, 'start');
    app().clock.advance({ minutes: 3 });
    await app().receive(check, 'fail');
    const notifier = newNotifier(app(), new FakeSender());
    while ((await notifier.tick()) === true) await notifier.settled();

    const page = await read(browser, path);

    assert.equal(page.status, 'down');
    assert.equal(page.cause.kind, 'failed');
    assert.deepEqual(
      page.runs.map(({ result, duration, n }: Shown['runs'][number]) => [result, duration, n]),
      [
        ['ok', 120, 2],
        ['failed', 180, 4],
      ],
    );
    assert.deepEqual(page.figures, { median: 120, p95: 120, trendPerWeek: null, good: 1, ended: 2 });
    assert.deepEqual(
      page.fuse.map((one: Shown['fuse'][number]) => [one.kind, one.told]),
      [
        ['failed', null],
        ['told', { told: [told.uuid], waiting: [], missed: [] }],
        ['due', null],
      ],
    );
    assert.deepEqual(
      page.channels.map(({ id, assigned, state, told }: Shown['channels'][number]) => [
        id,
        assigned,
        state,
        told?.state ?? null,
      ]),
      [
        [told.uuid, true, 'on', 'delivered'],
        [other.uuid, false, 'on', null],
      ],
    );
  });

  test('the last hundred runs are told, also where each had a start and a log', async () => {
    const { browser, check, path } = await givenWatched({ status: 'up', lastPingAt: START });
    for (let n = 1; n <= 102; n += 1)
      for (const [index, signal] of (['start', 'log', 'success'] as const).entries())
        await app().givenPing(check, { signal, createdAt: START + n * 10 * MINUTE + index * n * 1_000_000 });

    const { runs, figures } = await read(browser, path);

    assert.deepEqual(
      runs.map(({ duration }: Shown['runs'][number]) => duration),
      Array.from({ length: 100 }, (_, index) => 2 * (index + 3)),
    );
    assert.deepEqual([runs[0].n, runs[99].n], [9, 306]);
    assert.deepEqual([figures.median, figures.p95, figures.ended], [104, 194, 100]);
  });

  test('the next ten runs are told, in order', async () => {
    const schedule = { kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Berlin' } as const;
    const { browser, path } = await givenWatched({ ...schedule, status: 'up', lastPingAt: START });

    const { due, words, tz, expression } = (await read(browser, path)).schedule;

    assert.deepEqual([words, tz, expression], ['Every day at 03:00', 'Europe/Berlin', '0 3 * * *']);
    assert.equal(due.length, 10);
    assert.equal(due[0], '2024-03-02T02:00:00+00:00');
    assert.equal(due[9], '2024-03-11T02:00:00+00:00');
  });

  test('somebody who may only read sees no address, and reaches the check by its unique key', async () => {
    const { project, check } = await givenWatched();
    const { browser } = await givenMember(app(), project, 'read_only');

    const page = await read(browser, `/checks/${check.uniqueKey}`);

    assert.deepEqual([page.uuid, page.pingUrl], [null, null]);
    assert.deepEqual(page.may, { edit: false, ping: false, retry: false, answer: false });
    assert.ok(!JSON.stringify(page).includes(check.uuid));
    const { browser: stranger } = await givenPerson(app());
    assert.equal(
      (await stranger.get(`/checks/${check.uniqueKey}/read/checkPage`)).json.code,
      'check_not_found',
    );
  });

  test('an integration has been reached only by messages about this check', async () => {
    const { browser, project, check, path } = await givenWatched({ status: 'up', lastPingAt: START });
    const other = await app().givenCheck(project, { status: 'up', lastPingAt: START });
    const channel = await app().givenChannel(project);
    const reach = (of: Check, finishedAt: number) =>
      app().deps.store.transaction(async (tx) => {
        const [flip = assert.fail()] = await tx.flips.insertMany([flipRecord(of.id)]);
        const done = { state: 'delivered', nextAttemptAt: null, finishedAt } as const;
        await tx.deliveries.insertMany([deliveryRecord(flip, channel.id, done)]);
      });
    const reached = async () =>
      (await read(browser, path)).channels.map(({ reached }: Shown['channels'][number]) => reached);

    await reach(other, START);
    assert.deepEqual(await reached(), [null]);
    await reach(check, START - MINUTE);
    assert.deepEqual(await reached(), ['2024-03-01T11:59:00+00:00']);
  });

  test('an outage of half an hour is in its month, and months before the check have none', async () => {
    const { browser, check, path } = await givenWatched({
      ...{ status: 'up', createdAt: at('2024-02-10T00:00Z'), lastPingAt: START },
    });
    await app().deps.store.transaction(async (tx) => {
      const down = { createdAt: at('2024-02-20T10:00Z'), oldStatus: 'up', newStatus: 'down' } as const;
      const up = { createdAt: at('2024-02-20T10:30Z'), oldStatus: 'down', newStatus: 'up' } as const;
      await tx.flips.insertMany([flipRecord(check.id, down), flipRecord(check.id, up)]);
    });

    const { months } = await read(browser, path);

    assert.deepEqual(months, [
      { from: '2024-03-01T00:00:00+00:00', down: { count: 0, seconds: 0, uptime: '100' } },
      { from: '2024-02-01T00:00:00+00:00', down: { count: 1, seconds: 1800, uptime: '99.89' } },
      { from: '2024-01-01T00:00:00+00:00', down: null },
    ]);
  });

  test('of the current month only what is over counts', async () => {
    const { browser, check, path } = await givenWatched({ status: 'down', lastPingAt: START });
    await app().deps.store.transaction((tx) =>
      tx.flips.insertMany([flipRecord(check.id, { createdAt: START, oldStatus: 'up', newStatus: 'down' })]),
    );
    const before = START - at('2024-03-01T00:00Z');
    app().clock.set(START + before);

    const [{ down }] = (await read(browser, path)).months;

    assert.deepEqual(down, { count: 1, seconds: before / 1_000_000, uptime: '50.00' });
  });

  test('time in which the service was off is no uptime', async () => {
    const { browser, check, path } = await givenWatched({ status: 'down', lastPingAt: START });
    const begun = at('2024-03-01T00:00Z');
    const before = START - begun;
    await app().deps.store.transaction(async (tx) => {
      await tx.flips.insertMany([
        flipRecord(check.id, { createdAt: START, oldStatus: 'up', newStatus: 'down' }),
      ]);
      await tx.liveness.addBlindSpan({ from: START + before, until: START + 3 * before });
    });
    app().clock.set(START + 3 * before);

    const [{ down }] = (await read(browser, path)).months;

    assert.deepEqual(down, { count: 1, seconds: before / 1_000_000, uptime: '50.00' });
  });

  test('months begin in the time zone of whoever looks', async () => {
    const { browser, path } = await givenWatched({ status: 'up', lastPingAt: START });
    assert.equal((await browser.post('/do/editAccount', { tz: 'Pacific/Kiritimati' })).status, 204);

    const { months } = await read(browser, path);

    assert.equal(months[0].from, '2024-02-29T10:00:00+00:00');
  });

  test('who paused a check is told', async () => {
    const { browser, account, path } = await givenWatched({ status: 'up', lastPingAt: START - MINUTE });
    await browser.post(`${path}/do/pauseCheck`);

    const { sentence } = await read(browser, path);

    assert.ok(JSON.stringify(sentence).includes(`by ${account.email}`), JSON.stringify(sentence));
  });

  test('an integration is switched on and off for one check', async () => {
    const { browser, project, check, path } = await givenWatched();
    const [first, second] = [await app().givenChannel(project), await app().givenChannel(project)];
    await app().assign(check, first);
    const assigned = () => app().deps.store.checks.channelsOf(check.id);

    assert.equal(
      (await browser.post(`${path}/do/assignChannel`, { channel: second.uuid, isAssigned: true })).status,
      204,
    );
    assert.deepEqual(await assigned(), [first.uuid, second.uuid].toSorted());
    assert.equal(
      (await browser.post(`${path}/do/assignChannel`, { channel: first.uuid, isAssigned: false })).status,
      204,
    );
    assert.deepEqual(await assigned(), [second.uuid]);

    assert.equal(
      (await browser.post(`${path}/do/assignChannel`, { channel: second.uuid, isAssigned: 1 })).json.field,
      'isAssigned',
    );
    const { project: foreign } = await givenTeam(app());
    const theirs = await app().givenChannel(foreign);
    assert.equal(
      (await browser.post(`${path}/do/assignChannel`, { channel: theirs.uuid, isAssigned: true })).status,
      403,
    );
  });
});
