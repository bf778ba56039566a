import type { RunStripJson } from '../../../src/views/board-json.ts';
import type { ShownRun } from './queries.ts';

/** With fewer runs there is room left for those to come. */
const MIN_SLOTS = 30;
const LETTERS = { ok: 'o', warned: 'w', failed: 'f', late: 'l', missed: 'm', running: 'r' } as const;

export function stripOf(runs: readonly ShownRun[]): RunStripJson {
  return {
    results: runs.map(({ result }) => LETTERS[result]).join(''),
    missed: runs.flatMap(({ result, missed }) => (result === 'missed' ? [missed] : [])),
    durations: runs.map(({ duration }) => duration),
    at: runs.map(({ at }) => at),
    n: runs.map(({ n }) => n),
  };
}

/** The number of runs: missed ones may be one entry. */
export const countOf = (runs: readonly ShownRun[]): number =>
  runs.reduce((sum, { missed }) => sum + Math.max(1, missed), 0);

/** The number of places for runs in a strip or a chart. */
export const slotsOf = (runs: readonly ShownRun[]): number => Math.max(MIN_SLOTS, runs.length);
