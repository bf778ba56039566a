import type { ValueSet } from './value-set.ts';

export const WEEKDAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Lists ascending values, three or more in a row as a range: `1, 3 and 5 to 9`. */
export function listValues(values: readonly number[], name: (value: number) => string = String): string {
  const words: string[] = [];
  for (let index = 0; index < values.length; ) {
    const first = values[index] ?? 0;
    let length = 1;
    while (values[index + length] === first + length) length += 1;
    if (length >= 3) words.push(`${name(first)} to ${name(first + length - 1)}`);
    else for (let offset = 0; offset < length; offset += 1) words.push(name(first + offset));
    index += length;
  }
  return joinWords(words);
}

/** Whether the values are consecutive. */
export function isRun({ first, last, size }: ValueSet): boolean {
  return size === last - first + 1;
}

/** The step between the values, if they begin at `start` and continue evenly until the next would exceed `max`. */
export function evenStep({ values, first, last, size }: ValueSet, start: number, max: number): number | null {
  const step = (values[1] ?? 0) - first;
  const isEven = size >= 3 && first === start && last - first === step * (size - 1) && last + step > max;
  return isEven && values.every((value) => (value - first) % step === 0) ? step : null;
}

export function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
