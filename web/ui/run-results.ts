import type { RunStripJson } from '../../src/views/board-json.ts';
import { m } from '../messages/index.ts';

const RESULTS = { o: 'ok', w: 'warned', f: 'failed', l: 'late', m: 'missed', r: 'running' } as const;

type Letter = keyof typeof RESULTS;
export type Result = (typeof RESULTS)[Letter];

export const resultOf = (letter: string | undefined): Result => RESULTS[(letter ?? 'o') as Letter];

/** The result of the run in a place, in words. */
export function resultWords(
  { results, missed }: Pick<RunStripJson, 'results' | 'missed'>,
  place: number,
): string {
  const result = resultOf(results[place]);
  if (result !== 'missed') return m.runs.results[result];
  const earlier = results.slice(0, place).split('m').length - 1;
  return m.runs.missed(missed[earlier] ?? 1);
}
