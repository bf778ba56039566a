import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check, Status } from '../../src/domain/check/check.ts';
import { fromTemporal, type Instant, seconds } from '../../src/lib/instant.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus, checkOf, checksOf, pick } from './answers.ts';

const A = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const B = '9f2a3a37-1f4d-4a3b-8a44-000000000002';

const COMMON = [
  ...['name', 'slug', 'tags', 'desc', 'grace', 'n_pings', 'status', 'started', 'last_ping', 'next_ping'],
  ...['manual_resume', 'methods', 'subject', 'subject_fail', 'start_kw', 'success_kw', 'failure_kw'],
  ...['filter_subject', 'filter_body', 'filter_http_body', 'filter_default_fail', 'badge_url'],
];
const ADDRESSES = ['uuid', 'ping_url', 'update_url', 'pause_url', 'resume_url', 'channels'];

function at(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(text));
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(overrides: Partial<Check> = {}) {
    const given = await app().givenProject();
    const check = await app().givenCheck(given.project, overrides);
    const get = async ({ id = check.uuid, key = given.key, version = 3 } = {}) => {
      const reply = await app().request('GET', `/api/v${version}/checks/${id}`, { key });
      assertStatus(reply, 200);
      return checkOf(reply);
    };
    return { ...given, check, get };
  }

  test('a read-only key sees no addresses and no trace of the UUID', async () => {
    const { project, key, readOnlyKey, check } = await givenCheck({ name: 'Nightly', lastDuration: null });
    await app().assign(check, await app().givenChannel(project));
    const keys = [...COMMON, 'unique_key', 'timeout'];

    for (const id of [check.uuid, check.uniqueKey]) {
      const reply = await app().request('GET', `/api/v3/checks/${id}`, { key: readOnlyKey });

      assertStatus(reply, 200);
      assert.deepEqual(Object.keys(checkOf(reply)), keys);
      assert.equal(checkOf(reply).unique_key, check.uniqueKey);
      for (const trace of [check.uuid, check.uuid.replaceAll('-', ''), check.uuid.slice(0, 8), key])
        assert.equal(reply.text.includes(trace), false, trace);
    }
    const list = await app().request('GET', '/api/v3/checks/', { key: readOnlyKey });
    assert.deepEqual(checksOf(list).map(Object.keys), [keys]);
    assert.equal(list.text.includes(check.uuid), false);
  });

  test('a read-write key sees every field, also by the unique key', async () => {
    const { check, get } = await givenCheck();

    const answer = await get({ id: check.uniqueKey });

    assert.deepEqual(Object.keys(answer), [...COMMON, ...ADDRESSES, 'timeout', 'sources']);
    assert.deepEqual(answer, await get());
    assert.deepEqual(pick(answer, ['uuid', 'ping_url', 'update_url', 'pause_url', 'resume_url']), {
      uuid: check.uuid,
      ping_url: `http://testserver/ping/${check.uuid}`,
      update_url: `http://testserver/api/v3/checks/${check.uuid}`,
      pause_url: `http://testserver/api/v3/checks/${check.uuid}/pause`,
      resume_url: `http://testserver/api/v3/checks/${check.uuid}/resume`,
    });
  });

  test('a check on a schedule has the schedule in place of the timeout', async () => {
    const { get, readOnlyKey } = await givenCheck({ kind: 'cron', schedule: '5 * * * *' });

    assert.deepEqual(Object.keys(await get()), [...COMMON, ...ADDRESSES, 'schedule', 'tz', 'sources']);
    assert.deepEqual(Object.keys(await get({ key: readOnlyKey })), [
      ...COMMON,
      'unique_key',
      'schedule',
      'tz',
    ]);
  });

  test('the unique key follows from the UUID', async () => {
    const { get, readOnlyKey } = await givenCheck({ uuid: '31365bce-8da9-4729-8ff3-aaa71d56b712' });
    const unique = 'a6c7b0a8a66bed0df66abfdab3c77736861703ee';

    assert.equal((await get({ key: readOnlyKey })).unique_key, unique);
    assert.equal((await get({ id: unique })).uuid, '31365bce-8da9-4729-8ff3-aaa71d56b712');
  });

  test('an upper-cased unique key names no check', async () => {
    const { key, check } = await givenCheck();

    const reply = await app().request('GET', `/api/v3/checks/${check.uniqueKey.toUpperCase()}`, { key });

    assertError(reply, 404, 'check not found');
  });

  test('times have whole seconds, cut and not rounded', async () => {
    const { get } = await givenCheck({ status: 'up', lastPingAt: at('2024-03-01T11:02:03.987654Z') });

    assert.deepEqual(pick(await get(), ['last_ping', 'next_ping']), {
      last_ping: '2024-03-01T11:02:03+00:00',
      next_ping: '2024-03-02T11:02:03+00:00',
    });
  });

  test('the last duration has whole seconds and is absent when there is none', async () => {
    const rows: [micros: number | null, expected: number | undefined][] = [
      [5_900_000, 5],
      [500, 0],
      [0, undefined],
      [null, undefined],
    ];
    for (const [lastDuration, expected] of rows) {
      const { get, readOnlyKey } = await givenCheck({ lastDuration });
      for (const answer of [await get(), await get({ key: readOnlyKey })]) {
        assert.equal(answer.last_duration, expected);
        assert.equal('last_duration' in answer, expected !== undefined);
      }
    }
  });

  test('the last duration stands after badge_url', async () => {
    const { get } = await givenCheck({ lastDuration: seconds(300) });

    assert.deepEqual(Object.keys(await get()), [
      ...COMMON,
      'last_duration',
      ...ADDRESSES,
      'timeout',
      'sources',
    ]);
  });

  const timed: { name: string; check: Partial<Check>; seen: [when: string, status: Status][] }[] = [
    {
      name: 'a simple check is up, then in grace, then down',
      check: { timeoutSeconds: 3_600, graceSeconds: 900, lastPingAt: at('2024-03-01T12:00:00Z') },
      seen: [
        ['2024-03-01T12:59:59Z', 'up'],
        ['2024-03-01T12:59:59.999999Z', 'up'],
        ['2024-03-01T13:00:00Z', 'grace'],
        ['2024-03-01T13:14:59Z', 'grace'],
        ['2024-03-01T13:15:00Z', 'down'],
      ],
    },
    {
      name: 'a cron check goes by its schedule',
      check: { kind: 'cron', schedule: '0 0 * * *', lastPingAt: at('2000-01-01T00:00Z') },
      seen: [
        ['2000-01-01T23:59Z', 'up'],
        ['2000-01-02T00:00Z', 'grace'],
        ['2000-01-02T01:00Z', 'down'],
      ],
    },
    {
      name: 'an OnCalendar check goes by its schedule',
      check: { kind: 'oncalendar', schedule: '00:00', lastPingAt: at('2000-01-01T00:00Z') },
      seen: [
        ['2000-01-01T23:59Z', 'up'],
        ['2000-01-02T00:00Z', 'grace'],
        ['2000-01-02T01:00Z', 'down'],
      ],
    },
    {
      name: 'a schedule is meant in the zone of the check',
      check: {
        kind: 'cron',
        schedule: '0 10 * * *',
        tz: 'Australia/Brisbane',
        lastPingAt: at('2000-01-01T00:00Z'),
      },
      seen: [
        ['2000-01-01T23:59Z', 'up'],
        ['2000-01-02T00:00Z', 'grace'],
        ['2000-01-02T01:00Z', 'down'],
      ],
    },
    {
      name: 'an hourly check keeps its hour while clocks go back',
      check: {
        kind: 'cron',
        schedule: '15 * * * *',
        tz: 'Europe/Riga',
        graceSeconds: 300,
        lastPingAt: at('2023-10-29T00:55Z'),
      },
      seen: [
        ['2023-10-29T01:05Z', 'up'],
        ['2023-10-29T01:15Z', 'grace'],
        ['2023-10-29T01:20Z', 'down'],
      ],
    },
    {
      name: 'a schedule without another run leaves the check up for ever',
      check: { kind: 'oncalendar', schedule: '2019-01-01', lastPingAt: at('2020-01-01T00:00Z') },
      seen: [
        ['2020-01-01T00:00Z', 'up'],
        ['2120-01-01T00:00Z', 'up'],
      ],
    },
  ];
  for (const { name, check, seen } of timed) {
    test(name, async () => {
      const { get } = await givenCheck({ status: 'up', ...check });

      for (const [when, status] of seen) {
        app().clock.set(at(when));
        assert.equal((await get()).status, status, when);
      }
    });
  }

  test('the next ping is the next run after the last ping, if there is one', async () => {
    const rows: [check: Partial<Check>, nextPing: string | null][] = [
      [
        { kind: 'cron', schedule: '0 * * * *', lastPingAt: at('2000-01-01T00:00Z') },
        '2000-01-01T01:00:00+00:00',
      ],
      [
        {
          kind: 'cron',
          schedule: '15 * * * *',
          tz: 'Europe/Riga',
          lastPingAt: at('2023-10-29T00:55Z'),
        },
        '2023-10-29T01:15:00+00:00',
      ],
      [{ kind: 'oncalendar', schedule: '2019-01-01', lastPingAt: at('2020-01-01T00:00Z') }, null],
    ];
    for (const [check, nextPing] of rows) {
      const { get } = await givenCheck({ status: 'up', ...check });
      assert.equal((await get()).next_ping, nextPing);
    }
  });

  test('an open run shows in the status by version, in started and in the next ping', async () => {
    const recent = START - seconds(300);
    const old = START - seconds(7_200);
    const rows: [Check['status'], lastStartAt: Instant, v3: string, v1: string, nextPing: string | null][] = [
      ['new', recent, 'new', 'started', '2024-03-01T11:55:00+00:00'],
      ['new', old, 'down', 'down', '2024-03-01T10:00:00+00:00'],
      ['up', recent, 'up', 'started', '2024-03-01T11:55:00+00:00'],
      ['up', old, 'down', 'down', '2024-03-01T10:00:00+00:00'],
      ['down', recent, 'down', 'started', null],
      ['down', old, 'down', 'down', null],
    ];
    for (const [status, lastStartAt, v3, v1, nextPing] of rows) {
      const { get } = await givenCheck({ status, lastPingAt: START - seconds(1_800), lastStartAt });
      for (const [version, expected] of [v1, v3, v3].entries()) {
        const answer = await get({ version: version + 1 });
        assert.deepEqual(
          pick(answer, ['status', 'started', 'next_ping']),
          { status: expected, started: true, next_ping: nextPing },
          `${status}, v${version + 1}`,
        );
      }
    }
  });

  test('a new check whose run is overdue is down and still started', async () => {
    const { check, get } = await givenCheck();
    await app().receive(check, 'start');
    app().clock.advance({ hours: 1 });

    assert.deepEqual(pick(await get(), ['status', 'started', 'last_ping', 'next_ping']), {
      status: 'down',
      started: true,
      last_ping: null,
      next_ping: '2024-03-01T12:00:00+00:00',
    });
  });

  test('only a success of another run leaves the open one running', async () => {
    const rows: [signal: 'success' | 'fail', rid: string | undefined, started: boolean, duration?: number][] =
      [
        ['success', B, true],
        ['fail', B, false],
        ['success', undefined, false],
        ['fail', undefined, false],
        ['success', A, false, 60],
        ['fail', A, false, 60],
      ];
    for (const [signal, rid, started, duration] of rows) {
      app().clock.set(START);
      const { check, get } = await givenCheck({ lastDuration: seconds(7) });
      await app().receive(check, 'start', A);
      app().clock.advance({ minutes: 1 });
      await app().receive(check, signal, rid);

      const answer = await get();

      assert.deepEqual(
        pick(answer, ['status', 'started', 'n_pings', 'last_ping', 'last_duration']),
        {
          status: signal === 'success' ? 'up' : 'down',
          started,
          n_pings: 2,
          last_ping: '2024-03-01T12:01:00+00:00',
          last_duration: duration,
        },
        `${signal} ${rid}`,
      );
    }
  });
});
