import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { NO_RUN_FACTS, type Ping } from '../../domain/ping/ping.ts';
import { pingJson } from './ping-output.ts';

const URL = 'http://testserver/api/v3/checks/31365bce-8da9-4729-8ff3-aaa71d56b712';

const PING: Ping = {
  checkId: 1,
  n: 7,
  createdAt: 1_585_058_523_987_654,
  occurredAt: null,
  ...NO_RUN_FACTS,
  signal: 'fail',
  scheme: 'https',
  method: 'POST',
  remoteAddr: '192.0.2.7',
  userAgent: 'curl/8.5.0',
  rid: '9f2a3a37-1f4d-4a3b-8a44-000000000001',
  exitStatus: 3,
  bodySize: 12,
};

test('a ping lists its fields in the order that clients know, without the exit status', () => {
  assert.equal(
    JSON.stringify(pingJson({ ping: PING, duration: 3_456_000 }, URL)),
    JSON.stringify({
      type: 'fail',
      date: '2020-03-24T14:02:03.987654+00:00',
      n: 7,
      scheme: 'https',
      remote_addr: '192.0.2.7',
      method: 'POST',
      ua: 'curl/8.5.0',
      rid: '9f2a3a37-1f4d-4a3b-8a44-000000000001',
      body_url: `${URL}/pings/7/body`,
      duration: 3.46,
    }),
  );
});

test('what a ping does not have is null, except its duration, which is absent', () => {
  const ping: Ping = { ...PING, remoteAddr: null, rid: null, bodySize: 0 };

  const json = pingJson({ ping, duration: null }, URL);

  assert.deepEqual([json.remote_addr, json.rid, json.body_url], [null, null, null]);
  assert.equal('duration' in json, false);
});

test('a late ping says last when the thing happened', () => {
  const json = pingJson({ ping: { ...PING, occurredAt: PING.createdAt - 1_000_000 }, duration: 1 }, URL);

  assert.equal(Object.keys(json).at(-1), 'occurred');
  assert.equal(json.occurred, '2020-03-24T14:02:02.987654+00:00');
});

suite('the duration of a run', () => {
  const rows: [micros: number, seconds: number][] = [
    [0, 0],
    [1, 0],
    [4_999, 0],
    [5_000, 0],
    [5_001, 0.01],
    [14_999, 0.01],
    [15_000, 0.02],
    [25_000, 0.02],
    [25_001, 0.03],
    [3_456_000, 3.46],
    [120_000_000, 120],
    [259_199_999_999, 259_200],
    [1_005_000, 1],
    [1_015_000, 1.02],
    [2_675_000, 2.68],
  ];
  for (const [micros, expected] of rows) {
    test(`${micros} µs are ${expected} s: halves go to the even hundredth`, () => {
      assert.equal(pingJson({ ping: PING, duration: micros }, URL).duration, expected);
    });
  }
});
