import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, inputOf, pauseUntilEdge, type QuietTime, stateAt } from './quiet-times.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();

const quietTime = (overrides: Partial<QuietTime>): QuietTime => ({
  ...{ uuid: 'q', name: 'deploy', reason: '', made_by: 'alice', state: 'running', isWhole: true, covered: 3 },
  ...{ from: at(-1), until: at(1), schedule: null, tz: null, duration: 7_200, words: null, tags: '' },
  checks: [],
  ...overrides,
});

const weekly = { schedule: 'Sun 01:00', tz: 'Europe/Riga', words: 'On Sunday at 01:00' };

test('a quiet time goes on while the page is open: it begins, ends, and comes again', () => {
  const one = quietTime({});

  assert.deepEqual(
    [-1.5, -1, 0, 1].map((hours) => stateAt(one, NOW + hours * 3_600_000)),
    ['coming', 'running', 'running', 'over'],
  );
  assert.equal(stateAt(quietTime(weekly), NOW + 3_600_000), 'coming');
  assert.equal(stateAt(quietTime({ ...weekly, from: null, until: null }), NOW), 'coming');
});

test('running ones come first, then those that come once, then those that come again', () => {
  const named = (name: string, overrides: Partial<QuietTime>) => quietTime({ name, ...overrides });
  const all = [
    named('weekly', { ...weekly, from: at(2), until: at(3) }),
    named('later', { from: at(48), until: at(49) }),
    named('soon', { from: at(1), until: at(2) }),
    named('over', { until: at(-0.1) }),
    named('long', { until: at(9) }),
    named('now', {}),
    named('nightly, now', { ...weekly, until: at(2) }),
  ];

  assert.deepEqual(
    inOrder(all, NOW).map(({ name }) => name),
    ['now', 'nightly, now', 'long', 'soon', 'later', 'weekly'],
  );
});

test('the list is read again when the next one begins or ends, and not without end', () => {
  assert.equal(pauseUntilEdge([quietTime({ until: at(0.1) }), quietTime({ from: at(2) })], NOW), 361_000);
  assert.equal(pauseUntilEdge([quietTime({ until: at(100) })], NOW), 600_000);
  assert.equal(pauseUntilEdge([quietTime({ from: null, until: null })], NOW), false);
  assert.equal(pauseUntilEdge([], NOW), false);
});

test('what is taken back is sent as it was, and never becomes one of the whole project', () => {
  const checks = [{ key: 'k', uuid: 'c', name: 'shop' }];
  const second = NOW / 1_000;
  const about = { name: 'deploy', reason: '' };

  assert.deepEqual(inputOf(quietTime({ isWhole: false, checks })), {
    ...{ ...about, tags: '', checks: ['c'], from: second - 3_600, until: second + 3_600 },
  });
  assert.deepEqual(inputOf(quietTime({ ...weekly, isWhole: false, tags: 'web', duration: 14_400 })), {
    ...{ ...about, tags: 'web', checks: [], schedule: 'Sun 01:00', tz: 'Europe/Riga', duration: 14_400 },
  });
  assert.equal(inputOf(quietTime({ isWhole: false })), null);
});
