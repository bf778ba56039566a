import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { MAX_LISTED_FROM } from '../../src/services/history/run-list.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { Pruner } from '../../src/services/ping/pruning.ts';
import type { RunJson } from '../../src/wire/api/runs.ts';
import { START, sharedTestApp } from '../app.ts';
import { seeded } from '../crash/seeded.ts';
import { forEachEngine } from '../engines.ts';
import { incomingPing, pingRecord } from '../records.ts';
import { assertError, assertStatus, checkOf } from './answers.ts';

const RID = '123e4567-e89b-12d3-a456-426614174000';
const NIGHTLY = { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3_600 } as const;
const EACH_MINUTE = { kind: 'cron', schedule: '* * * * *', tz: 'UTC', graceSeconds: 300 } as const;

const march = (day: number, hour: number, minute = 0) => Date.UTC(2024, 2, day, hour, minute) * 1_000;
const SECOND = seconds(1);
const unix = (at: Instant) => Math.floor(at / SECOND);

interface Page {
  readonly runs: readonly RunJson[];
  readonly next: string | null;
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(overrides: Partial<Check> = {}, pings = 10_000) {
    const { key, readOnlyKey, project } = await app().givenProject({ limits: { checks: 5, pings } });
    const check = await app().givenCheck(project, overrides);
    const path = `/api/v3/checks/${check.uuid}/runs/`;
    const read = (query = '') => app().request('GET', path + query, { key });
    const page = async (query = '') => {
      const reply = await read(query);
      assertStatus(reply, 200, query);
      return reply.json as Page;
    };
    return { key, readOnlyKey, project, check, path, read, page };
  }

  async function send(check: Check, at: Instant, ping: Partial<IncomingPing> = {}): Promise<void> {
    app().clock.set(at);
    await pass();
    await ingestPings(app().deps, [incomingPing(check, ping)]);
  }

  const downs = async ({ id }: Check) =>
    (await app().deps.store.flips.ofCheck(id, { from: null, before: null })).filter(
      ({ newStatus }) => newStatus === 'down',
    );

  /** The loop of deadlines notices what has passed. */
  async function pass(): Promise<void> {
    while (await flipOverdue({ ...app().deps, onPoison: (_, error) => assert.fail(String(error)) }));
  }

  /** All pages of a list. */
  async function walk(page: (query: string) => Promise<Page>, query: string, between: () => Promise<void>) {
    const runs: RunJson[] = [];
    let cursor: string | null = '';
    for (let number = 0; cursor !== null; number++) {
      assert.ok(number < 500, 'the list does not end');
      if (number > 0) await between();
      const read: Page = await page(`?${query}&cursor=${cursor}`);
      runs.push(...read.runs);
      cursor = read.next;
    }
    return runs;
  }

  const shortly = ({ result, expected, ended, count }: RunJson) =>
    [result, (expected ?? ended)?.slice(8, 16).replace('T', ' '), count].filter(Boolean).join(' ');

  test('a run has its fields in their order, and a run that did not come has no ping', async () => {
    const { check, page, read } = await given({
      ...NIGHTLY,
      runRules: '{"exit_map":"24=warn","numbers":[{"name":"rows","min":10}]}',
    });
    await send(check, march(2, 3, 10), { body: Buffer.from('rows=12') });
    await send(check, march(4, 3), { signal: 'start', rid: RID });
    const body = Buffer.from('rows=3');
    await send(check, march(4, 3, 2) + SECOND / 2, { signal: 'fail', exitStatus: 24, rid: RID, body });

    const text = (await read()).text;
    assert.equal(
      text,
      JSON.stringify({
        runs: [
          {
            n: 3,
            result: 'warned',
            expected: '2024-03-04T03:00:00.000000+00:00',
            started: '2024-03-04T03:00:00.000000+00:00',
            ended: '2024-03-04T03:02:00.500000+00:00',
            duration: 120.5,
            rid: RID,
            exit_status: 24,
            flags: ['exit', 'number'],
            numbers: { rows: 3 },
            body_url: `http://testserver/api/v3/checks/${check.uuid}/pings/3/body`,
          },
          {
            n: null,
            result: 'missed',
            expected: '2024-03-03T03:00:00.000000+00:00',
            started: null,
            ended: null,
            duration: null,
            rid: null,
            exit_status: null,
            flags: [],
            numbers: {},
            body_url: null,
          },
          {
            n: 1,
            result: 'ok',
            expected: null,
            started: null,
            ended: '2024-03-02T03:10:00.000000+00:00',
            duration: null,
            rid: null,
            exit_status: null,
            flags: [],
            numbers: { rows: 12 },
            body_url: `http://testserver/api/v3/checks/${check.uuid}/pings/1/body`,
          },
        ],
        next: null,
      }),
    );
    assert.deepEqual((await page('?result=warned,missed&result=late')).runs.map(shortly), [
      'warned 04 03:00',
      'missed 03 03:00',
    ]);
  });

