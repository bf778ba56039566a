import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { at, type ClockChange, clockChanges } from './schedule.test-support.ts';
import { nextOccurrence } from './schedule.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20241027;

const MINUTE = 60e6;
const DAY = 1440 * MINUTE;

/** A field as text, with a test of its values that owes nothing to the code under test. */
interface Field<Value> {
  readonly text: string;
  readonly allows: (value: Value) => boolean;
}

/** A date as the naive evaluator sees it; weekday 0 is Sunday. */
interface NaiveDate {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly daysInMonth: number;
}

/** `highest` is the largest value written; a step goes on to `max` all the same. */
function term(min: number, max: number, highest: number): fc.Arbitrary<Field<number>> {
  const value = fc.integer({ min, max: highest });
  const step = fc.integer({ min: 1, max: max - min + 3 });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({ text: '*', allows: () => true }) },
    { weight: 2, arbitrary: value.map((v) => ({ text: `${v}`, allows: (x: number) => x === v })) },
    fc.tuple(value, value).map(([a, b]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      return { text: `${low}-${high}`, allows: (x: number) => low <= x && x <= high };
    }),
    step.map((s) => ({ text: `*/${s}`, allows: (x: number) => (x - min) % s === 0 })),
    fc
      .tuple(value, step)
      .map(([v, s]) => ({ text: `${v}/${s}`, allows: (x: number) => x >= v && (x - v) % s === 0 })),
    fc.tuple(value, value, step).map(([a, b, s]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const last = low === high ? max : high;
      return {
        text: `${low}-${high}/${s}`,
        allows: (x: number) => low <= x && x <= last && (x - low) % s === 0,
      };
    }),
  );
}

function field(min: number, max: number, highest = max): fc.Arbitrary<Field<number>> {
  return fc.array(term(min, max, highest), { minLength: 1, maxLength: 3 }).map((terms) => ({
    text: terms.map(({ text }) => text).join(','),
    allows: (x) => terms.some(({ allows }) => allows(x)),
  }));
}

/** Expressions that run on every day, so that two days around a clock change show all there is to see. */
const daily = fc.tuple(field(0, 59), field(0, 23)).map(([minute, hour]) => ({
  text: `${minute.text} ${hour.text} * * *`,
  isWildcard: minute.text.startsWith('*') || hour.text.startsWith('*'),
  allowsTime: (h: number, m: number) => hour.allows(h) && minute.allows(m),
}));
type Daily = ReturnType<typeof daily.generate>['value'];

const dayOfMonth: fc.Arbitrary<Field<NaiveDate>> = fc.oneof(
  // No day above 28 is written, as some would be refused in the month that comes with it.
  {
    weight: 4,
    arbitrary: field(1, 31, 28).map(({ text, allows }) => ({
      text,
      allows: ({ day }: NaiveDate) => allows(day),
    })),
  },
  fc.constant({ text: 'L', allows: ({ day, daysInMonth }: NaiveDate) => day === daysInMonth }),
  fc.constant({
    text: 'LW',
    allows: ({ day, daysInMonth, weekday }: NaiveDate) => {
      const isWorkday = (ahead: number) => ![0, 6].includes((weekday + ahead) % 7);
      for (let ahead = 1; day + ahead <= daysInMonth; ahead += 1) if (isWorkday(ahead)) return false;
      return isWorkday(0);
    },
  }),
);

const weekdayNumber = fc.integer({ min: 0, max: 7 });
const dayOfWeek: fc.Arbitrary<Field<NaiveDate>> = fc.oneof(
  {
    weight: 3,
    arbitrary: field(0, 7).map(({ text, allows }) => ({
      text,
      allows: ({ weekday }: NaiveDate) => allows(weekday) || (weekday === 0 && allows(7)),
    })),
  },
  weekdayNumber.map((w) => ({
    text: `${w}L`,
    allows: ({ day, daysInMonth, weekday }: NaiveDate) => weekday === w % 7 && day + 7 > daysInMonth,
  })),
  fc.tuple(weekdayNumber, fc.integer({ min: 1, max: 5 })).map(([w, nth]) => ({
    text: `${w}#${nth}`,
    allows: ({ day, weekday }: NaiveDate) => weekday === w % 7 && Math.ceil(day / 7) === nth,
  })),
);

