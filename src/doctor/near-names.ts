import { isHealthchecksName } from './healthchecks-names.ts';

/** Shorter names are too often alike by chance. */
const MIN_LENGTH = 5;
const LONG = 8;

/** Known names that somebody may have meant by names that are not known, in the order of the latter. */
export function nearNames(
  given: readonly string[],
  known: readonly string[],
): { readonly given: string; readonly meant: string }[] {
  const taken = new Set(given);
  const candidates = known.filter((name) => !taken.has(name));
  const unknown = given.filter((name) => !known.includes(name) && !isHealthchecksName(name));
  return unknown.flatMap((name) => {
    const meant = name.length < MIN_LENGTH ? undefined : nearest(name, candidates);
    return meant === undefined ? [] : [{ given: name, meant }];
  });
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  return (
    candidates.find((candidate) => letters(candidate) === letters(name)) ??
    candidates.find((candidate) => distance(name, candidate) <= (name.length < LONG ? 1 : 2)) ??
    candidates.find((candidate) => lacksOneWord(name, candidate))
  );
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** `EMAIL_TLS` is `EMAIL_USE_TLS` without one of its words. */
function lacksOneWord(name: string, candidate: string): boolean {
  const words = candidate.split('_');
  if (name.split('_').length < 2) return false;
  return words.some((_word, index) => words.toSpliced(index, 1).join('_') === name);
}

/** Letters to insert, remove, replace or swap with their neighbour. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_value, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? Number.POSITIVE_INFINITY;
}