  test('what a long backlog reports stands on later pages, whatever order it came in', async () => {
    const { check, page } = await given();
    const count = 400;
    const backlog = Array.from({ length: count }, (_, index) =>
      incomingPing(check, { signal: 'fail', age: (index + 1) * MINUTE }),
    );
    await ingestPings(app().deps, backlog);

    const runs = await walk(page, 'limit=100&result=failed', async () => undefined);

    assert.deepEqual(
      runs.map(({ n }) => n),
      Array.from({ length: count }, (_, index) => index + 1),
    );
  });

  test('a nightly job that skips one of five nights has missed that one, and one that comes late has missed none', async () => {
    const { check, page } = await given(NIGHTLY);
    for (const day of [2, 3, 5]) await send(check, march(day, 3, 10));
    await send(check, march(6, 5));

    assert.deepEqual((await page()).runs.map(shortly), [
      'late 06 03:00',
      'ok 05 03:00',
      'missed 04 03:00',
      'ok 03 03:00',
      'ok 02 03:10',
    ]);
  });

  test('days before an edit of the schedule, or of the time of grace, stay as they were', async () => {
    for (const edit of [
      { schedule: '0 6 * * *' },
      { schedule: '*/5 * * * *' },
      { grace: 7_200 },
      { grace: 60 },
    ]) {
      const { key, check, page } = await given(NIGHTLY);
      for (const day of [2, 3]) await send(check, march(day, 3, 10));
      await send(check, march(4, 4, 30));
      for (const day of [5, 7]) await send(check, march(day, 3, 10), day === 5 ? { signal: 'fail' } : {});
      app().clock.set(march(7, 12));
      const came = async () => (await page()).runs.map(({ result, n, ended }) => [result, n, ended]);
      const before = await came();
      assert.deepEqual(
        before.map(([result]) => result),
        ['ok', 'missed', 'failed', 'late', 'ok', 'ok'],
      );

      const path = `/api/v3/checks/${check.uuid}`;
      assertStatus(await app().request('POST', path, { key, body: edit }), 200);

      const after = await came();
      // After a failure nothing was recorded of the night that was missed, by which the check did not go down.
      const isKnown = 'grace' in edit;
      assert.deepEqual(
        after,
        isKnown ? before : before.filter(([result]) => result !== 'missed'),
        JSON.stringify(edit),
      );
    }
  });

  test('runs whose deadline passed while nobody watched are unknown', async () => {
    // Before the times of all other tests, which would not know of their runs.
    const february = (day: number, hour: number, minute = 0) => Date.UTC(2024, 1, day, hour, minute) * 1_000;
    const { check, page } = await given(NIGHTLY);
    await send(check, february(2, 3, 10));
    const span = { from: february(3, 3, 30), until: february(4, 4) };
    await app().deps.store.transaction((tx) => tx.liveness.addBlindSpan(span));
    await send(check, february(6, 3, 10));

    assert.deepEqual((await page()).runs.map(shortly), [
      'ok 06 03:00',
      'missed 05 03:00',
      'missed 04 03:00',
      'unknown 03 03:00',
      'ok 02 03:10',
    ]);
    assert.deepEqual((await page('?result=unknown')).runs.map(shortly), ['unknown 03 03:00']);
  });

  test('a job of every minute with a longer grace time has missed the minutes between two runs, and was never down', async () => {
    const { check, page } = await given(EACH_MINUTE);
    await send(check, march(2, 3));
    await send(check, march(2, 3, 5));

    const listed = (await page()).runs.map(shortly);
    assert.deepEqual(listed.slice(0, 5), [
      'ok 02 03:05',
      ...[4, 3, 2, 1].map((minute) => `missed 02 03:0${minute}`),
    ]);
    assert.deepEqual(await downs(check), []);
  });

