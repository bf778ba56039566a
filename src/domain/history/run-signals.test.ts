import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck } from '../check/check.test-support.ts';
import type { Signal } from '../ping/ping.ts';
import { joinSignals } from './run-signals.ts';

const A = '00000000-0000-4000-8000-00000000000a';
const B = '00000000-0000-4000-8000-00000000000b';

/** Pings as a text such as `start:a log:a success:a`, a minute apart. Their numbers, joined. */
function joined(text: string, check = aCheck()): string[] {
  const rids: Readonly<Record<string, string>> = { a: A, b: B };
  const pings = text.split(' ').map((word, index) => {
    const [signal = '', rid = ''] = word.split(':');
    const createdAt = seconds(60 * (index + 1));
    const at = { createdAt, occurredAt: null };
    return { n: index + 1, ...at, signal: signal as Signal, rid: rids[rid] ?? null, exitStatus: null };
  });
  const found = joinSignals({ check, pings, flips: [], now: seconds(3_600) });
  return found.map(({ run, signals }) => `${run?.result ?? '-'} ${signals.map(({ n }) => n).join(',')}`);
}

suite('signals of a check', () => {
  for (const [what, pings, expected] of [
    ['without a start stand alone', 'success fail', ['ok 1', 'failed 2']],
    ['of a run are joined', 'start log success', ['ok 1,2,3']],
    [
      'of runs that overlap are joined by their ids',
      'start:a start:b log:a success:b fail:a',
      ['ok 2,4', 'failed 1,3,5'],
    ],
    ['of another id do not belong', 'start:a success success:a', ['ok 2', 'ok 1,3']],
    ['that are ignored belong to no run', 'start ign success', ['- 2', 'ok 1,3']],
    ['of a start that was repeated belong to the last one', 'start start success', ['- 1', 'ok 2,3']],
    ['after an end belong to no run', 'start success log', ['ok 1,2', '- 3']],
    ['of a run whose first sign is progress are joined', 'progress:a log:a success:a', ['ok 1,2,3']],
  ] as const) {
    test(`${what}`, () => assert.deepEqual(joined(pings), expected));
  }

  test('of a run that is not over are joined, too', () => {
    const check = aCheck({ status: 'up', lastStartAt: seconds(60), lastPingAt: 0 });

    assert.deepEqual(joined('start log', check), ['running 1,2']);
  });

  const ping = (
    n: number,
    signal: Signal,
    createdAt: number,
    occurredAt: number | null,
    rid: string | null = null,
  ) => ({
    ...{ n, signal, rid, exitStatus: null, createdAt: seconds(createdAt) },
    occurredAt: occurredAt === null ? null : seconds(occurredAt),
  });

  test('of an old result that the check ignores are not those of the run under way', () => {
    const pings = [
      ping(1, 'start', 0, null),
      ping(2, 'success', 20, null, A),
      ping(3, 'success', 30, 18),
      ping(4, 'log', 35, null),
      ping(5, 'success', 40, null),
    ];

    const found = joinSignals({ check: aCheck(), pings, flips: [], now: seconds(3_600) });
    assert.deepEqual(
      found.map(({ signals }) => signals.map(({ n }) => n)),
      [[2], [3], [1, 4, 5]],
    );
  });

  test('of a run that was reported late are joined while another one is under way', () => {
    const pings = [
      ping(1, 'start', 200, null),
      ping(2, 'start', 201, 150),
      ping(3, 'success', 201, 155),
      ping(4, 'log', 210, null),
      ping(5, 'success', 230, null),
    ];

    const found = joinSignals({ check: aCheck(), pings, flips: [], now: seconds(3_600) });
    assert.deepEqual(
      found.map(({ signals }) => signals.map(({ n }) => n)),
      [
        [2, 3],
        [1, 4, 5],
      ],
    );
  });
});
