import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import type { ForeseenMessage } from '../policy/foresight.ts';
import { aRecipient } from '../policy/policy.test-support.ts';
import type { MessageEvent } from '../policy/reasons.ts';
import type { Answer } from './answer.ts';
import { type FuseFacts, fuseOf } from './fuse.ts';
import type { Run } from './run.ts';
import { tellStatus } from './status-sentence.ts';

type Told = FuseFacts['deliveries'][number];

function stations(
  overrides: Partial<Check>,
  given: {
    flip?: Partial<Flip>;
    runs?: readonly Run[];
    deliveries?: readonly Told[];
    answer?: Answer;
    coming?: FuseFacts['coming'];
    ifDown?: FuseFacts['ifDown'];
  } = {},
): string[] {
  const check = aCheck(overrides);
  const { runs = [], deliveries = [], answer = null, coming = [], ifDown = null } = given;
  const flip = given.flip
    ? { createdAt: NOW, newStatus: 'down' as const, reason: 'timeout' as const, ...given.flip }
    : null;
  const story = tellStatus({ check, flip, runs, now: NOW });
  const found = fuseOf({ check, story, runs, deliveries, answer, coming, ifDown, now: NOW });
  return found.map((one) => {
    const away = Math.round((one.at - NOW) / MINUTE);
    const more =
      'told' in one
        ? ` ${one.told}/${one.waiting}/${one.missed}`
        : 'channels' in one
          ? ` ${one.channels}`
          : 'attempt' in one
            ? ` ${one.attempt}`
            : '';
    return `${one.kind}${more} ${away}`;
  });
}

const DELIVERED: Told = {
  ...{ channelUuid: 'a', ordinal: 0, state: 'delivered', attemptCount: 1, nextAttemptAt: null },
  finishedAt: NOW - 59 * MINUTE,
};

