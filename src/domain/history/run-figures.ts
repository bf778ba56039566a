import { type Micros, seconds } from '../../lib/instant.ts';
import { isGood, type Run } from './run.ts';

/** Durations of runs in numbers. */
export interface RunFigures {
  readonly median: Micros | null;
  /** 95 of 100 runs took no longer. */
  readonly p95: Micros | null;
  /** The change of duration in a week. Null if the runs do not show a trend. */
  readonly trendPerWeek: Micros | null;
  /** The number of ended runs that went well, late ones included. */
  readonly good: number;
  /** Missed ones included. */
  readonly ended: number;
}

const WEEK: Micros = seconds(7 * 86_400);
/** Fewer runs, or runs within a shorter time, show no trend. */
const MIN_TREND_RUNS = 10;
const MIN_TREND_SPAN: Micros = seconds(2 * 86_400);

/** `runs` are in ascending order. Only runs that went well have durations that mean something. */
export function runFigures(runs: readonly Run[]): RunFigures {
  const good = runs.filter(isGood);
  const timed = good.flatMap(({ at, duration }) => (duration === null ? [] : [{ at, duration }]));
  const durations = timed.map(({ duration }) => duration).toSorted((a, b) => a - b);
  return {
    median: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    trendPerWeek: trendOf(timed),
    good: good.length,
    ended: endedCount(runs),
  };
}

/** An entry of missed runs counts as many as there are. What was skipped or is unknown counts for nothing. */
function endedCount(runs: readonly Run[]): number {
  const ended = runs.filter(
    ({ result, count }) => result !== 'running' && (count === 0 || result === 'missed'),
  );
  return ended.reduce((sum, { count }) => sum + Math.max(1, count), 0);
}

/** The smallest value that is not exceeded by this share of the values. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** The slope of the line that fits best. */
function trendOf(timed: readonly { readonly at: number; readonly duration: number }[]): Micros | null {
  const [first, last] = [timed[0], timed.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (timed.length < MIN_TREND_RUNS || last.at - first.at < MIN_TREND_SPAN) return null;
  const weeks = timed.map(({ at }) => (at - first.at) / WEEK);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanWeek, meanDuration] = [mean(weeks), mean(timed.map(({ duration }) => duration))];
  const above = timed.reduce(
    (sum, { duration }, index) => sum + ((weeks[index] ?? 0) - meanWeek) * (duration - meanDuration),
    0,
  );
  const below = weeks.reduce((sum, week) => sum + (week - meanWeek) ** 2, 0);
  return below === 0 ? null : Math.round(above / below);
}
