import { isOneSlipApart } from '../../../src/lib/one-slip.ts';

/** The matching part: the place of the first letter, and the place behind the last one. */
export type Range = readonly [from: number, to: number];

export interface Match {
  /** The lower, the better. */
  readonly cost: number;
  readonly range: Range | null;
}

/** Words of at least this length may have one wrong, missing or added letter, or two that changed places. */
const MIN_TYPO_LENGTH = 4;

/** The match of a text. Null if it does not fit. */
export function matchText(typed: string, text: string): Match | null {
  const [query, lower] = [typed.trim().toLowerCase(), text.toLowerCase()];
  if (query === '') return { cost: 0, range: null };
  const at = lower.indexOf(query);
  if (at !== -1)
    return { cost: isWordStart(lower, at) ? (at === 0 ? 0 : 1) : 2, range: [at, at + query.length] };
  const words = query.split(/\s+/);
  if (words.length > 1) {
    const costs = words.map((word) => matchText(word, text)?.cost);
    return costs.every((cost) => cost !== undefined)
      ? { cost: 1 + Math.max(...(costs as number[])), range: null }
      : null;
  }
  if (query.length < MIN_TYPO_LENGTH) return null;
  const near = wordsOf(lower).find(({ word }) => isNearPrefix(query, word));
  if (near !== undefined) {
    const end = Math.min(near.at + query.length, near.at + near.word.length);
    return { cost: 4, range: [near.at, end] };
  }
  return isSpread(query, lower) ? { cost: 6, range: null } : null;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

function wordsOf(text: string): { readonly word: string; readonly at: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({ word, at: index }));
}

/** Whether the typed text is the beginning of the word, but for one slip. */
function isNearPrefix(typed: string, word: string): boolean {
  return [-1, 0, 1].some((more) => isOneSlipApart(typed, word.slice(0, typed.length + more)));
}

/** Whether the letters come in this order, with others between: `dbb` in `db-backup`. */
function isSpread(query: string, text: string): boolean {
  let at = -1;
  for (const letter of query) {
    at = text.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}
