import { type Instant, MICROS_PER_SECOND, type Micros, seconds } from '../../lib/instant.ts';
import { faultOf, partsOf, type ScheduleFault, type SchedulePart } from '../schedule/anatomy.ts';
import { nextOccurrence, ScheduleError, validateSchedule } from '../schedule/schedule.ts';
import { offsetOf, periodAt, startOf, zoneOffsets } from '../schedule/zone-offsets.ts';
import type { Check } from './check.ts';
import { scheduleWords } from './schedule-words.ts';
import type { ScheduleKind } from './settings.ts';

/** Runs that a preview lists. */
export const PREVIEW_RUNS = 5;
const HOURS_OF_WEEK = 168;
const HOUR: Micros = seconds(3_600);
const DAY: Micros = 24 * HOUR;
/** Runs that are listed and lie further apart say nothing about a week. A clock may change among them. */
const MAX_WEEKLY_SPAN: Micros = 29 * DAY;
/** Changes of clocks that are further away do not matter yet. */
const LOOK_AHEAD: Micros = seconds(366 * 86_400);

/** A schedule that somebody writes. */
export interface DraftSchedule {
  readonly kind: ScheduleKind;
  readonly timeoutSeconds: number;
  readonly schedule: string;
  readonly tz: string;
}

/** A schedule as entered, before it is saved. */
export interface Draft extends DraftSchedule {
  readonly graceSeconds: number;
  /** The zone of the reader. */
  readonly zone: string;
  /** The check that is edited. Null for a new one. */
  readonly checkId: number | null;
}

/** A change of the clocks of a zone. */
export interface ClockChange {
  readonly zone: string;
  readonly at: Instant;
  /** By how many seconds they go forward. Negative: back. */
  readonly shift: number;
}

export interface SchedulePreview {
  readonly words: string;
  readonly parts: readonly SchedulePart[];
  /** The next runs. A plain period has none: it counts from each ping. */
  readonly runs: readonly Instant[];
  /** The hours of the coming week with a run, counted from `weekFrom`. None if runs are seldom. */
  readonly weekFrom: Instant;
  readonly week: readonly number[];
  /** For seldom runs, the coming year: at least one run of each of the reader's days with runs. */
  readonly year: readonly Instant[];
  readonly changes: readonly ClockChange[];
  /** The first run after a change of clocks at which the reader's clock shows another time than now. */
  readonly shifted: Instant | null;
}

/** The meaning of a schedule, or the reason why it is refused. `zone` is the reader's. */
export function previewSchedule(
  draft: DraftSchedule,
  zone: string,
  now: Instant,
): SchedulePreview | { readonly fault: ScheduleFault; readonly parts: readonly SchedulePart[] } {
  const weekFrom = Math.floor(now / HOUR) * HOUR;
  if (draft.kind === 'simple')
    return {
      words: scheduleWords(draft),
      parts: [],
      runs: [],
      weekFrom,
      week: [],
      year: [],
      changes: [],
      shifted: null,
    };
  const parts = partsOf(draft.schedule);
  const fault = scheduleFaultOf(draft);
  if (fault !== null) return { fault, parts };
  const changes = changesOf([...new Set([draft.tz, zone])], now);
  const runs = runsAfter(draft, now, PREVIEW_RUNS);
  const span = (runs.at(-1) ?? now) - (runs[0] ?? now);
  const week = span > MAX_WEEKLY_SPAN ? [] : hoursWithRuns(draft, weekFrom);
  return {
    words: scheduleWords(draft),
    ...{ parts, runs, weekFrom, week },
    year: week.length > 0 ? [] : daysWithRuns(draft, zone, now),
    changes,
    shifted: shiftedRun(draft, zone, changes, now),
  };
}

function scheduleFaultOf({ kind, schedule }: DraftSchedule): ScheduleFault | null {
  try {
    if (validateSchedule(schedule) === kind) return null;
    const wanted = kind === 'cron' ? 'A cron expression has five fields.' : 'This is a cron expression.';
    throw new ScheduleError(wanted);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return faultOf(schedule, error, isAccepted);
  }
}

function isAccepted(expression: string): boolean {
  try {
    validateSchedule(expression);
    return true;
  } catch {
    return false;
  }
}

export function runsAfter(
  { schedule, tz }: Pick<DraftSchedule, 'schedule' | 'tz'>,
  from: Instant,
  most: number,
) {
  const runs: Instant[] = [];
  for (let last: Instant | null = from; runs.length < most; runs.push(last)) {
    last = nextOccurrence(schedule, tz, last);
    if (last === null) break;
  }
  return runs;
}

/** After a run it goes on with the next hour, so that a job of each second takes no longer. */
function hoursWithRuns({ schedule, tz }: DraftSchedule, from: Instant): number[] {
  const hours: number[] = [];
  const until = from + HOURS_OF_WEEK * HOUR;
  let after = from - MICROS_PER_SECOND;
  for (;;) {
    const run = nextOccurrence(schedule, tz, after);
    if (run === null || run >= until) return hours;
    const hour = Math.floor((run - from) / HOUR);
    hours.push(hour);
    after = from + (hour + 1) * HOUR - MICROS_PER_SECOND;
  }
}

