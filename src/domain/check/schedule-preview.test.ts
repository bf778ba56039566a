import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { fitOf, previewSchedule, runsAfter } from './schedule-preview.ts';

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds * 1_000;
const iso = (instant: number | null) =>
  instant && Temporal.Instant.fromEpochMilliseconds(instant / 1_000).toString();
const NOW = at('2026-11-15T04:14:00Z');
const draft = {
  kind: 'cron',
  timeoutSeconds: 86_400,
  schedule: '30 7 * * MON-FRI',
  tz: 'America/New_York',
} as const;

function preview(overrides: object = {}, zone = 'Europe/Berlin') {
  const made = previewSchedule({ ...draft, ...overrides }, zone, NOW);
  assert.ok(!('fault' in made));
  return made;
}

function fault(schedule: string, kind: 'cron' | 'oncalendar' = 'cron') {
  const made = previewSchedule({ ...draft, kind, schedule }, 'UTC', NOW);
  assert.ok('fault' in made, schedule);
  const { start, end, suggestion, message } = made.fault;
  return { wrong: schedule.slice(start, end), suggestion, message };
}

test('a preview tells when a schedule runs, in words and as instants', () => {
  const { words, runs, parts } = preview();
  assert.equal(words, 'From Monday to Friday at 07:30');
  assert.deepEqual(runs.map(iso), [
    ...['2026-11-16T12:30:00Z', '2026-11-17T12:30:00Z', '2026-11-18T12:30:00Z'],
    ...['2026-11-19T12:30:00Z', '2026-11-20T12:30:00Z'],
  ]);
  assert.deepEqual(
    parts.map(({ name, text }) => [name, text]),
    [
      ['minute', '30'],
      ['hour', '7'],
      ['day-of-month', '*'],
      ['month', '*'],
      ['day-of-week', 'MON-FRI'],
    ],
  );
});

test('runs of a calendar with weekdays are those of its zone', () => {
  const { words, runs } = preview({ kind: 'oncalendar', schedule: 'Mon..Fri 09:00', tz: 'Europe/Paris' });

  assert.equal(words, 'From Monday to Friday at 09:00');
  assert.deepEqual(runs.slice(0, 2).map(iso), ['2026-11-16T08:00:00Z', '2026-11-17T08:00:00Z']);
});

test('the week has one hour for each run, and one for many runs of an hour', () => {
  assert.equal(preview().week.length, 5);
  assert.equal(preview({ schedule: '* * * * *' }).week.length, 168);
  assert.equal(preview({ kind: 'oncalendar', schedule: '*:*:*' }).week.length, 168);
});

test('a schedule that runs seldom shows the days of a year, and no week', () => {
  const monthly = preview({ schedule: '0 4 1 * *' });
  assert.deepEqual(monthly.week, []);
  assert.deepEqual(
    monthly.year.map((run) => String(iso(run)).slice(0, 10)),
    [
      ...['2026-12-01', '2027-01-01', '2027-02-01', '2027-03-01', '2027-04-01', '2027-05-01'],
      ...['2027-06-01', '2027-07-01', '2027-08-01', '2027-09-01', '2027-10-01', '2027-11-01'],
    ],
  );
  // Also if one of its runs is in the coming week.
  assert.deepEqual(preview({ schedule: '0 4 16 * *' }).week, []);
  assert.deepEqual(preview().year, []);
  assert.deepEqual(preview({ schedule: '0 4 * * MON' }).year, []);
  assert.equal(preview({ schedule: '0 0 29 2 *' }).year.length, 0);
  // 31 days. The reader in Berlin sees the last hours of the last day on the next one. One run of each is enough.
  assert.equal(preview({ schedule: '* * * 3 *' }).year.length, 32);
});

test('changes of clocks are told, and the first run that they shift for the reader', () => {
  const { changes, shifted } = preview();
  assert.deepEqual(
    changes.map(({ zone, at: when, shift }) => [zone, iso(when), shift]),
    [
      ['America/New_York', '2027-03-14T07:00:00Z', 3_600],
      ['Europe/Berlin', '2027-03-28T01:00:00Z', 3_600],
    ],
  );
  assert.equal(iso(shifted), '2027-03-15T11:30:00Z');
  assert.deepEqual(preview({ tz: 'UTC' }, 'UTC').changes, []);
  assert.equal(preview({ tz: 'Europe/Paris' }).shifted, null);
});

test('an error is told with its place and, if there is a guess, what may have been meant', () => {
  const { message, ...minute } = fault('61 7 * * MON-FRI');
  assert.deepEqual(minute, { wrong: '61', suggestion: '1 7 * * MON-FRI' });
  assert.match(message, /minute/);
  assert.equal(fault('0 7 * * FRIDAY').wrong, 'FRIDAY');
  assert.deepEqual(fault('0 0 7 * * 1').suggestion, '0 7 * * 1');
  assert.equal(fault('0 0 30 2 *').wrong, '30');
  assert.equal(fault('Mon..Fri 25:00', 'oncalendar').wrong, '25');
  assert.equal(fault('daily', 'cron').suggestion, null);
  assert.equal(fault('').wrong, '');
});

test('a plain period has words alone', () => {
  const { words, runs, week } = preview({ kind: 'simple', timeoutSeconds: 300 });
  assert.deepEqual([words, runs, week], ['Every 5 minutes', [], []]);
});

test('runs are compared with the schedule: how late they came, and which grace would be enough', () => {
  const due = runsAfter(draft, NOW, 10);
  const starts = due.map((run, index) => run + seconds(8 + index));

  const fit = fitOf({ ...draft, graceSeconds: 1_800 }, starts);

  assert.deepEqual(fit, { runs: 9, least: 9, most: 17, enough: 60, isWithinGrace: true, hoursOff: 0 });
  assert.equal(fitOf({ ...draft, graceSeconds: 1_800 }, starts.slice(0, 3)), null);
});

test('runs that come whole hours late hint at a wrong zone', () => {
  const starts = runsAfter(draft, NOW, 10).map((run) => run + seconds(2 * 3_600 + 20));

  const fit = fitOf({ ...draft, graceSeconds: 1_800 }, starts);

  assert.deepEqual([fit?.hoursOff, fit?.isWithinGrace], [2, false]);
});

test('for a plain period the gaps between runs count', () => {
  const starts = [0, 300, 605, 900, 1_200].map((second) => NOW + seconds(second));

  const fit = fitOf({ ...draft, kind: 'simple', timeoutSeconds: 300, graceSeconds: 60 }, starts);

  assert.deepEqual([fit?.least, fit?.most, fit?.isWithinGrace], [0, 5, true]);
});
