import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { seconds } from '../instant.ts';
import { ageText, spanText } from './ages.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, day: 86_400, days: 86_400 };

/** The seconds that a text tells, none for a moment, and the smallest step in which it can tell them. */
function read(text: string): { readonly told: number; readonly step: number } {
  const parts = [...text.matchAll(/([\d.]+) ([a-z]+)/g)].map(([, count, unit]) => ({
    count: Number(count),
    unit: UNITS[unit ?? ''] ?? Number.NaN,
  }));
  const told = parts.reduce((sum, { count, unit }) => sum + count * unit, 0);
  if (told < 60) return { told, step: 1 };
  if (told < 3_600) return { told, step: 60 };
  if (told < 86_400) return { told, step: 60 };
  return { told, step: told < 10 * 86_400 ? 3_600 : 86_400 };
}

suite('an age', () => {
  const rows: [ageSeconds: number, text: string][] = [
    [-5, 'a moment'],
    [0.4, 'a moment'],
    [0.6, '1 s'],
    [14.4, '14 s'],
    [59.6, '1 min'],
    [299, '5 min'],
    [3_599, '1 h'],
    [3_600, '1 h'],
    [3_600 + 55 * 60, '1 h 55 min'],
    [86_399, '24 h'],
    [26.4 * 3_600, '26 h'],
    [48 * 3_600 - 1, '2 days'],
    [4 * 86_400 + 20 * 3_600, '4 days 20 h'],
    [9.5 * 86_400, '9 days 12 h'],
    [10 * 86_400 - 1_000, '10 days'],
    [11.6 * 86_400, '12 days'],
  ];
  for (const [ageSeconds, text] of rows) {
    test(`of ${ageSeconds} s is ${text}`, () => assert.equal(ageText(seconds(ageSeconds)), text));
  }

  const anyAge = fc.oneof(
    fc.double({ min: 0, max: 7_200, noNaN: true }),
    fc.integer({ min: 0, max: 50 * 86_400 }),
  );

  test('differs from the truth by at most half of its smallest step', () => {
    fc.assert(
      fc.property(anyAge, (age) => {
        const { told, step } = read(ageText(seconds(age)));
        assert.ok(Math.abs(told - age) <= step / 2 + 1e-6, `${age} s is told as ${ageText(seconds(age))}`);
      }),
    );
  });

  test('never tells less of an older thing', () => {
    fc.assert(
      fc.property(anyAge, anyAge, (one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        assert.ok(read(ageText(seconds(less))).told <= read(ageText(seconds(more))).told);
      }),
    );
  });

  test('and the time left make a day together, to the minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3_600, max: 23 * 3_600 }), (age) => {
        const sum = read(ageText(seconds(age))).told + read(ageText(seconds(86_400 - age))).told;
        assert.ok(Math.abs(sum - 86_400) <= 60, `${age}: ${sum}`);
      }),
    );
  });
});

suite('a span', () => {
  const rows: [spanSeconds: number, text: string][] = [
    [0.42, '0.42 s'],
    [0, '0.00 s'],
    [0.998, '1 s'],
    [4.26, '4.3 s'],
    [3, '3 s'],
    [9.97, '10 s'],
    [38.9, '39 s'],
    [59.7, '1 min'],
    [401, '6 min 41 s'],
    [3_599.8, '1 h'],
    [3_600, '1 h'],
    [4_080, '1 h 8 min'],
    [3 * 86_400 + 7_200, '3 days 2 h'],
  ];
  for (const [spanSeconds, text] of rows) {
    test(`of ${spanSeconds} s is ${text}`, () => assert.equal(spanText(seconds(spanSeconds)), text));
  }
});