/** After a run it goes on with the next day of the reader. */
function daysWithRuns({ schedule, tz }: DraftSchedule, zone: string, now: Instant): Instant[] {
  const days: Instant[] = [];
  let after = now;
  for (;;) {
    const run = nextOccurrence(schedule, tz, after);
    if (run === null || run >= now + LOOK_AHEAD) return days;
    days.push(run);
    after = Math.max(run, nextMidnight(zone, run) - MICROS_PER_SECOND);
  }
}

function nextMidnight(zone: string, after: Instant): Instant {
  const offsets = zoneOffsets(zone);
  const offsetAt = (at: Instant) =>
    seconds(offsetOf(offsets, periodAt(offsets, Math.floor(at / MICROS_PER_SECOND))));
  const midnight = (Math.floor((after + offsetAt(after)) / DAY) + 1) * DAY;
  // The clocks may have changed until then.
  return midnight - offsetAt(midnight - offsetAt(after));
}

function changesOf(zones: readonly string[], now: Instant): ClockChange[] {
  return zones
    .flatMap((zone) => {
      const offsets = zoneOffsets(zone);
      const period = periodAt(offsets, Math.floor(now / MICROS_PER_SECOND));
      const at = startOf(offsets, period + 1) * MICROS_PER_SECOND;
      const shift = offsetOf(offsets, period + 1) - offsetOf(offsets, period);
      return at - now > LOOK_AHEAD || shift === 0 ? [] : [{ zone, at, shift }];
    })
    .sort((one, other) => one.at - other.at);
}

function shiftedRun(
  { schedule, tz }: DraftSchedule,
  zone: string,
  changes: readonly ClockChange[],
  now: Instant,
): Instant | null {
  const usual = difference(tz, zone, now);
  for (const { at } of changes) {
    const run = nextOccurrence(schedule, tz, at - MICROS_PER_SECOND);
    if (run !== null && difference(tz, zone, run) !== usual) return run;
  }
  return null;
}

/** By how many seconds the clocks of two zones differ. */
function difference(one: string, other: string, at: Instant): number {
  const offset = (zone: string) => {
    const offsets = zoneOffsets(zone);
    return offsetOf(offsets, periodAt(offsets, Math.floor(at / MICROS_PER_SECOND)));
  };
  return offset(one) - offset(other);
}

/** The pings compared with a schedule. */
export interface Fit {
  readonly runs: number;
  /** Seconds after the time at which a run was expected. */
  readonly least: number;
  readonly most: number;
  /** Whether all of them came within the grace time. */
  readonly isWithinGrace: boolean;
  /** A grace time that would be enough, in seconds. */
  readonly enough: number;
  /** The runs come so many whole hours after the time, as they do if the zone is wrong. 0: they do not. */
  readonly hoursOff: number;
}

/** Runs that are looked at. */
export const FIT_RUNS = 24;
const MIN_RUNS = 3;
const GRACES = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400];

/** Compares the times at which runs began with a schedule. Null if there are too few. */
export function fitOf(
  draft: DraftSchedule & Pick<Check, 'graceSeconds'>,
  starts: readonly Instant[],
): Fit | null {
  const delays = delaysOf(draft, starts);
  if (delays.length < MIN_RUNS) return null;
  const [least, most] = [Math.min(...delays), Math.max(...delays)];
  const enough = GRACES.find((grace) => grace >= most * 3) ?? 86_400;
  const hours = Math.round(least / 3_600);
  const isOff = hours > 0 && least >= hours * 3_600 - 300 && most <= hours * 3_600 + 900;
  return {
    runs: delays.length,
    ...{ least, most, enough },
    isWithinGrace: most <= draft.graceSeconds,
    hoursOff: draft.kind !== 'simple' && isOff ? hours : 0,
  };
}

/** Seconds from the last expected time before each run to the run; for a plain period, by how much each was late. */
function delaysOf(draft: DraftSchedule, starts: readonly Instant[]): number[] {
  const times = starts.slice(-FIT_RUNS - 1);
  const first = times[0];
  if (first === undefined) return [];
  const later = times.slice(1);
  if (draft.kind === 'simple')
    return later.map((at, index) =>
      Math.max(0, (at - (times[index] ?? at)) / MICROS_PER_SECOND - draft.timeoutSeconds),
    );
  const delays: number[] = [];
  let due = nextOccurrence(draft.schedule, draft.tz, first);
  for (const at of later) {
    let last: Instant | null = null;
    for (let skipped = 0; due !== null && due <= at && skipped < FIT_RUNS; skipped++) {
      last = due;
      due = nextOccurrence(draft.schedule, draft.tz, due);
    }
    if (last !== null) delays.push((at - last) / MICROS_PER_SECOND);
  }
  return delays;
}
