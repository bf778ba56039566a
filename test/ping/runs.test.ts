import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertAnswer, assertUntouched, INVALID_RID, lastPing, OK, pingsOf, state } from './answers.ts';

const A = '9f2a3a37-1f4d-4a3b-8a44-00000000000a';
const B = '9f2a3a37-1f4d-4a3b-8a44-00000000000b';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(overrides: Partial<Check> = {}) {
    const { project, key } = await app().givenProject();
    return { key, check: await app().givenCheck(project, overrides) };
  }

  /** Pings one after the other, each `minutes after the one before, path`. */
  async function play(check: Check, ...pings: readonly (readonly [number, string])[]): Promise<void> {
    for (const [minutes, path] of pings) {
      app().clock.advance({ minutes });
      assertAnswer(await app().ping(`/${check.uuid}${path}`), OK, path);
    }
  }

  const run = (check: Check) => state(app(), check, 'lastStartAt', 'lastDuration');

  /** Durations in the list of pings, oldest ping first; undefined if there is none. */
  async function durations(check: Check, key: string): Promise<(number | undefined)[]> {
    const list = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/`, { key });
    const { pings } = list.json as { pings: { duration?: number }[] };
    return pings.map(({ duration }) => duration).toReversed();
  }

  test('the run id of a start is stored, with the ping and as the open run', async () => {
    const { check } = await given();

    await play(check, [0, `/start?rid=${A}`]);

    assert.equal((await lastPing(app(), check)).rid, A);
    assert.deepEqual(await state(app(), check, 'lastStartAt', 'lastStartRid'), {
      lastStartAt: app().clock.now(),
      lastStartRid: A,
    });
  });

  test('the run id of a log message and of an ignored ping is stored, too', async () => {
    const { check } = await given({ methods: 'POST' });

    await play(check, [0, `/log?rid=${A}`]);
    assertAnswer(await app().ping(`/${check.uuid}/log?rid=${B}`, { method: 'POST' }), OK);

    const seen = (await pingsOf(app(), check)).map(({ signal, rid }) => [signal, rid]);
    assert.deepEqual(seen, [
      ['ign', A],
      ['log', B],
    ]);
  });

  test('a run id in upper case is that in lower case', async () => {
    const { check } = await given();

    await play(check, [0, `/start?rid=${A.toUpperCase()}`], [5, `?rid=${A}`]);

    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: 5 * MINUTE });
    assert.deepEqual(
      (await pingsOf(app(), check)).map(({ rid }) => rid),
      [A, A],
    );
  });

  for (const [name, rid] of [
    ['a number', '12345'],
    ['nothing', ''],
    ['a UUID with one digit more', `${A}0`],
    ['a UUID in braces', `{${A}}`],
    ['a UUID without dashes', A.replaceAll('-', '')],
    ['a URN', `urn:uuid:${A}`],
    ['a UUID after a blank', `%20${A}`],
    ['a UUID before a newline', `${A}%0A`],
    ['a NUL', '%00'],
    ['bytes that are no UTF-8', '%ff%fe'],
    ['half an escape', '%f'],
    ['a UUID with a letter that is no digit', A.replace('a', 'g')],
    ['a UUID with digits of another script', `%D9%A1${A.slice(1)}`],
  ] as const) {
    test(`${name} is no run id, and nothing is recorded`, async () => {
      const { check } = await given();

      for (const path of ['', '/start', '/0'])
        assertAnswer(await app().ping(`/${check.uuid}${path}?rid=${rid}`), INVALID_RID, path);

      await assertUntouched(app(), check);
    });
  }

  test('of several run ids the last counts', async () => {
    const { check } = await given();

    await play(check, [0, `?rid=bad&rid=${A}&x=1&rid=${B}`]);

    assert.equal((await lastPing(app(), check)).rid, B);
    assertAnswer(await app().ping(`/${check.uuid}?rid=${A}&rid=bad`), INVALID_RID);
  });

  test('a success of the same run ends it, and tells how long it took', async () => {
    const { check } = await given();

    await play(check, [0, `/start?rid=${A}`], [3, `?rid=${A}`]);

    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: 3 * MINUTE });
  });

  test('a success of another run leaves the first running', async () => {
    const { check } = await given();
    const startedAt = app().clock.now();

    await play(check, [0, `/start?rid=${A}`], [3, `?rid=${B}`]);

    assert.deepEqual(await state(app(), check, 'lastStartAt', 'lastDuration', 'lastPingAt', 'status'), {
      lastStartAt: startedAt,
      lastDuration: null,
      lastPingAt: app().clock.now(),
      status: 'up',
    });
  });

  test('a success of no run ends any, its duration unknown', async () => {
    const { check } = await given();

    await play(check, [0, `/start?rid=${A}`], [3, '']);

    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: null });
  });

  test('a failure of another run ends the first, its duration unknown', async () => {
    const { check } = await given();

    await play(check, [0, `/start?rid=${A}`], [3, `/fail?rid=${B}`]);

    assert.deepEqual(await state(app(), check, 'lastStartAt', 'lastDuration', 'status'), {
      lastStartAt: null,
      lastDuration: null,
      status: 'down',
    });
  });

  test('a run without an id is ended by a success without one', async () => {
    const { check } = await given();

    await play(check, [0, '/start'], [7, '/0']);

    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: 7 * MINUTE });
  });

  test('a run without an id is not ended by a success with one', async () => {
    const { check } = await given();
    const startedAt = app().clock.now();

    await play(check, [0, '/start'], [7, `?rid=${A}`]);

    assert.deepEqual(await run(check), { lastStartAt: startedAt, lastDuration: null });
  });

  test('the run that was started last is the one that is timed', async () => {
    const { check } = await given();

    await play(check, [0, `/start?rid=${A}`], [1, `/start?rid=${B}`]);
    const startedAt = app().clock.now();
    await play(check, [1, `?rid=${A}`]);
    assert.deepEqual(await run(check), { lastStartAt: startedAt, lastDuration: null });

    await play(check, [2, `?rid=${B}`]);
    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: 3 * MINUTE });
  });

  test('the list knows the duration of each of two runs that overlap', async () => {
    const { check, key } = await given();

    await play(check, [0, `/start?rid=${A}`], [1, `/start?rid=${B}`], [1, `?rid=${A}`], [4, `?rid=${B}`]);

    assert.deepEqual(await durations(check, key), [undefined, undefined, 120, 300]);
  });

  test('an ignored ping in between does not matter to a duration', async () => {
    const { check, key } = await given({ methods: 'POST' });
    const post = (path: string) => app().ping(`/${check.uuid}${path}`, { method: 'POST' });

    await post('/start');
    await play(check, [1, '']);
    app().clock.advance({ minutes: 1 });
    await post('');

    assert.deepEqual(await durations(check, key), [undefined, undefined, 120]);
    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: 2 * MINUTE });
  });

  test('a second success has no duration', async () => {
    const { check, key } = await given();

    await play(check, [0, '/start'], [2, ''], [2, '']);

    assert.deepEqual(await durations(check, key), [undefined, 120, undefined]);
    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: null });
  });

  test('a run of more than 72 hours has no duration in the list, but on the check', async () => {
    const { check, key } = await given({ graceSeconds: 31_536_000 });

    await play(check, [0, '/start'], [72 * 60 + 1 / 60, '']);

    assert.deepEqual(await durations(check, key), [undefined, undefined]);
    assert.equal((await run(check)).lastDuration, 72 * HOUR + 1_000_000);
    const reply = await app().request('GET', `/api/v3/checks/${check.uuid}`, { key });
    assert.equal((reply.json as { last_duration: number }).last_duration, 72 * 3600 + 1);
  });

  test('a failure has a duration, too', async () => {
    const { check, key } = await given();

    await play(check, [0, '/start'], [1.5, '/9']);

    assert.deepEqual(await durations(check, key), [undefined, 90]);
    assert.deepEqual(await run(check), { lastStartAt: null, lastDuration: 90_000_000 });
  });

  test('the very first ping has no duration', async () => {
    const { check, key } = await given();

    await play(check, [0, '']);

    assert.deepEqual(await durations(check, key), [undefined]);
  });

  test('ends of many unknown runs do not hide the duration of a known one', async () => {
    const { check, key } = await given();

    await play(check, [0, `/start?rid=${A}`]);
    for (let n = 10; n < 22; n++) await play(check, [1, `?rid=${A.slice(0, -2)}${n}`]);
    await play(check, [1, `?rid=${A}`]);

    const known = await durations(check, key);
    assert.deepEqual(known, [...Array<undefined>(13).fill(undefined), 780]);
  });

  test('nor does the end of the page, when the run began before it', async () => {
    const { check, key } = await given();
    await play(check, [0, `/start?rid=${A}`]);
    for (let n = 0; n < 110; n++) await app().givenPing(check, { signal: 'log' });

    await play(check, [10, `?rid=${A}`]);

    const known = await durations(check, key);
    assert.equal(known.length, 100);
    assert.equal(known.at(-1), 600);
  });
});
