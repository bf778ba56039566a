import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fromTemporal, type Instant } from '../instant.ts';
import { clockText, dayAndTime, type TimeReader, wholeTime, zonedTime } from './clock-text.ts';
import { DEFAULT_DATE_STYLE } from './date-style.ts';

const instant = (text: string): Instant => fromTemporal(Temporal.Instant.from(text));
const reader = (timeZone: string, style: Partial<TimeReader> = {}): TimeReader => ({
  ...DEFAULT_DATE_STYLE,
  timeZone,
  ...style,
});
const BERLIN = reader('Europe/Berlin');
const NOW = instant('2026-11-15T02:30:00Z');

suite('a time is as short as it is clear', () => {
  const rows: [at: string, text: string][] = [
    ['2026-11-15T04:14:09Z', '05:14'],
    ['2026-11-14T23:00:00Z', '00:00'],
    ['2026-11-14T22:59:59Z', 'Sat 23:59'],
    ['2026-11-09T03:00:00Z', 'Mon 9 Nov 04:00'],
    ['2026-11-21T03:00:00Z', 'Sat 21 Nov 04:00'],
    ['2026-11-08T03:00:00Z', '8 Nov'],
    ['2025-11-09T03:00:00Z', '9 Nov 2025'],
  ];
  for (const [at, text] of rows) {
    test(`${at} is ${text} on 15 November in Berlin`, () => {
      assert.equal(clockText(instant(at), NOW, BERLIN), text);
    });
  }
});

test('a reader chooses the language, the date and the clock', () => {
  const old = instant('2026-11-01T13:05:00Z');

  assert.equal(clockText(instant('2026-11-14T13:05:00Z'), NOW, { ...BERLIN, clock: '12h' }), 'Sat 2:05 pm');
  assert.equal(clockText(old, NOW, { ...BERLIN, dateFormat: 'iso' }), '2026-11-01');
  assert.equal(clockText(old, NOW, { ...BERLIN, language: 'de' }), '1. Nov.');
});

test('a time with its day may have seconds and the name of its zone', () => {
  assert.equal(dayAndTime(instant('2026-11-14T02:06:41Z'), BERLIN, true), 'Sat 14 Nov, 03:06:41');
  assert.equal(zonedTime(NOW, BERLIN), 'Sun 15 Nov, 03:30 CET');
  assert.equal(wholeTime(NOW, BERLIN), 'Sun, 15 Nov 2026, 03:30:00 CET · 02:30:00 UTC');
  assert.equal(wholeTime(NOW, reader('UTC')), 'Sun, 15 Nov 2026, 02:30:00 UTC');
});

test('zones have the names that people there use, if there is one', () => {
  const named = (zone: string, at = '2026-07-15T12:00:00Z') =>
    zonedTime(instant(at), reader(zone)).split(' ').at(-1);

  assert.equal(named('Europe/Riga'), 'EEST');
  assert.equal(named('America/New_York'), 'EDT');
  assert.equal(named('Asia/Kolkata'), 'IST');
  assert.equal(named('Asia/Tokyo'), 'GMT+9');
  assert.equal(named('Mars/Olympus'), 'UTC');
});
