import type { RunStripJson } from '../../../src/views/board-json.ts';
import type { ShownRun } from './queries.ts';

/** With fewer runs there is room left for those to come. */
const MIN_SLOTS = 30;
const LETTERS = {
  ok: 'o',
  warned: 'w',
  failed: 'f',
  late: 'l',
  missed: 'm',
  skipped: 's',
  unknown: 'u',
  running: 'r',
} as const;

export function stripOf(runs: readonly ShownRun[]): RunStripJson {
  return {
    results: runs.map(({ result }) => LETTERS[result]).join(''),
    counts: runs.flatMap(({ count }) => (count > 0 ? [count] : [])),
    durations: runs.map(({ duration }) => duration),
    at: runs.map(({ at }) => at),
    n: runs.map(({ n }) => n),
  };
}

/** The number of runs: those that did not come may be one entry. */
export const countOf = (runs: readonly ShownRun[]): number =>
  runs.reduce((sum, { count }) => sum + Math.max(1, count), 0);

/** The number of places for runs in a strip or a chart. */
export const slotsOf = (runs: readonly ShownRun[]): number => Math.max(MIN_SLOTS, runs.length);
