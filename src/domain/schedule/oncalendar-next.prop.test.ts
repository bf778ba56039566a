import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { at, type ClockChange, clockChanges } from './schedule.test-support.ts';
import { nextOccurrence } from './schedule.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20241027;

const SECOND = 1e6;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A component as text, with a test of its values that owes nothing to the code under test. */
interface Component {
  readonly text: string;
  readonly allows: (value: number) => boolean;
}

function term(min: number, max: number, highest: number): fc.Arbitrary<Component> {
  const value = fc.integer({ min, max: highest });
  const step = fc.integer({ min: 1, max: max - min + 3 });
  return fc.oneof(
    value.map((v) => ({ text: `${v}`, allows: (x: number) => x === v })),
    fc.tuple(value, value).map(([a, b]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      return { text: `${low}..${high}`, allows: (x: number) => low <= x && x <= high };
    }),
    fc
      .tuple(value, step)
      .map(([v, s]) => ({ text: `${v}/${s}`, allows: (x: number) => x >= v && (x - v) % s === 0 })),
    fc.tuple(value, value, step).map(([a, b, s]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const last = low === high ? max : high;
      return {
        text: `${low}..${high}/${s}`,
        allows: (x: number) => low <= x && x <= last && (x - low) % s === 0,
      };
    }),
  );
}

function component(min: number, max: number, highest = max): fc.Arbitrary<Component> {
  return fc.oneof(
    fc.constant({ text: '*', allows: () => true }),
    fc.array(term(min, max, highest), { minLength: 1, maxLength: 3 }).map((terms) => ({
      text: terms.map(({ text }) => text).join(','),
      allows: (x: number) => terms.some(({ allows }) => allows(x)),
    })),
  );
}

const anySecond = component(0, 59);
const onTheMinute = fc.constant<Component>({ text: '0', allows: (x) => x === 0 });

function timeOfDay(second: fc.Arbitrary<Component>) {
  return fc.tuple(component(0, 23), component(0, 59), second).map(([h, m, s]) => ({
    text: `${h.text}:${m.text}:${s.text}`,
    allows: (secondOfDay: number) =>
      h.allows(Math.floor(secondOfDay / 3600)) &&
      m.allows(Math.floor(secondOfDay / 60) % 60) &&
      s.allows(secondOfDay % 60),
  }));
}

/** Days from the end of the month; steps walk towards the end. */
const fromEnd: fc.Arbitrary<Component> = fc.oneof(
  fc.integer({ min: 1, max: 28 }).map((v) => ({ text: `${v}`, allows: (x: number) => x === v })),
  fc
    .tuple(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 1, max: 9 }))
    .map(([v, s]) => ({ text: `${v}/${s}`, allows: (x: number) => x <= v && (v - x) % s === 0 })),
  fc
    .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    .map(([low, high]) => ({ text: `${low}..${high}`, allows: (x: number) => low <= x && x <= high })),
);

const dated = fc
  .record({
    weekdays: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { maxLength: 5 }),
    year: component(1970, 2199),
    month: component(1, 12),
    day: fc.oneof(
      component(1, 31).map(({ text, allows }) => ({
        text: `-${text}`,
        allows: (day: number, _left: number) => allows(day),
      })),
      fromEnd.map(({ text, allows }) => ({
        text: `~${text}`,
        allows: (_day: number, left: number) => allows(left),
      })),
    ),
  })
  .map(({ weekdays, year, month, day }) => ({
    text: `${weekdays.join(',')} ${year.text}-${month.text}${day.text} 06:30`,
    allows: (date: Date) => {
      const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
      return (
        (weekdays.length === 0 || weekdays.includes(WEEKDAYS[date.getUTCDay()] ?? '')) &&
        year.allows(date.getUTCFullYear()) &&
        month.allows(date.getUTCMonth() + 1) &&
        day.allows(date.getUTCDate(), lastOfMonth - date.getUTCDate() + 1)
      );
    },
  }));

/** All runs in `(from, until]`, by looking at every step on both sides of the one change that lies there. */
function runsByStep(
  allows: (secondOfDay: number) => boolean,
  { zone, at: changed, seconds }: ClockChange,
  [from, until]: readonly [Instant, Instant],
  step: number,
): Instant[] {
  const before = Temporal.Instant.fromEpochMilliseconds(changed / 1000 - 1000).toZonedDateTimeISO(zone);
  const runs: Instant[] = [];
  const shown = new Set<number>();
  // Early enough to know what has been shown before it repeats.
  const start = Math.min(from, changed - Math.abs(seconds) * SECOND);
  for (let instant = start - (start % step); instant <= until; instant += step) {
    const wall = instant / SECOND + before.offsetNanoseconds / 1e9 + (instant >= changed ? seconds : 0);
    if (instant > from && allows(wall % 86_400) && !shown.has(wall)) runs.push(instant);
    shown.add(wall);
  }
  return runs;
}

