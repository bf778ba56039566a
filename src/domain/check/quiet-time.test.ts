import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withQuietTime } from '../ping/transition.ts';
import { aCheck, at, DAY, HOUR, MINUTE } from './check.test-support.ts';
import { Coverage, type QuietTime, quietSpanAt, rememberingSpans, spanAfter } from './quiet-time.ts';
import { deadlineOf, expectedAt, statusAt } from './status.ts';

const once = (from: string, until: string) => ({
  ...{ fromAt: at(from), untilAt: at(until), schedule: '', tz: 'UTC', durationSeconds: 0 },
});

const sundays = {
  ...{ fromAt: 0, untilAt: null, schedule: 'Sun 01:00', tz: 'Europe/Riga', durationSeconds: 14_400 },
};

const daily = (overrides = {}) =>
  aCheck({
    ...{ kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3600, status: 'up' },
    lastPingAt: at('2026-03-03T03:10Z'),
    ...overrides,
  });

const span = (from: string, until: string) => ({ from: at(from), until: at(until) });

describe('an expected run in a quiet time', () => {
  test('of a schedule is not expected: the first one after it is', () => {
    const check = withQuietTime(
      daily(),
      span('2026-03-04T02:00Z', '2026-03-04T05:00Z'),
      at('2026-03-04T01:59Z'),
    );
    assert.equal(expectedAt(check), at('2026-03-05T03:00Z'));
    assert.equal(check.deadlineAt, at('2026-03-05T04:00Z'));
    assert.equal(statusAt(check, at('2026-03-04T12:00Z')), 'up');
  });

  test('is expected if it is due at the very end', () => {
    const check = withQuietTime(
      daily(),
      span('2026-03-04T02:00Z', '2026-03-04T03:00Z'),
      at('2026-03-04T02:00Z'),
    );
    assert.equal(expectedAt(check), at('2026-03-04T03:00Z'));
  });

  test('of a simple check is expected at its end', () => {
    const lastPingAt = at('2026-03-03T03:00Z');
    const check = withQuietTime(
      aCheck({ status: 'up', lastPingAt }),
      span('2026-03-04T02:00Z', '2026-03-04T05:00Z'),
      at('2026-03-04T02:00Z'),
    );
    assert.equal(expectedAt(check), at('2026-03-04T05:00Z'));
    assert.equal(check.deadlineAt, at('2026-03-04T06:00Z'));
  });
});

describe('a deadline in a quiet time', () => {
  test('of a run that was expected before is put off to its end and the tolerance', () => {
    const check = withQuietTime(
      daily(),
      span('2026-03-04T03:30Z', '2026-03-04T05:00Z'),
      at('2026-03-04T03:30Z'),
    );
    assert.equal(expectedAt(check), at('2026-03-04T03:00Z'));
    assert.equal(check.deadlineAt, at('2026-03-04T06:00Z'));
  });

  test('of an open run is put off to its end and the limit', () => {
    const lastStartAt = at('2026-03-04T03:00Z');
    const running = daily({ lastStartAt, runRules: '{"end_within":1800}' });
    const check = withQuietTime(
      running,
      span('2026-03-04T03:10Z', '2026-03-04T05:00Z'),
      at('2026-03-04T03:10Z'),
    );
    assert.equal(check.deadlineAt, at('2026-03-04T05:30Z'));
  });

  test('stays where it is if it has passed before', () => {
    const check = withQuietTime(
      daily(),
      span('2026-03-04T04:00:01Z', '2026-03-04T05:00Z'),
      at('2026-03-04T04:00:01Z'),
    );
    assert.equal(check.deadlineAt, at('2026-03-04T04:00Z'));
  });
});

describe('a quiet time that ends early', () => {
  const covered = withQuietTime(
    daily(),
    span('2026-03-04T03:30Z', '2026-03-04T08:00Z'),
    at('2026-03-04T03:30Z'),
  );

  test('leaves the tolerance from then on', () => {
    const check = withQuietTime(covered, null, at('2026-03-04T05:00Z'));
    assert.equal(check.deadlineAt, at('2026-03-04T06:00Z'));
  });

  test('before it has begun leaves no trace', () => {
    const early = withQuietTime(
      daily(),
      span('2026-03-04T02:00Z', '2026-03-04T08:00Z'),
      at('2026-03-04T01:59:30Z'),
    );
    assert.deepEqual(withQuietTime(early, null, at('2026-03-04T01:59:40Z')), daily());
  });

  test('is not touched once it is over', () => {
    assert.equal(withQuietTime(covered, null, at('2026-03-04T09:00Z')), covered);
  });
});

test('what a quiet time has put off stays put off when another one comes', () => {
  const first = withQuietTime(
    daily(),
    span('2026-03-04T02:00Z', '2026-03-04T05:00Z'),
    at('2026-03-04T02:00Z'),
  );
  const second = withQuietTime(
    first,
    span('2026-03-04T20:00Z', '2026-03-04T21:00Z'),
    at('2026-03-04T20:00Z'),
  );
  assert.equal(deadlineOf(second), at('2026-03-05T04:00Z'));
});

