/** Where a text matches: the place of the first letter, and the place behind the last one. */
export type Range = readonly [from: number, to: number];

export interface Match {
  /** The lower, the better. */
  readonly cost: number;
  readonly range: Range | null;
}

/** Words of at least this length may have one wrong, missing or added letter, or two that changed places. */
const MIN_TYPO_LENGTH = 4;

/** How well a text fits what was typed. Null if it does not. */
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

/** Whether the beginning of the word is what was typed, but for one slip. */
function isNearPrefix(typed: string, word: string): boolean {
  return [-1, 0, 1].some((more) => slips(typed, word.slice(0, typed.length + more)) <= 1);
}

/** How many slips lead from one word to the other, as far as it is one at the most. More count as two. */
function slips(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 1) return 2;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [endOne, endOther] = [one.length, other.length];
  while (endOne > start && endOther > start && one[endOne - 1] === other[endOther - 1]) {
    endOne--;
    endOther--;
  }
  const [a, b] = [one.slice(start, endOne), other.slice(start, endOther)];
  if (a.length === 0 && b.length === 0) return 0;
  if (a.length <= 1 && b.length <= 1) return 1;
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0] ? 1 : 2;
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
