import type { Check } from './check.ts';
import type { Signal } from './ping.ts';

type Keywords = Pick<Check, 'startKeywords' | 'successKeywords' | 'failureKeywords' | 'filterDefaultFail'>;

/** What a text means by the check's keywords. Failure beats success beats start; nothing found is the default. */
export function classify(check: Keywords, text: string): Signal {
  if (hasKeyword(check.failureKeywords, text)) return 'fail';
  if (hasKeyword(check.successKeywords, text)) return 'success';
  if (hasKeyword(check.startKeywords, text)) return 'start';
  return check.filterDefaultFail ? 'fail' : 'ign';
}

/** Keywords are separated by commas and match as they are written, anywhere in the text. */
function hasKeyword(list: string, text: string): boolean {
  return list.split(',').some((piece) => {
    const keyword = piece.trim();
    return keyword !== '' && text.includes(keyword);
  });
}