test('a run that one quiet time has put off is not expected in the next one either', () => {
  const hourly = daily({ schedule: '0 * * * *', lastPingAt: at('2026-03-04T02:10Z') });
  const first = withQuietTime(
    hourly,
    span('2026-03-04T02:50Z', '2026-03-04T03:10Z'),
    at('2026-03-04T02:50Z'),
  );
  const second = withQuietTime(
    first,
    span('2026-03-04T03:50Z', '2026-03-04T04:10Z'),
    at('2026-03-04T03:50Z'),
  );
  assert.deepEqual(
    [first, second].map(({ deadlineAt }) => deadlineAt),
    [at('2026-03-04T05:00Z'), at('2026-03-04T06:00Z')],
  );
});

test('a quiet time that follows another one without a gap goes on with it', () => {
  const first = withQuietTime(
    daily(),
    span('2026-03-04T02:00Z', '2026-03-04T05:00Z'),
    at('2026-03-04T02:00Z'),
  );
  const both = withQuietTime(first, span('2026-03-04T05:00Z', '2026-03-04T06:00Z'), at('2026-03-04T05:00Z'));
  assert.deepEqual([both.quietFromAt, both.quietUntilAt], [at('2026-03-04T02:00Z'), at('2026-03-04T06:00Z')]);
});

describe('the spans of a quiet time', () => {
  for (const [name, from] of [
    ['in spring, when an hour is left out', '2026-03-28T23:00Z'],
    ['in autumn, when an hour comes twice', '2026-10-24T22:00Z'],
  ] as const)
    test(`last four hours ${name}`, () => {
      assert.deepEqual(spanAfter(sundays, at(from) - DAY), { from: at(from), until: at(from) + 4 * HOUR });
    });

  test('include the one that has begun already', () => {
    assert.deepEqual(spanAfter(sundays, at('2026-03-08T02:00Z'))?.from, at('2026-03-07T23:00Z'));
  });

  test('do not include one that began before it was stopped', () => {
    const stopped = { ...sundays, fromAt: at('2026-03-08T01:30Z') };
    assert.equal(spanAfter(stopped, at('2026-03-08T01:30Z'))?.from, at('2026-03-14T23:00Z'));
  });

  test('that overlap are one', () => {
    const spans = [
      once('2026-03-04T02:00Z', '2026-03-04T04:00Z'),
      once('2026-03-04T03:00Z', '2026-03-04T05:00Z'),
      once('2026-03-04T05:00Z', '2026-03-04T06:00Z'),
      once('2026-03-04T06:00:01Z', '2026-03-04T07:00Z'),
    ];
    assert.deepEqual(
      quietSpanAt(spans, at('2026-03-04T03:30Z')),
      span('2026-03-04T02:00Z', '2026-03-04T06:00Z'),
    );
  });

  test('cover checks from a minute before', () => {
    const spans = [once('2026-03-04T02:00Z', '2026-03-04T04:00Z')];
    assert.equal(quietSpanAt(spans, at('2026-03-04T02:00Z') - MINUTE - 1), null);
    assert.equal(quietSpanAt(spans, at('2026-03-04T02:00Z') - MINUTE)?.from, at('2026-03-04T02:00Z'));
    assert.equal(quietSpanAt(spans, at('2026-03-04T04:00Z')), null);
  });
});

test('a quiet time covers the checks that it names, those with one of its tags, or all', () => {
  const check = { id: 7, tags: 'prod web' };
  const scope = (checkIds: number[], tags: string): Pick<QuietTime, 'checkIds' | 'tags'> => ({
    checkIds,
    tags,
  });
  const covered = (...all: Pick<QuietTime, 'checkIds' | 'tags'>[]) => new Coverage(all).of(check);
  const [project, named, other, tagged, part] = [
    scope([], ''),
    scope([7], ''),
    scope([8], ''),
    scope([8], 'db web prod'),
    scope([], 'we'),
  ];
  assert.deepEqual(covered(part, tagged, other, named, project), [tagged, named, project]);
  assert.deepEqual(covered(other, part), []);
});

test('many checks with other tags each cost no further look at the schedules', () => {
  const quietTimes = Array.from({ length: 60 }, (_, n) => ({
    ...{ fromAt: 0, untilAt: null, schedule: `*-*-* *:*:${n}`, tz: 'UTC', durationSeconds: 60, n },
  }));
  let looks = 0;
  const spanOf = rememberingSpans((quietTime, after) => {
    looks++;
    return spanAfter(quietTime, after);
  });
  const now = at('2026-03-04T02:00Z');
  const each = (spans: typeof spanAfter) =>
    Array.from({ length: 50 }, (_, check) =>
      quietSpanAt(
        quietTimes.filter(({ n }) => (n * 7 + check) % 3 > 0),
        now,
        spans,
      ),
    );

  assert.deepEqual(each(spanOf), each(spanAfter));

  // Each has a span for each of the minutes that are one.
  assert.ok(looks <= 60 * 30 * 2, `${looks} looks`);
});
