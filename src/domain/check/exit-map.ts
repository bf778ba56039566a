/** What an exit status means. `ok` and `warn` are successes. */
export type ExitMeaning = 'ok' | 'warn' | 'fail';

interface ExitTerm {
  readonly from: number;
  readonly to: number;
  readonly meaning: ExitMeaning;
}

/** In the order in which they are asked. */
export type ExitMap = readonly ExitTerm[];

export const HIGHEST_EXIT_STATUS = 255;
export const MAX_EXIT_TERMS = 32;
const MEANINGS: readonly ExitMeaning[] = ['ok', 'warn', 'fail'];

/** The meaning of an exit status. The first match counts; without one 0 is ok and all else fails. */
export function exitMeaning(map: ExitMap, status: number): ExitMeaning {
  const term = map.find(({ from, to }) => from <= status && status <= to);
  return term?.meaning ?? (status === 0 ? 'ok' : 'fail');
}

/** Reads `0,2-4=ok 24=warn *=fail`. The text must be sound. */
export function parseExitMap(text: string): ExitMap {
  const map = readExitMap(text);
  return typeof map === 'string' ? [] : map;
}

/** Why the text is no map. Null if it is one. */
export function exitMapFault(text: string): string | null {
  const map = readExitMap(text);
  return typeof map === 'string' ? map : null;
}

function readExitMap(text: string): ExitMap | string {
  const terms: ExitTerm[] = [];
  const groups = text.split(/\s+/).filter((group) => group !== '');
  if (groups.length === 0) return 'it is empty';
  for (const group of groups) {
    const [statuses = '', word, ...rest] = group.split('=');
    const meaning = MEANINGS.find((one) => one === word);
    if (meaning === undefined || rest.length > 0) return `"${group}" does not end in =ok, =warn or =fail`;
    for (const status of statuses.split(',')) {
      const range = readRange(status);
      if (typeof range === 'string') return range;
      terms.push({ ...range, meaning });
    }
  }
  return terms.length > MAX_EXIT_TERMS ? `it has more than ${MAX_EXIT_TERMS} terms` : terms;
}

function readRange(text: string): Pick<ExitTerm, 'from' | 'to'> | string {
  if (text === '*') return { from: 0, to: HIGHEST_EXIT_STATUS };
  const [, first, last = first] = /^([0-9]{1,4})(?:-([0-9]{1,4}))?$/.exec(text) ?? [];
  if (first === undefined) return `"${text}" is no exit status`;
  const [from, to] = [Number(first), Number(last)];
  if (to > HIGHEST_EXIT_STATUS || from > HIGHEST_EXIT_STATUS)
    return `"${text}" is above ${HIGHEST_EXIT_STATUS}`;
  return from > to ? `"${text}" ends before it begins` : { from, to };
}
