import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { deadlineOf, statusAt } from '../../src/domain/check/status.ts';
import { runsOf } from '../../src/domain/history/run.ts';
import { seconds } from '../../src/lib/instant.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import {
  allFlips,
  assertAnswer,
  givenPingKey,
  INVALID_RID,
  lastPing,
  OK,
  pingsOf,
  signalsOf,
  state,
  stored,
} from './answers.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const OTHER_RID = '9f2a3a37-1f4d-4a3b-8a44-000000000002';

/** Days of March 2024, in UTC: `02 03:04:59`. */
const march = (text: string) => at(`2024-03-${text.replace(' ', 'T')}Z`);

/** Every day at three, with an hour of grace, and a run on the first. */
const NIGHTLY = {
  kind: 'cron',
  schedule: '0 3 * * *',
  tz: 'UTC',
  graceSeconds: 3600,
  status: 'up',
  lastPingAt: march('01 03:10'),
  pingCount: 1,
} as const satisfies Partial<Check>;

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(rules: object | null, overrides: Partial<Check> = {}) {
    const { project, key } = await app().givenProject();
    const runRules = rules === null ? '' : JSON.stringify(rules);
    const check = await app().givenCheck(project, { slug: 'job', ...NIGHTLY, runRules, ...overrides });
    return { project, key, check };
  }

  /** Time passes until then, and deadlines are looked at. */
  async function until(text: string): Promise<void> {
    app().clock.set(march(text));
    while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));
  }

  /** A ping at that time, to what stands after the address of the check. */
  async function ping(check: Check, time: string, path = '', body?: string): Promise<void> {
    await until(time);
    assertAnswer(await app().ping(`/${check.uuid}${path}`, body === undefined ? {} : { body }), OK, path);
  }

  /** All changes of status: `down 05 03:05:00 missed`. */
  async function changes(check: Check): Promise<string[]> {
    return (await allFlips(app(), check)).map(({ newStatus, createdAt, cause }) =>
      `${newStatus} ${new Date(createdAt / 1000).toISOString().slice(8, 19).replace('T', ' ')} ${cause}`.trim(),
    );
  }

  async function runs(check: Check) {
    const all = runsOf({
      check: await stored(app(), check),
      pings: await pingsOf(app(), check),
      flips: await allFlips(app(), check),
      now: app().clock.now(),
    });
    return all.map(({ result, duration }) => [result, duration === null ? null : duration / seconds(1)]);
  }

  test('a start and an end are one run, with or without rules', async () => {
    for (const rules of [null, { end_within: 21_600 }]) {
      const { check } = await given(rules);
      await ping(check, '02 03:00', '/start');
      await ping(check, '02 03:10');

      assert.deepEqual(await runs(check), [['ok', 600]]);
      const [start, end] = await pingsOf(app(), check);
      assert.deepEqual([start?.runStartedAt, end?.runStartedAt], [null, march('02 03:00')]);
      app().clock.set(march('01 12:00'));
    }
  });

  test('a run with a limit of its own may take longer than the grace time', async () => {
    const { check } = await given({ end_within: 21_600 });
    await ping(check, '02 03:00', '/start');
    for (const time of ['02 04:00', '02 05:00', '02 07:59']) {
      await until(time);
      assert.equal(statusAt(await stored(app(), check), app().clock.now()), 'up', time);
    }
    await ping(check, '02 08:00');

    assert.deepEqual(await changes(check), []);
    assert.deepEqual(await state(app(), check, 'deadlineAt'), { deadlineAt: march('03 04:00') });
  });

  test('a run that never begins is missed after the grace time, whatever time it may take', async () => {
    const { check } = await given({ end_within: 21_600 });
    await until('02 05:00');

    assert.deepEqual(await changes(check), ['down 02 04:00:00 missed']);
  });

  test('a run has to begin within its limit, and a start is a beginning', async () => {
    const { check: silent } = await given({ begin_within: 300 });
    const { check: started } = await given({ begin_within: 300 });
    await ping(started, '02 03:04:59', '/start');
    await until('02 03:30');

    assert.deepEqual(await changes(silent), ['down 02 03:05:00 missed']);
    assert.deepEqual(await changes(started), []);
    assert.deepEqual(await state(app(), started, 'deadlineAt'), { deadlineAt: march('02 04:04:59') });
  });

  test('a run that takes too long goes down as such, and is late if it ends after all', async () => {
    const { check } = await given({ end_within: 3600 });
    await ping(check, '02 03:00', '/start');
    await until('02 04:30');
    assert.deepEqual(await changes(check), ['down 02 04:00:00 overran']);
    assert.deepEqual(await runs(check), [['failed', null]]);

    await ping(check, '02 05:00');
    assert.deepEqual(await changes(check), ['down 02 04:00:00 overran', 'up 02 05:00:00']);
    assert.deepEqual(await runs(check), [['late', 7200]]);
  });

  test('a run without a limit is watched by the next time of the schedule', async () => {
    const { check } = await given({ begin_within: 600, end_within: 0 });
    await ping(check, '02 03:00', '/start');
    await until('03 03:09:59');
    assert.deepEqual(await changes(check), []);
    await until('03 04:00');

    assert.deepEqual(await changes(check), ['down 03 03:10:00 missed']);
  });

  test('a run without a limit does not take the check down while other runs succeed', async () => {
    const { check } = await given({ end_within: 0 });
    await ping(check, '02 03:00', `/start?rid=${RID}`);
    await ping(check, '03 03:10', `?rid=${OTHER_RID}`);
    await until('03 20:00');

    assert.deepEqual(await changes(check), []);
  });

  test('the schedule is not watched while a run with a limit is open', async () => {
    const { check } = await given(
      { end_within: 7200 },
      { schedule: '0 * * * *', lastPingAt: march('02 00:30') },
    );
    await ping(check, '02 01:00', '/start');
    await ping(check, '02 02:30');
    await until('02 03:30');

    assert.deepEqual(await changes(check), []);
    assert.deepEqual(await runs(check), [['ok', 5400]]);
  });

  test('the limit of a run counts anew with every sign of progress, also with one limit', async () => {
    for (const [rules, overrides] of [
      [{ end_within: 900 }, {}],
      [null, { graceSeconds: 900 }],
    ] as const) {
      const { check } = await given(rules, overrides);
      await ping(check, '02 02:50', '/start');
      await ping(check, '02 03:00', '/progress');
      assert.deepEqual(await state(app(), check, 'deadlineAt', 'lastStartAt', 'lastAliveAt', 'lastPingAt'), {
        deadlineAt: march('02 03:15'),
        lastStartAt: march('02 02:50'),
        lastAliveAt: march('02 03:00'),
        lastPingAt: NIGHTLY.lastPingAt,
      });
      await until('02 04:00');

      assert.deepEqual(await changes(check), ['down 02 03:15:00 overran']);
      app().clock.set(march('01 12:00'));
    }
  });

  test('progress of a run that is not known opens it, and its end has a duration', async () => {
    const { check } = await given({ end_within: 900 });
    await ping(check, '02 03:00', `/progress?rid=${RID}`);
    await ping(check, '02 03:05', `?rid=${RID}`);

    assert.deepEqual(await runs(check), [['ok', 300]]);
    assert.equal((await stored(app(), check)).lastDuration, seconds(300));
  });

  test('progress without a run id is of the open run, and that of another run opens it', async () => {
    const { check } = await given({ end_within: 900 });
    await ping(check, '02 03:00', `/start?rid=${RID}`);
    await ping(check, '02 03:05', '/progress');
    assert.deepEqual(await state(app(), check, 'lastStartRid', 'lastStartAt', 'lastAliveAt'), {
      lastStartRid: RID,
      lastStartAt: march('02 03:00'),
      lastAliveAt: march('02 03:05'),
    });
    await ping(check, '02 03:06', `/progress?rid=${OTHER_RID}`);
    assert.deepEqual(await state(app(), check, 'lastStartRid', 'lastStartAt', 'lastAliveAt'), {
      lastStartRid: OTHER_RID,
      lastStartAt: march('02 03:06'),
      lastAliveAt: null,
    });
  });

  test('progress is answered like other pings, listed as a log message, and pings no check by its name alone', async () => {
    const { project, key, check } = await given(null);
    const pingKey = await givenPingKey(app(), project);
    const named = await app().givenCheck(project, { slug: 'progress' });
    await ping(check, '02 03:00', '/progress');
    assertAnswer(await app().ping(`/${pingKey}/job/progress`), OK);
    assertAnswer(await app().ping(`/${pingKey}/progress`), OK);
    assertAnswer(await app().ping(`/${check.uuid}/progress?rid=x`), INVALID_RID);

    assert.deepEqual(await signalsOf(app(), check), ['progress', 'progress']);
    assert.deepEqual(await signalsOf(app(), named), ['success']);
    const { json } = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/`, { key });
    const { pings } = json as { readonly pings: readonly { readonly type: string }[] };
    assert.deepEqual(
      pings.map(({ type }) => type),
      ['log', 'log'],
    );
    const { json: shown } = await app().request('GET', `/api/v3/checks/${check.uuid}`, { key });
    assert.equal((shown as { readonly last_ping: string }).last_ping, '2024-03-01T03:10:00+00:00');
  });

  test('progress changes no status: not of a paused check, and not of one that is down', async () => {
    const { check: byHand } = await given(null, { status: 'paused', manualResume: true });
    const { check: paused } = await given(null, { status: 'paused' });
    const { check: down } = await given(null, { status: 'down', lastFlipAt: march('01 04:00') });
    for (const check of [byHand, paused, down]) await ping(check, '02 03:00', '/progress');

    assert.deepEqual(await Promise.all([byHand, paused, down].map((check) => changes(check))), [[], [], []]);
    assert.deepEqual(await signalsOf(app(), byHand), ['ign']);
    assert.deepEqual(await state(app(), paused, 'status', 'lastStartAt'), {
      status: 'paused',
      lastStartAt: null,
    });
    assert.deepEqual(await state(app(), down, 'status', 'lastStartAt'), {
      status: 'down',
      lastStartAt: march('02 03:00'),
    });
  });

  test('an end that comes early counts for the time that it comes before', async () => {
    for (const [time, deadline] of [
      ['02 02:59', '03 04:00'],
      ['02 02:58', '03 04:00'],
      ['02 02:57:59', '02 04:00'],
    ] as const) {
      const { check } = await given({ early: 120 });
      await ping(check, time);
      assert.deepEqual(await state(app(), check, 'deadlineAt'), { deadlineAt: march(deadline) }, time);
      app().clock.set(march('01 12:00'));
    }
  });

  test('an end is early by half of the gap to the next time at most', async () => {
    const minutely = { schedule: '* * * * *', graceSeconds: 60 };
    for (const [time, deadline] of [
      ['02 02:59:30', '02 03:02'],
      ['02 02:59:29', '02 03:01'],
    ] as const) {
      const { check } = await given({ early: 120 }, { ...minutely, lastPingAt: march(time) - MINUTE });
      await ping(check, time);
      assert.deepEqual(await state(app(), check, 'deadlineAt'), { deadlineAt: march(deadline) }, time);
      app().clock.set(march('01 12:00'));
    }
  });

  test('a limit that is set while a run is open counts from its start', async () => {
    const { check, key } = await given(null);
    await ping(check, '02 03:00', '/start');
    app().clock.set(march('02 03:20'));
    const { status } = await app().request('POST', `/api/v3/checks/${check.uuid}`, {
      key,
      body: { run_rules: { end_within: 7200 } },
    });

    assert.equal(status, 200);
    assert.deepEqual(await state(app(), check, 'deadlineAt'), { deadlineAt: march('02 05:00') });
  });

  test('exit statuses mean what the check says', async () => {
    const { check } = await given({ exit_map: '0,2-4=ok 24=warn *=fail' });
    await ping(check, '02 03:00', '/3');
    await ping(check, '02 03:01', '/24');
    await ping(check, '02 03:02', '/1');

    assert.deepEqual(await signalsOf(app(), check), ['success', 'success', 'fail']);
    assert.deepEqual(
      (await runs(check)).map(([result]) => result),
      ['ok', 'warned', 'failed'],
    );
    assert.deepEqual(await changes(check), ['down 02 03:02:00 failed']);
  });

  test('keywords decide in place of exit statuses, and a failure is one in any case', async () => {
    const { check: filtered } = await given(
      { exit_map: '*=ok' },
      { filterHttpBody: true, failureKeywords: 'bad', successKeywords: 'good' },
    );
    await ping(filtered, '02 03:00', '/0', 'bad');
    await ping(filtered, '02 03:01', '/1', 'good');
    const { check } = await given({ exit_map: '*=ok' });
    await ping(check, '02 03:02', '/fail');

    assert.deepEqual(await signalsOf(app(), filtered), ['fail', 'success']);
    assert.deepEqual(await signalsOf(app(), check), ['fail']);
  });

  test('a run that is too short has a remark, if its start is known', async () => {
    const { check } = await given({ min_run_time: 60 });
    await ping(check, '02 03:00', '/start');
    await ping(check, '02 03:00:59.999');
    await ping(check, '02 03:02', '/start');
    await ping(check, '02 03:03');
    await ping(check, '02 03:04');

    assert.deepEqual(
      (await pingsOf(app(), check)).map(({ runFlags }) => runFlags),
      [null, 2, null, null, null],
    );
    assert.deepEqual(await changes(check), []);
  });

  test('a run that is too short fails where the check says so', async () => {
    const { check } = await given({ min_run_time: 60, on_short: 'fail' });
    await ping(check, '02 03:00', '/start');
    await ping(check, '02 03:00:10');

    assert.deepEqual(await changes(check), ['down 02 03:00:10 min_run_time']);
    assert.deepEqual(await signalsOf(app(), check), ['start', 'fail']);
    assert.equal((await allFlips(app(), check)).at(-1)?.reason, 'fail');
  });

  test('declared numbers are taken from the body and from the address', async () => {
    const { check } = await given({ numbers: [{ name: 'rows' }, { name: 'stats.rows' }] });
    const taken: (string | null)[] = [];
    for (const [path, body] of [
      ['', 'rows=123\nbytes=4.5e6'],
      ['', '{"stats": {"rows": 7}}'],
      ['?number=rows:5', undefined],
      ['?number=rows:5', 'rows=6'],
      [`?${Array.from({ length: 10 }, () => 'number=x:1').join('&')}&number=rows:5`, undefined],
      ['?number=rows:many&number=:&number=', undefined],
    ] as const) {
      await ping(check, '02 03:00', path, body);
      taken.push((await lastPing(app(), check)).runNumbers);
    }

    assert.deepEqual(taken, ['{"rows":123}', '{"stats.rows":7}', '{"rows":5}', '{"rows":5}', null, null]);
  });

  test('a number out of its bounds warns or fails, and so may one that is missing', async () => {
    const { check: warning } = await given({ numbers: [{ name: 'rows', min: 1 }] });
    await ping(warning, '02 03:00', '', 'rows=0');
    const { check: failing } = await given({ numbers: [{ name: 'rows', min: 1, max: 9, on: 'fail' }] });
    await ping(failing, '02 03:01', '', 'rows=0');
    const { check: missing } = await given({ numbers: [{ name: 'rows', missing: 'warn' }] });
    await ping(missing, '02 03:02', '', 'nothing');

    assert.deepEqual(await changes(warning), []);
    assert.deepEqual(await changes(failing), ['down 02 03:01:00 number rows 0 < 1']);
    assert.deepEqual(
      await Promise.all(
        [warning, failing, missing].map(async (check) => (await lastPing(app(), check)).runFlags),
      ),
      [4, 4, 8],
    );
    assert.deepEqual(await runs(missing), [['warned', null]]);
  });

  test('a result that comes late is judged by when it happened', async () => {
    const { check } = await given({ min_run_time: 60, end_within: 7200 });
    await ping(check, '02 03:00', `/start?rid=${RID}`);
    await ping(check, '02 03:10', `?rid=${RID}&age=570`);

    const { runFlags, runStartedAt } = await lastPing(app(), check);
    assert.deepEqual([runFlags, runStartedAt], [2, march('02 03:00')]);
  });

  test('rules that a newer version has written are left alone, and the check is watched without them', async () => {
    const { check } = await given({ end_within: 7200, not_known_yet: 1 });
    await ping(check, '02 03:00', '/start');

    const after = await stored(app(), check);
    assert.equal(deadlineOf(after), march('02 03:00') + HOUR);
    assert.equal(after.runRules, check.runRules);
  });

  test('progress and remarks survive without a change of status, and end with the run', async () => {
    const { check } = await given({ end_within: 3600, min_run_time: 60 });
    await ping(check, '02 03:00', '/start');
    await ping(check, '02 03:00:10', '/progress');
    await ping(check, '02 03:00:20', '/progress');
    assert.deepEqual(await state(app(), check, 'lastAliveAt'), { lastAliveAt: march('02 03:00:20') });
    await ping(check, '02 03:00:30');
    assert.deepEqual(await state(app(), check, 'lastAliveAt', 'lastFlags'), {
      lastAliveAt: null,
      lastFlags: 2,
    });
    await ping(check, '02 03:10');
    assert.deepEqual(await state(app(), check, 'lastFlags'), { lastFlags: 0 });
  });
});