suite('the way of a check', () => {
  test('that is up leads from its last ping to the next run and to the moment it goes down', () => {
    assert.deepEqual(stations({ status: 'up', lastPingAt: NOW - HOUR }), [
      'last_ping -60',
      'due 1380',
      'goes_down 1440',
    ]);
  });

  test('that is told later than at once leads to those who are told first', () => {
    const up = { status: 'up', lastPingAt: NOW - HOUR } as const;
    const ifDown = { at: NOW + 1455 * MINUTE, channels: ['b'], misses: 0 };

    assert.deepEqual(stations(up, { ifDown }).slice(-2), ['goes_down 1440', 'tells b 1455']);
    const atOnce = { ...ifDown, at: NOW + 1440 * MINUTE };
    assert.equal(stations(up, { ifDown: atOnce }).at(-1), 'goes_down 1440');
  });

  test('that is late has the expected run behind it', () => {
    assert.deepEqual(stations({ status: 'up', lastPingAt: NOW - DAY - 10 * MINUTE }), [
      'last_ping -1450',
      'expected -10',
      'goes_down 50',
    ]);
  });

  test('that is silent leads to those who were told, and to the next try', () => {
    const retried = {
      ...DELIVERED,
      channelUuid: 'b',
      state: 'open' as const,
      attemptCount: 5,
      nextAttemptAt: NOW + MINUTE,
    };
    const givenUp = { ...DELIVERED, channelUuid: 'c', state: 'given_up' as const };
    const lastPingAt = NOW - DAY - 2 * HOUR;

    assert.deepEqual(
      stations(
        { status: 'down', lastPingAt, lastFlipAt: NOW - HOUR },
        {
          flip: { createdAt: NOW - HOUR },
          deliveries: [DELIVERED, { ...retried, finishedAt: null }, givenUp],
        },
      ),
      ['last_ping -1560', 'expected -120', 'down -60', 'told a/b/c -59', 'retry 6 1'],
    );
  });

  test('that has failed begins with the failure, and leads to the next run', () => {
    const failed: Run = {
      ...{ result: 'failed', at: NOW - HOUR, startedAt: null, endedAt: NOW - HOUR, duration: null },
      ...{ startN: null, endN: 1, exitStatus: 2, expectedAt: null, count: 0, listed: [] },
    };

    assert.deepEqual(
      stations(
        { status: 'down', lastPingAt: NOW - HOUR },
        { flip: { createdAt: NOW - HOUR, reason: 'fail' }, runs: [failed] },
      ),
      ['failed -60', 'due 1380'],
    );
  });

  test('that runs leads to its usual end and to its limit', () => {
    const before: Run = {
      ...{ result: 'ok', at: NOW - DAY, startedAt: NOW - DAY - 20 * MINUTE, endedAt: NOW - DAY },
      ...{
        duration: 20 * MINUTE,
        startN: 1,
        endN: 2,
        exitStatus: null,
        expectedAt: null,
        count: 0,
        listed: [],
      },
    };

    assert.deepEqual(
      stations({ status: 'up', lastPingAt: NOW - HOUR, lastStartAt: NOW - 5 * MINUTE }, { runs: [before] }),
      ['last_ping -60', 'started -5', 'usually_done 15', 'goes_down 55', 'due 1380'],
    );
  });

  test('that runs beyond its time should have finished, and the run is not told to be missing', () => {
    const late = {
      status: 'up',
      lastPingAt: NOW - DAY - 5 * MINUTE,
      lastStartAt: NOW - 30 * MINUTE,
    } as const;

    assert.deepEqual(stations(late), ['last_ping -1445', 'started -30', 'should_finish -5', 'goes_down 30']);
  });

  test('that is paused ends there, and of a new one there is nothing to tell', () => {
    const flip = { createdAt: NOW - HOUR, newStatus: 'paused', reason: '' } as const;

    assert.deepEqual(stations({ status: 'paused', lastPingAt: NOW - DAY }, { flip }), [
      'last_ping -1440',
      'paused -60',
    ]);
    assert.deepEqual(stations({}), []);
  });

  test('that is down names who has it, and the end of the silence', () => {
    const down = { status: 'down', lastPingAt: NOW - 26 * HOUR } as const;
    const plain = { by: null, at: null, until: null, gate: null };
    const given = (answer: Answer) => ({ flip: { createdAt: NOW - HOUR }, deliveries: [DELIVERED], answer });
    const taken = { ...plain, kind: 'acknowledged', by: 'Anna', at: NOW - 30 * MINUTE } as const;
    assert.deepEqual(stations(down, given(taken)).slice(-2), ['told a// -59', 'acknowledged -30']);
    assert.equal(stations(down, given({ ...taken, until: NOW + HOUR })).at(-1), 'acknowledged_until 60');
    const snoozed = { ...plain, kind: 'snoozed', until: NOW + HOUR } as const;
    assert.equal(stations(down, given(snoozed)).at(-1), 'snoozed_until 60');
  });

  test('that is told by a policy leads to the next repeat and to those that are told next', () => {
    const down = { status: 'down', lastPingAt: NOW - 26 * HOUR } as const;
    const message = (id: number, event: MessageEvent, minutes: number): ForeseenMessage => ({
      ...{ recipient: aRecipient(id), flipId: 7, status: 'down', event, ordinal: 0, because: [] },
      at: NOW + minutes * MINUTE,
    });
    const repeat = { ...DELIVERED, ordinal: 2, finishedAt: NOW - 5 * MINUTE };
    const coming = [
      message(1, 'again', 25),
      message(2, 'again', 25),
      message(3, 'step', 40),
      message(1, 'again', 55),
    ];

    const flip = { createdAt: NOW - HOUR };
    assert.deepEqual(
      stations(down, { flip, deliveries: [DELIVERED, { ...repeat, ordinal: 1 }, repeat], coming }).slice(-4),
      ['told a// -59', 'told_again a -5', 'again channel-1,channel-2 25', 'then channel-3 40'],
    );
    assert.equal(stations(down, { flip, coming: [message(1, 'first', 15)] }).at(-1), 'tells channel-1 15');
  });
});