  test('what was due while a run was within its limit is skipped, and the check was never down', async () => {
    const hourly = { ...NIGHTLY, schedule: '0 * * * *', runRules: '{"end_within":7200}' } as const;
    const { check, page } = await given(hourly);
    await send(check, march(2, 0, 30));
    await send(check, march(2, 1), { signal: 'start' });
    await send(check, march(2, 2, 30));

    assert.deepEqual((await page()).runs.map(shortly), ['ok 02 01:00', 'skipped 02 02:00', 'ok 02 00:30']);
    assert.deepEqual(await downs(check), []);
  });

  test('by unique key a run shows neither its run id nor where its body is', async () => {
    const { check, readOnlyKey } = await given();
    await send(check, START, { rid: RID, body: Buffer.from('done') });

    const path = `/api/v3/checks/${check.uniqueKey}/runs/`;
    const reply = await app().request('GET', path, { key: readOnlyKey });

    assertStatus(reply, 200);
    const [run] = (reply.json as Page).runs;
    assert.deepEqual(Object.keys(run ?? {}), [
      ...['n', 'result', 'expected', 'started', 'ended', 'duration', 'exit_status', 'flags', 'numbers'],
    ]);
  });

  test('nobody else reads runs, and nobody writes them', async () => {
    const { key, path } = await given();
    const stranger = await app().givenProject();

    assertError(await app().request('GET', path, { key: stranger.key }), 403, 'access denied');
    assertStatus(await app().request('GET', path, { key: 'x'.repeat(32) }), 401);
    assertStatus(await app().request('GET', path), 401);
    for (const method of ['POST', 'DELETE']) assertStatus(await app().request(method, path, { key }), 405);
    const nowhere = `/api/v3/checks/${RID}/runs/`;
    assertError(await app().request('GET', nowhere, { key }), 404, 'check not found');
  });

  test('a question that is not valid is refused', async () => {
    const { read, page, check } = await given();
    for (let n = 0; n < 3; n++) await send(check, START + n * MINUTE);
    const { next } = await page('?limit=1');
    const values = JSON.parse(Buffer.from(next ?? '', 'base64url').toString()) as unknown[];
    const made = values.map((_, place) =>
      Buffer.from(JSON.stringify(values.with(place, place === 4 ? 'gone' : {}))).toString('base64url'),
    );
    for (const [query, error] of [
      ['limit=0', 'limit is not a whole number from 1 to 500'],
      ['limit=501', 'limit is not a whole number from 1 to 500'],
      ['limit=many', 'limit is not a whole number from 1 to 500'],
      ['from=soon', 'from is not a whole number from 0 to 10000000000'],
      ['until=-1', 'until is not a whole number from 0 to 10000000000'],
      ['result=ok,bad', 'result is not one of ok, warned, failed, late, running, missed, skipped, unknown'],
      ['cursor=x', 'cursor is not valid'],
      ['cursor=%00', 'cursor is not valid'],
      [`cursor=${Buffer.from('[9e99]').toString('base64url')}`, 'cursor is not valid'],
      ...made.map((cursor) => [`cursor=${cursor}`, 'cursor is not valid'] as const),
    ] as const)
      assertError(await read(`?${query}`), 400, error, query);
  });

  test('a job of every minute that was silent for 90 days lists 30 runs, counts the others, and leaves no row', async () => {
    const { check, page } = await given({ ...EACH_MINUTE, graceSeconds: 60 });
    await send(check, START);
    app().clock.set(START + 90 * DAY + MINUTE);
    await pass();

    const { runs, next } = await page();

    assert.deepEqual([runs.length, next], [32, null]);
    assert.equal(
      runs.filter(({ result }) => result === 'missed').reduce((sum, { count = 1 }) => sum + count, 0),
      129_600,
    );
    assert.deepEqual(
      runs.filter(({ count }) => count !== undefined).map(({ count, expected }) => [count, expected]),
      [[129_570, '2024-03-01T12:01:00.000000+00:00']],
    );
    assert.deepEqual(
      await app().deps.store.pings.latest(check.id, 10),
      await app().deps.store.pings.latest(check.id, 1),
    );
    const all = { results: ['failed', 'warned'], from: 0, until: Number.MAX_SAFE_INTEGER } as const;
    assert.deepEqual(await app().deps.store.keptRuns.before(check.id, all, { at: all.until, n: 0 }, 10), []);
  });

