import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../../domain/check/check.test-support.ts';
import type { Check } from '../../domain/check/check.ts';
import { checkJson, type Viewer } from './check-output.ts';

const SITE = {
  root: 'http://testserver',
  pingEndpoint: 'http://ping.testserver/',
  masterBadgeLabel: 'Tocsin',
};
const UUID = '31365bce-8da9-4729-8ff3-aaa71d56b712';

function shown(
  overrides: Partial<Check>,
  viewer: Partial<Viewer> = {},
  channels: readonly string[] = [],
): Record<string, unknown> {
  const standard: Viewer = { seesAddresses: true, version: 3, now: NOW, site: SITE };
  return { ...checkJson(aCheck(overrides), channels, { ...standard, ...viewer }) };
}

const COMMON = [
  ...['name', 'slug', 'tags', 'desc', 'grace', 'n_pings', 'status', 'started', 'last_ping', 'next_ping'],
  ...['manual_resume', 'methods', 'subject', 'subject_fail', 'start_kw', 'success_kw', 'failure_kw'],
  ...['filter_subject', 'filter_body', 'filter_http_body', 'filter_default_fail', 'badge_url'],
];
const ADDRESSES = ['uuid', 'ping_url', 'update_url', 'pause_url', 'resume_url', 'channels'];

suite('the keys of a check', () => {
  const rows: [name: string, check: Partial<Check>, viewer: Partial<Viewer>, keys: string[]][] = [
    ['simple', {}, {}, [...COMMON, ...ADDRESSES, 'timeout']],
    ['cron', { kind: 'cron' }, {}, [...COMMON, ...ADDRESSES, 'schedule', 'tz']],
    [
      'OnCalendar',
      { kind: 'oncalendar', schedule: '12:34' },
      {},
      [...COMMON, ...ADDRESSES, 'schedule', 'tz'],
    ],
    ['simple, read-only', {}, { seesAddresses: false }, [...COMMON, 'unique_key', 'timeout']],
    [
      'cron, read-only',
      { kind: 'cron' },
      { seesAddresses: false },
      [...COMMON, 'unique_key', 'schedule', 'tz'],
    ],
    ['with a duration', { lastDuration: HOUR }, {}, [...COMMON, 'last_duration', ...ADDRESSES, 'timeout']],
  ];
  for (const [name, check, viewer, keys] of rows) {
    test(`stand in the order that clients know: ${name}`, () => {
      assert.deepEqual(Object.keys(shown(check, viewer)), keys);
    });
  }
});