/** Expressions that run at 06:30 on some days. */
const dated = fc.tuple(dayOfMonth, field(1, 12), dayOfWeek).map(([ofMonth, month, ofWeek]) => ({
  text: `30 6 ${ofMonth.text} ${month.text} ${ofWeek.text}`,
  allowsDate: (date: NaiveDate) => {
    const isAnd = ofMonth.text.startsWith('*') || ofWeek.text.startsWith('*');
    const [byMonth, byWeek] = [ofMonth.allows(date), ofWeek.allows(date)];
    return month.allows(date.month) && (isAnd ? byMonth && byWeek : byMonth || byWeek);
  },
}));

/** All runs in `(from, until]`, by looking at every minute on both sides of the one change that lies there. */
function runsByMinute(
  cron: Daily,
  { zone, at: changed, seconds }: ClockChange,
  from: Instant,
  until: Instant,
): Instant[] {
  const before = Temporal.Instant.fromEpochMilliseconds(changed / 1000 - 1000).toZonedDateTimeISO(zone);
  const wallAt = (instant: Instant) =>
    instant + before.offsetNanoseconds / 1000 + (instant >= changed ? seconds * 1e6 : 0);
  const isOn = (wall: number) =>
    cron.allowsTime(Math.floor(wall / (60 * MINUTE)) % 24, Math.floor(wall / MINUTE) % 60);

  const runs = new Set<Instant>();
  const shown = new Set<number>();
  // Two days earlier, to know what has been shown before it repeats.
  for (let instant = from - (from % MINUTE) - 2 * DAY; instant <= until; instant += MINUTE) {
    const wall = wallAt(instant);
    if (isOn(wall) && (cron.isWildcard || !shown.has(wall))) runs.add(instant);
    shown.add(wall);
    if (instant !== changed || cron.isWildcard) continue;
    for (let skipped = wall - seconds * 1e6; skipped < wall; skipped += MINUTE)
      if (isOn(skipped)) runs.add(instant);
  }
  return [...runs].filter((run) => run > from);
}

function ourRuns(expression: string, zone: string, from: Instant, until: Instant): Instant[] {
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
const zones = [...new Set(changes.map(({ zone }) => zone))];
const change = fc.constantFrom(...changes);
/** Seconds from a clock change to a start: from a day before to some hours after. */
const distance = fc.integer({ min: -86_400, max: 5 * 3600 });
const second = fc.integer({ min: at('1973-01-01T00:00Z') / 1e6, max: at('2100-01-01T00:00Z') / 1e6 });

test('around a clock change, runs are those of an evaluator that looks at every minute', () => {
  const property = fc.property(daily, change, distance, (cron, near, offset) => {
    const from = near.at + offset * 1e6;
    const until = from + 1.5 * DAY;
    assert.deepEqual(ourRuns(cron.text, near.zone, from, until), runsByMinute(cron, near, from, until));
  });
  fc.assert(property, { seed: SEED, numRuns: 400 });
});

test('over three years, dates are those of an evaluator that looks at every day', () => {
  const property = fc.property(dated, second, (cron, start) => {
    const expected: Instant[] = [];
    const midnight = start * 1000 - ((start * 1000) % 86_400_000);
    for (let day = 0; day < 3 * 365; day += 1) {
      const date = new Date(midnight + day * 86_400_000);
      const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0));
      const run = (date.getTime() + 6.5 * 3_600_000) * 1000;
      const isOn = cron.allowsDate({
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        weekday: date.getUTCDay(),
        daysInMonth: lastOfMonth.getUTCDate(),
      });
      if (isOn && run > start * 1e6) expected.push(run);
    }
    assert.deepEqual(
      ourRuns(cron.text, 'UTC', start * 1e6, (midnight + 3 * 365 * 86_400_000 - 1) * 1000),
      expected,
    );
  });
  fc.assert(property, { seed: SEED, numRuns: 300 });
});

test('the next run is later than its start, and the same until it comes', () => {
  const start = fc.oneof(
    second,
    fc.tuple(change, distance).map(([near, offset]) => near.at / 1e6 + offset),
  );
  const property = fc.property(
    fc.oneof(daily, dated),
    fc.constantFrom(...zones),
    start,
    fc.integer({ min: 0, max: 2 * 86_400 }),
    ({ text }, zone, from, wait) => {
      const first = nextOccurrence(text, zone, from * 1e6) ?? Number.POSITIVE_INFINITY;
      const second = nextOccurrence(text, zone, (from + wait) * 1e6) ?? Number.POSITIVE_INFINITY;

      assert.ok(first > from * 1e6);
      if (first > (from + wait) * 1e6) assert.equal(second, first);
      else assert.ok(second > (from + wait) * 1e6);
    },
  );
  fc.assert(property, { seed: SEED, numRuns: 2000 });
});
