import type { Check } from '../check/check.ts';
import type { Signal } from './ping.ts';

export type Keywords = Pick<
  Check,
  'startKeywords' | 'successKeywords' | 'failureKeywords' | 'filterDefaultFail'
>;

/** Bytes at the beginning of a body over HTTP that are searched for keywords and numbers, however much of it is stored. */
export const SEARCHED_BODY_BYTES = 10_000;

/** The text in which keywords and numbers are looked for. */
export function searchedText(body: Uint8Array): string {
  // Replaces invalid UTF-8, and a character that the limit has cut, instead of failing.
  return new TextDecoder().decode(body.subarray(0, SEARCHED_BODY_BYTES));
}

/**
 * The signal that a text means by the check's keywords. Failure comes before success, and success before start. If no
 * keyword is found, the check's default applies.
 */
export function classify(check: Keywords, text: string): Signal {
  return explain(check, text).signal;
}

/** The meaning of a text, and the keyword that decided it. */
export interface Explanation {
  readonly signal: Signal;
  /** Null if none was found. */
  readonly keyword: string | null;
}

export function explain(check: Keywords, text: string): Explanation {
  const ordered = [
    { signal: 'fail', list: check.failureKeywords },
    { signal: 'success', list: check.successKeywords },
    { signal: 'start', list: check.startKeywords },
  ] as const;
  for (const { signal, list } of ordered) {
    const keyword = keywordsOf(list).find((one) => text.includes(one));
    if (keyword !== undefined) return { signal, keyword };
  }
  return { signal: check.filterDefaultFail ? 'fail' : 'ign', keyword: null };
}

/** The largest number of keywords that a text is searched for. */
export function keywordCount({ startKeywords, successKeywords, failureKeywords }: Keywords): number {
  return keywordsOf(`${startKeywords},${successKeywords},${failureKeywords}`).length;
}

/** Keywords are separated by commas and match as they are written, anywhere in the text. */
function keywordsOf(list: string): string[] {
  return list
    .split(',')
    .map((piece) => piece.trim())
    .filter((keyword) => keyword !== '');
}
