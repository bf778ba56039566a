import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromIso, fromTemporal, seconds, toIsoMicros, toIsoSeconds, toTemporal } from './instant.ts';

const AT = 1_585_058_523_987_654;

test('a timestamp of the API has whole seconds, cut and never rounded, with the offset spelled out', () => {
  assert.equal(toIsoSeconds(AT), '2020-03-24T14:02:03+00:00');
  assert.equal(toIsoSeconds(AT + 12_346), '2020-03-24T14:02:04+00:00');
  assert.equal(toIsoSeconds(0), '1970-01-01T00:00:00+00:00');
});

test('a timestamp with microseconds has all six digits', () => {
  assert.equal(toIsoMicros(AT), '2020-03-24T14:02:03.987654+00:00');
  assert.equal(toIsoMicros(AT - 987_654), '2020-03-24T14:02:03.000000+00:00');
  assert.equal(toIsoMicros(AT - 987_653), '2020-03-24T14:02:03.000001+00:00');
  assert.equal(toIsoMicros(AT - 654), '2020-03-24T14:02:03.987000+00:00');
});

test('times before 1970 are cut downwards, too', () => {
  assert.equal(toIsoSeconds(-1), '1969-12-31T23:59:59+00:00');
  assert.equal(toIsoMicros(-1), '1969-12-31T23:59:59.999999+00:00');
});

test('an instant survives the way to Temporal and back', () => {
  for (const instant of [0, 1, -1, AT, -AT, seconds(253_402_300_799)])
    assert.equal(fromTemporal(toTemporal(instant)), instant);
});

test('nanoseconds of Temporal are cut downwards to microseconds', () => {
  const cut = (text: string) => fromTemporal(Temporal.Instant.from(text));

  assert.equal(cut('1970-01-01T00:00:00.000001999Z'), 1);
  assert.equal(cut('1970-01-01T00:00:00.000000999Z'), 0);
  assert.equal(cut('1969-12-31T23:59:59.999999999Z'), -1);
  assert.equal(cut('1969-12-31T23:59:59.999998001Z'), -2);
});

test('a written time needs its offset, and has to be one that can be stored', () => {
  assert.equal(fromIso('2020-03-24T14:02:03.987654+00:00'), AT);
  assert.equal(fromIso('2020-03-24T16:02:03.987654+02:00'), AT);
  for (const none of ['', 'yesterday', '2020-03-24', '2020-03-24T14:02:03', '+200000-01-01T00:00:00Z'])
    assert.equal(fromIso(none), null, none);
});
