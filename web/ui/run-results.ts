import type { RunStripJson } from '../../src/views/board-json.ts';
import { m } from '../messages/index.ts';

const RESULTS = {
  o: 'ok',
  w: 'warned',
  f: 'failed',
  l: 'late',
  m: 'missed',
  s: 'skipped',
  u: 'unknown',
  r: 'running',
} as const;

type Letter = keyof typeof RESULTS;
export type Result = (typeof RESULTS)[Letter];

export const resultOf = (letter: string | undefined): Result => RESULTS[(letter ?? 'o') as Letter];

/** Whether it is the result of runs that did not come. */
export const isNoShow = (result: Result): result is 'missed' | 'skipped' | 'unknown' =>
  result === 'missed' || result === 'skipped' || result === 'unknown';

/** The result of the run in a place, in words. */
export function resultWords(
  { results, counts }: Pick<RunStripJson, 'results' | 'counts'>,
  place: number,
): string {
  const result = resultOf(results[place]);
  if (!isNoShow(result)) return m.runs.results[result];
  const earlier = Array.from(results.slice(0, place)).filter((letter) => isNoShow(resultOf(letter))).length;
  return m.runs.several(result, counts[earlier] ?? 1);
}