  test('failures stay in the list when their pings are gone, with the end of their output', async () => {
    const { check, page, path, readOnlyKey } = await given({}, 100);
    for (let n = 1; n <= 300; n++)
      await send(
        check,
        START + n * MINUTE,
        n <= 5 ? { signal: 'fail', exitStatus: n, body: Buffer.from(`ä${'x'.repeat(998)}${n}`) } : {},
      );
    const pruner = new Pruner(app().deps, 10, 93);
    while (await pruner.tick());

    const { runs, next } = await page('?limit=500');

    assert.deepEqual([runs.length, next], [105, null]);
    assert.deepEqual(
      runs
        .slice(100)
        .map(({ n, result, exit_status, body_url, excerpt }) => [n, result, exit_status, body_url, excerpt]),
      [5, 4, 3, 2, 1].map((n) => [n, 'failed', n, null, `${'x'.repeat(998)}${n}`]),
    );
    assert.deepEqual(
      (await page('?result=failed&limit=2')).runs.map(({ n }) => n),
      [5, 4],
    );
    const reply = await app().request('GET', path, { key: readOnlyKey });
    assert.equal(reply.text.includes('excerpt'), false);
  });

  test('pages neither repeat nor leave out a run, whatever happens between them', async () => {
    for (const seed of [1, 2]) {
      const chance = seeded(seed);
      const { check, page } = await given(EACH_MINUTE);
      const rids = [RID, RID.replace('1', '2'), null];
      let at = START;
      const some = async () => {
        at += Math.floor(chance() * 9 * MINUTE);
        const signal = (['success', 'success', 'fail', 'start', 'start'] as const)[Math.floor(chance() * 5)];
        const age = chance() < 0.2 ? Math.floor(chance() * HOUR) : undefined;
        const rid = rids[Math.floor(chance() * 3)] ?? null;
        await send(check, at, { signal: signal ?? 'success', rid, age });
      };
      for (let n = 0; n < 60; n++) await some();
      at += 20 * MINUTE;
      app().clock.set(at);
      const whole = (await page('?limit=500')).runs;

      for (const query of [
        'limit=7',
        'limit=5&result=failed,missed',
        `limit=4&until=${unix(at - HOUR)}&from=${unix(START)}`,
      ]) {
        const wanted = await walk(page, query.replace(/limit=\d+/, 'limit=500'), async () => {});
        app().clock.set(at);
        const walked = await walk(page, query, some);

        assert.deepEqual(walked, wanted, `seed ${seed}: ${query}`);
      }
      assert.ok(whole.length > 60);
    }
  });

  test('a long history is listed part by part, whole', async () => {
    const { check, page } = await given({ timeoutSeconds: 60, graceSeconds: 60 }, 1_000_000);
    const count = 2 * MAX_LISTED_FROM + 700;
    await app().deps.store.transaction(async (tx) => {
      const current = (await tx.checks.lock(check.id)) ?? assert.fail();
      const pings = Array.from({ length: count }, (_, place) => {
        const isBad = place % 1_000 === 0;
        return pingRecord(check.id, {
          ...{
            n: place + 1,
            createdAt: START + place * MINUTE,
            signal: isBad ? 'fail' : 'success',
            rid: null,
          },
        });
      });
      await tx.pings.insertMany(pings);
      await tx.checks.saveState({
        ...current,
        pingCount: count,
        status: 'up',
        lastPingAt: START + (count - 1) * MINUTE,
      });
    });
    app().clock.set(START + count * MINUTE);

    const failed = await walk(page, 'result=failed', async () => {});
    assert.deepEqual(
      failed.map(({ n }) => n),
      [6_001, 5_001, 4_001, 3_001, 2_001, 1_001, 1],
    );
    const all = await walk(page, 'limit=500', async () => {});
    assert.deepEqual(
      all.map(({ n }) => n),
      Array.from({ length: count }, (_, place) => count - place),
    );
  });

  test('a check whose last run failed tells when one last succeeded, in version 3', async () => {
    const { key, project } = await app().givenProject();
    const check = await app().givenCheck(project);
    const shown = async (version = 3) =>
      checkOf(await app().request('GET', `/api/v${version}/checks/${check.uuid}`, { key }));
    await app().receive(check, 'fail');
    assert.equal('last_success' in (await shown()), false);

    await app().receive(check, 'success');
    assert.equal('last_success' in (await shown()), false);
    const goodAt = app().clock.now();
    for (let hour = 0; hour < 2; hour++) {
      app().clock.set(app().clock.now() + HOUR);
      await app().receive(check, 'fail');
    }

    assert.equal(Date.parse(String((await shown()).last_success)) * 1_000, goodAt);
    assert.equal('last_success' in (await shown(2)), false);
    await app().receive(check, 'success');
    assert.equal('last_success' in (await shown()), false);
  });
});