suite('the values of a check', () => {
  test('are those of the check, in the spelling of the API', () => {
    const json = shown(
      {
        name: 'Nightly',
        slug: 'nightly',
        tags: ' a  b ',
        description: 'text',
        graceSeconds: 60,
        pingCount: 12,
        status: 'up',
        lastPingAt: NOW - 987_654,
        manualResume: true,
        methods: 'POST',
        startKeywords: 'S',
        successKeywords: 'OK',
        failureKeywords: 'KO',
        filterSubject: true,
        filterBody: true,
        filterHttpBody: true,
        filterDefaultFail: true,
        lastDuration: 5_900_000,
      },
      {},
      ['a', 'b'],
    );

    assert.deepEqual(json, {
      name: 'Nightly',
      slug: 'nightly',
      tags: ' a  b ',
      desc: 'text',
      grace: 60,
      n_pings: 12,
      status: 'up',
      started: false,
      last_ping: '2024-03-01T11:59:59+00:00',
      next_ping: '2024-03-02T11:59:59+00:00',
      manual_resume: true,
      methods: 'POST',
      subject: 'OK',
      subject_fail: 'KO',
      start_kw: 'S',
      success_kw: 'OK',
      failure_kw: 'KO',
      filter_subject: true,
      filter_body: true,
      filter_http_body: true,
      filter_default_fail: true,
      badge_url: 'http://testserver/b/2/0d9ad3b1-4b0a-4a0e-8d3a-6a3b7f2f9a11.svg',
      last_duration: 5,
      uuid: UUID,
      ping_url: `http://ping.testserver/${UUID}`,
      update_url: `http://testserver/api/v3/checks/${UUID}`,
      pause_url: `http://testserver/api/v3/checks/${UUID}/pause`,
      resume_url: `http://testserver/api/v3/checks/${UUID}/resume`,
      channels: 'a,b',
      timeout: 86_400,
    });
  });

  test('never hold the UUID for a read-only key', () => {
    const json = shown({ lastDuration: HOUR }, { seesAddresses: false });

    assert.equal(json.unique_key, 'a6c7b0a8a66bed0df66abfdab3c77736861703ee');
    assert.ok(!JSON.stringify(json).includes(UUID));
    assert.ok(!JSON.stringify(json).includes(UUID.slice(0, 8)));
  });

  for (const version of [1, 2, 3] as const) {
    test(`name the version they were asked in: ${version}`, () => {
      assert.equal(shown({}, { version }).update_url, `http://testserver/api/v${version}/checks/${UUID}`);
    });
  }

  test('show the older spellings of keywords only while subjects are filtered', () => {
    const { subject, subject_fail } = shown({ successKeywords: 'OK', failureKeywords: 'KO' });

    assert.deepEqual([subject, subject_fail], ['', '']);
  });

  const durations: [micros: number | null, seconds: number | undefined][] = [
    [null, undefined],
    [0, undefined],
    [500, 0],
    [999_999, 0],
    [5_900_000, 5],
    [100 * DAY, 8_640_000],
  ];
  for (const [micros, expected] of durations) {
    test(`a run of ${micros} µs took ${expected} s`, () => {
      assert.equal(shown({ lastDuration: micros }).last_duration, expected);
    });
  }
});

suite('the status while a run is open', () => {
  const lastStart = (minutes: number) => NOW - minutes * MINUTE;
  const iso = { 5: '2024-03-01T11:55:00+00:00', 120: '2024-03-01T10:00:00+00:00' };
  const rows = [
    ['new', 5, 'new', 'started', iso[5]],
    ['new', 120, 'down', 'down', iso[120]],
    ['up', 5, 'up', 'started', iso[5]],
    ['up', 120, 'down', 'down', iso[120]],
    ['down', 5, 'down', 'started', null],
    ['down', 120, 'down', 'down', null],
  ] as const;
  for (const [status, minutes, v3, v1, nextPing] of rows) {
    test(`${status}, started ${minutes} minutes ago, is ${v3}, and ${v1} in version 1`, () => {
      const check: Partial<Check> = {
        status,
        lastPingAt: NOW - 30 * MINUTE,
        lastStartAt: lastStart(minutes),
      };

      const [one, two, three] = ([1, 2, 3] as const).map((version) => shown(check, { version }));

      assert.deepEqual([one?.status, two?.status, three?.status], [v1, v3, v3]);
      assert.deepEqual([one?.next_ping, three?.next_ping], [nextPing, nextPing]);
      assert.deepEqual([one?.started, three?.started], [true, true]);
    });
  }

  test('version 1 says started to the last microsecond before the run is overdue', () => {
    const check: Partial<Check> = { status: 'up', lastPingAt: NOW, lastStartAt: NOW };

    assert.equal(shown(check, { version: 1, now: NOW + HOUR - 1 }).status, 'started');
    assert.equal(shown(check, { version: 1, now: NOW + HOUR }).status, 'down');
  });

  test('a hung run that was reported hides nothing once the check is up again', () => {
    const check: Partial<Check> = {
      status: 'up',
      lastPingAt: NOW,
      lastStartAt: NOW - 2 * HOUR,
      runReported: true,
    };

    const [one, three] = ([1, 3] as const).map((version) => shown(check, { version }));

    assert.deepEqual([one?.status, three?.status], ['up', 'up']);
    assert.equal(three?.started, true);
    assert.equal(three?.next_ping, '2024-03-02T12:00:00+00:00');
  });
});
