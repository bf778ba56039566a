import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LANE_PINGS, MAX_LANES } from '../../src/services/history/timeline.ts';
import type { LaneJson, TimelineHeadJson } from '../../src/views/timeline-json.ts';
import { START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { flipRecord, pingRecord } from '../records.ts';
import { givenMember, givenTeam } from './team.ts';

const NOW = START / 1_000_000;
const HOUR = 3_600;
const WINDOW = { from: NOW - 8 * HOUR, until: NOW + 4 * HOUR };

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a lane shows what ran in the window, as long as it took, and what is expected', async () => {
    const { browser, project, path } = await givenTeam(app());
    const check = await app().givenCheck(project, {
      status: 'up',
      timeoutSeconds: 2 * HOUR,
      lastPingAt: START - 600_000_000,
      lastReceivedAt: START - 600_000_000,
      pingCount: 4,
    });
    const at = (seconds: number) => START - seconds * 1_000_000;
    await app().deps.store.transaction((tx) =>
      tx.pings.insertMany([
        pingRecord(check.id, { n: 1, createdAt: at(20 * HOUR) }),
        pingRecord(check.id, { n: 2, createdAt: at(4_000), signal: 'start' }),
        pingRecord(check.id, { n: 3, createdAt: at(3_700) }),
        pingRecord(check.id, { n: 4, createdAt: at(600) }),
      ]),
    );

    const { json, status } = await browser.post(`${path}/read/timelineLanes`, {
      ...WINDOW,
      keys: [check.uniqueKey],
    });

    assert.equal(status, 200);
    assert.deepEqual(json as LaneJson[], [
      {
        key: check.uniqueKey,
        runs: [
          { result: 'ok', span: [NOW - 4_000, NOW - 3_700] },
          { result: 'ok', span: [NOW - 600, NOW - 600] },
        ],
        band: null,
        expected: [NOW - 600 + 2 * HOUR, NOW - 600 + 4 * HOUR],
        expectedBand: null,
        usual: 300,
        grace: null,
        down: [],
      },
    ]);
  });

  test('a window of the past shows nothing of later', async () => {
    const { browser, project, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START });
    await app().deps.store.transaction((tx) =>
      tx.pings.insertMany([
        pingRecord(check.id, { n: 1, createdAt: START - 90 * HOUR * 1_000_000 }),
        pingRecord(check.id, { n: 2, createdAt: START }),
      ]),
    );
    const past = { from: NOW - 100 * HOUR, until: NOW - 80 * HOUR };

    const { json } = await browser.post(`${path}/read/timelineLanes`, { ...past, keys: [check.uniqueKey] });

    const [lane] = json as LaneJson[];
    assert.deepEqual(
      lane?.runs.map(({ span }) => span[1]),
      [NOW - 90 * HOUR],
    );
    assert.deepEqual(lane?.expected, []);
  });

  test('a window of the past shows what happened in it and was told later, when it happened', async () => {
    const { browser, project, path } = await givenTeam(app());
    const check = await app().givenCheck(project, {
      status: 'up',
      lastPingAt: START,
      timeoutSeconds: 86_400,
    });
    const at = (hours: number) => START - hours * HOUR * 1_000_000;
    const record = (n: number, came: number, happened: number | null, overrides = {}) =>
      pingRecord(check.id, {
        ...{ n, createdAt: at(came), occurredAt: happened === null ? null : at(happened) },
        ...overrides,
      });
    await app().deps.store.transaction((tx) =>
      tx.pings.insertMany([
        record(1, 95, null),
        record(2, 30, null),
        record(3, 29, 102, { signal: 'start' }),
        record(4, 29, 99),
        record(5, 29, 91, { signal: 'fail' }),
        record(6, 29, 40),
        record(7, 28, null),
      ]),
    );
    const past = { from: NOW - 100 * HOUR, until: NOW - 80 * HOUR };

    const { json } = await browser.post(`${path}/read/timelineLanes`, { ...past, keys: [check.uniqueKey] });

    const [lane] = json as LaneJson[];
    assert.deepEqual(lane?.runs, [
      { result: 'ok', span: [NOW - 102 * HOUR, NOW - 99 * HOUR] },
      { result: 'ok', span: [NOW - 95 * HOUR, NOW - 95 * HOUR] },
      { result: 'failed', span: [NOW - 91 * HOUR, NOW - 91 * HOUR] },
    ]);
  });

  test('a job that runs very often is a band, however many pings it has', async () => {
    const { browser, project, path } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START, timeoutSeconds: 60 });
    const pings = Array.from({ length: MAX_LANE_PINGS + 100 }, (_, n) =>
      pingRecord(check.id, { n: n + 1, createdAt: START - (MAX_LANE_PINGS + 100 - n) * 20_000_000 }),
    );
    await app().deps.store.transaction((tx) => tx.pings.insertMany(pings));

    const { json } = await browser.post(`${path}/read/timelineLanes`, { ...WINDOW, keys: [check.uniqueKey] });

    const [lane] = json as LaneJson[];
    assert.deepEqual(lane?.band, [NOW - 8 * HOUR, NOW - 20]);
    assert.deepEqual([lane?.runs, lane?.expected], [[], []]);
    assert.deepEqual(lane?.expectedBand, [NOW, NOW + 4 * HOUR]);
  });

  test('the head names problems that began together', async () => {
    const { browser, project, path } = await givenTeam(app());
    const down = async (name: string, minutesAgo: number, reason: 'timeout' | 'fail') => {
      const createdAt = START - minutesAgo * 60_000_000;
      const check = await app().givenCheck(project, {
        name,
        status: 'down',
        lastPingAt: START - 86_400_000_000,
        lastFlipAt: createdAt,
        graceSeconds: 600,
      });
      await app().deps.store.transaction((tx) =>
        tx.flips.insertMany([flipRecord(check.id, { createdAt, newStatus: 'down', reason })]),
      );
    };
    await down('nightly-etl', 147, 'fail');
    await down('db-backup', 124, 'timeout');
    await down('alone', 20, 'fail');

    const { json } = await browser.post(`${path}/read/timelineHead`, WINDOW);

    const { problems, together } = json as TimelineHeadJson;
    assert.equal(problems, 3);
    assert.deepEqual(
      together.map(({ name, kind, at }) => [name, kind, (NOW - at) / 60]),
      [
        ['nightly-etl', 'failed', 147],
        ['db-backup', 'missed', 134],
      ],
    );
  });

  test('without trouble there is nothing to name', async () => {
    const { browser, project, path } = await givenTeam(app());
    await app().givenCheck(project, { status: 'up', lastPingAt: START });

    const { json } = await browser.post(`${path}/read/timelineHead`, WINDOW);

    assert.deepEqual(json, { problems: 0, together: [] });
  });

  test('whoever may only read sees it, too, and nobody sees checks of others', async () => {
    const { project } = await givenTeam(app());
    const { browser } = await givenMember(app(), project, 'read_only');
    const other = await givenTeam(app());
    const foreign = await app().givenCheck(other.project);

    const { status, json, text } = await browser.post(`/projects/${project.uuid}/read/timelineLanes`, {
      ...WINDOW,
      keys: [foreign.uniqueKey],
    });

    assert.deepEqual([status, json], [200, []]);
    assert.ok(!text.includes(foreign.uuid));
  });

  test('a window that is too short, too long, too far ahead or missing is refused', async () => {
    const { browser, path } = await givenTeam(app());
    const key = 'a'.repeat(40);
    for (const window of [
      {},
      { from: NOW },
      { from: NOW - HOUR, until: NOW },
      { from: NOW - 8 * 24 * HOUR, until: NOW },
      { from: NOW + 2 * HOUR, until: NOW + 8 * 24 * HOUR },
      { from: NOW, until: NOW - 12 * HOUR },
      { from: 'x', until: 'y' },
    ]) {
      const { status, json } = await browser.post(`${path}/read/timelineLanes`, { ...window, keys: [key] });
      assert.deepEqual([status, json.code], [400, 'invalid_field'], JSON.stringify(window));
    }
    const keys = Array.from({ length: MAX_LANES + 1 }, () => key);
    const many = await browser.post(`${path}/read/timelineLanes`, { ...WINDOW, keys });
    assert.equal(many.json.field, 'keys');
  });
});