function ourRuns(expression: string, zone: string, [from, until]: readonly [Instant, Instant]): Instant[] {
  const runs: Instant[] = [];
  let next = nextOccurrence(expression, zone, from);
  for (; next !== null && next <= until; next = nextOccurrence(expression, zone, next)) {
    assert.ok(next > (runs.at(-1) ?? from), 'the next run is not later than the last');
    runs.push(next);
  }
  return runs;
}

// From 1973 on, when the last offset with odd seconds was gone.
const changes = clockChanges('1973-01-01T00:00Z', '2045-01-01T00:00Z');
const zone = fc.constantFrom(...new Set(changes.map((change) => change.zone)));
const change = fc.constantFrom(...changes);
const second = fc.integer({ min: at('1973-01-01T00:00Z') / 1e6, max: at('2199-12-31T00:00Z') / 1e6 });

test('around a clock change, runs are those of an evaluator that looks at every minute', () => {
  const property = fc.property(
    timeOfDay(onTheMinute),
    change,
    fc.integer({ min: -86_400, max: 5 * 3600 }),
    (time, near, offset) => {
      const span = [near.at + offset * SECOND, near.at + offset * SECOND + 1.5 * 86_400 * SECOND] as const;
      assert.deepEqual(ourRuns(time.text, near.zone, span), runsByStep(time.allows, near, span, 60 * SECOND));
    },
  );
  fc.assert(property, { seed: SEED, numRuns: 400 });
});

test('around a clock change, runs are those of an evaluator that looks at every second', () => {
  const property = fc.property(
    timeOfDay(anySecond),
    change,
    fc.integer({ min: -3600, max: 5400 }),
    (time, near, offset) => {
      const span = [near.at + offset * SECOND, near.at + offset * SECOND + 3600 * SECOND] as const;
      assert.deepEqual(ourRuns(time.text, near.zone, span), runsByStep(time.allows, near, span, SECOND));
    },
  );
  fc.assert(property, { seed: SEED, numRuns: 150 });
});

test('over three years, dates are those of an evaluator that looks at every day', () => {
  const property = fc.property(dated, second, (line, start) => {
    const midnight = start * 1000 - ((start * 1000) % 86_400_000);
    const expected = Array.from({ length: 3 * 365 }, (_, day) => new Date(midnight + day * 86_400_000))
      .filter((date) => line.allows(date))
      .map((date) => (date.getTime() + 6.5 * 3_600_000) * 1000)
      .filter((run) => run > start * 1e6);
    const until = (midnight + 3 * 365 * 86_400_000 - 1) * 1000;
    assert.deepEqual(
      ourRuns(line.text, 'UTC', [start * 1e6, until]),
      expected.filter((run) => run < at('2200-01-01T00:00Z')),
    );
  });
  fc.assert(property, { seed: SEED, numRuns: 300 });
});

test('the next run is later than its start, and the same until it comes', () => {
  const wait = fc.integer({ min: 0, max: 2 * 86_400 });
  const property = fc.property(
    fc.oneof(timeOfDay(anySecond), dated),
    zone,
    second,
    wait,
    ({ text }, name, from, later) => {
      const first = nextOccurrence(text, name, from * 1e6) ?? Number.POSITIVE_INFINITY;
      const second = nextOccurrence(text, name, (from + later) * 1e6) ?? Number.POSITIVE_INFINITY;

      assert.ok(first > from * 1e6);
      if (first > (from + later) * 1e6) assert.equal(second, first);
      else assert.ok(second > (from + later) * 1e6);
    },
  );
  fc.assert(property, { seed: SEED, numRuns: 2000 });
});

test('several lines run whenever one of them does, each in its own zone', () => {
  const line = fc.oneof(timeOfDay(onTheMinute), dated);
  const property = fc.property(line, line, zone, zone, second, (one, other, own, check, start) => {
    const apart = [
      nextOccurrence(one.text, own, start * 1e6),
      nextOccurrence(other.text, check, start * 1e6),
    ];
    const together = nextOccurrence(`${one.text} ${own}\n${other.text}`, check, start * 1e6);
    const earliest = apart.filter((run) => run !== null).sort((a, b) => a - b)[0] ?? null;
    assert.equal(together, earliest);
  });
  fc.assert(property, { seed: SEED, numRuns: 500 });
});
