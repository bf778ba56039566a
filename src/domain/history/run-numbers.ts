import { MAX_NUMBERS, type Numbers } from '../ping/numbers.ts';
import type { Run } from './run.ts';

/** A number that runs report, over the runs. */
export interface RunNumber {
  readonly name: string;
  /** The value of each run, in the order of the runs. Null: it has reported none. */
  readonly values: readonly (number | null)[];
}

/**
 * The numbers that these runs report, oldest run first. `reported` has them by the ping that ended the run. Jobs may change
 * their names: the numbers of the newest runs come first, and only so many are told as one ping may report.
 */
export function numbersOver(
  runs: readonly Pick<Run, 'endN'>[],
  reported: ReadonlyMap<number, Numbers>,
): RunNumber[] {
  const ofRuns = runs.map(({ endN }) => (endN === null ? undefined : reported.get(endN)));
  const names = new Set(ofRuns.toReversed().flatMap((numbers) => [...(numbers?.keys() ?? [])]));
  return [...names].slice(0, MAX_NUMBERS).map((name) => ({
    name,
    values: ofRuns.map((numbers) => numbers?.get(name) ?? null),
  }));
}
