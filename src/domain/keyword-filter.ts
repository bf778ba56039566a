import type { Check } from './check.ts';
import type { Signal } from './ping.ts';

export type Keywords = Pick<
  Check,
  'startKeywords' | 'successKeywords' | 'failureKeywords' | 'filterDefaultFail'
>;

/**
 * The signal that a text means by the check's keywords. Failure comes before success, and success before start. If no
 * keyword is found, the check's default applies.
 */
export function classify(check: Keywords, text: string): Signal {
  if (hasKeyword(check.failureKeywords, text)) return 'fail';
  if (hasKeyword(check.successKeywords, text)) return 'success';
  if (hasKeyword(check.startKeywords, text)) return 'start';
  return check.filterDefaultFail ? 'fail' : 'ign';
}

/** The largest number of keywords that a text is searched for. */
export function keywordCount({ startKeywords, successKeywords, failureKeywords }: Keywords): number {
  return keywordsOf(`${startKeywords},${successKeywords},${failureKeywords}`).length;
}

function hasKeyword(list: string, text: string): boolean {
  return keywordsOf(list).some((keyword) => text.includes(keyword));
}

/** Keywords are separated by commas and match as they are written, anywhere in the text. */
function keywordsOf(list: string): string[] {
  return list
    .split(',')
    .map((piece) => piece.trim())
    .filter((keyword) => keyword !== '');
}
