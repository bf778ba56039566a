const WORDS = [
  '',
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const RULES = new Intl.PluralRules('en', { type: 'ordinal' });

/** `st` of the 1st. */
export function ordinalSuffix(n: number): string {
  return SUFFIXES[RULES.select(n)] ?? 'th';
}

/** `1st`, `22nd`. */
export function ordinalNumber(n: number): string {
  return `${n}${ordinalSuffix(n)}`;
}

/** `first`, and from the eleventh on `11th`. */
export function ordinalWord(n: number): string {
  return WORDS[n] || ordinalNumber(n);
}
