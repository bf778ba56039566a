import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_EXCHANGE } from '../../domain/alert/delivery.ts';
import { deliveryJson, type ShownDelivery, testMessageJson } from './delivery-output.ts';

/** 2024-03-01T12:00:00Z. */
const AT = 1_709_294_400_000_000;

const OPEN: ShownDelivery = {
  id: 7,
  uuid: '7c5f1c1e-2f0b-4a2e-9d38-5b3d8a1f6c90',
  checkId: 1,
  channelId: 2,
  flipId: 3,
  accountId: 4,
  messageId: null,
  ordinal: 0,
  why: '',
  channelUuid: '1bdea468-03bf-47b8-ab27-29a9dd0e4b94',
  channelName: 'On call',
  channelKind: 'email',
  status: 'down',
  state: 'open',
  attemptCount: 1,
  nextAttemptAt: AT + 10_000_001,
  leasedUntilAt: null,
  error: 'Connection failed',
  createdAt: AT,
  finishedAt: null,
  attempts: [
    {
      deliveryId: 7,
      n: 1,
      startedAt: AT + 1,
      duration: 1_234_567,
      error: 'Connection failed',
      ...NO_EXCHANGE,
    },
  ],
};

test('a delivery has its fields in a fixed order, and none of its numbers in the database', () => {
  assert.equal(
    JSON.stringify(deliveryJson(OPEN, 3)),
    JSON.stringify({
      id: '7c5f1c1e-2f0b-4a2e-9d38-5b3d8a1f6c90',
      channel: { id: '1bdea468-03bf-47b8-ab27-29a9dd0e4b94', name: 'On call', kind: 'email' },
      status: 'down',
      state: 'open',
      created: '2024-03-01T12:00:00.000000+00:00',
      finished: null,
      next_attempt: '2024-03-01T12:00:10.000001+00:00',
      error: 'Connection failed',
      attempts: [
        { n: 1, date: '2024-03-01T12:00:00.000001+00:00', duration: 1.235, error: 'Connection failed' },
      ],
    }),
  );
});

test('a delivery that is over has its end and no next attempt', () => {
  const shown = deliveryJson({ ...OPEN, state: 'delivered', nextAttemptAt: null, finishedAt: AT + 5 }, 3);

  assert.deepEqual([shown.finished, shown.next_attempt], ['2024-03-01T12:00:00.000005+00:00', null]);
});

const durations: [micros: number, seconds: number][] = [
  [0, 0],
  [499, 0],
  [500, 0.001],
  [30_000_000, 30],
  [29_999_600, 30],
];
for (const [micros, seconds] of durations) {
  test(`${micros} microseconds are ${seconds} seconds`, () => {
    const attempts = [{ deliveryId: 7, n: 1, startedAt: AT, duration: micros, error: '', ...NO_EXCHANGE }];

    assert.equal(deliveryJson({ ...OPEN, attempts }, 3).attempts[0]?.duration, seconds);
  });
}

test('a test message that was taken has no error', () => {
  assert.equal(JSON.stringify(testMessageJson(null, null)), '{"ok":true}');
  assert.equal(JSON.stringify(testMessageJson('no-op', null)), '{"ok":false,"error":"no-op"}');
});

test('a planned delivery says at the end what it is and why, in version 3 alone', () => {
  for (const [why, event, because] of [
    ['assigned', 'first', ['assigned']],
    ['assigned step', 'first', ['assigned', 'step']],
    ['step together', 'step', ['step', 'together']],
    ['again', 'again', ['again']],
    ['further_failure newer', 'further_failure', ['further_failure']],
  ] as const) {
    const told = deliveryJson({ ...OPEN, why }, 3);
    assert.deepEqual(Object.entries(told).slice(-2), [
      ['event', event],
      ['because', because],
    ]);
    for (const version of [1, 2] as const)
      assert.deepEqual(deliveryJson({ ...OPEN, why }, version), deliveryJson(OPEN, version));
  }
});
