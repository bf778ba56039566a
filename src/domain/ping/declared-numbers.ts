import { searchedText } from './keyword-filter.ts';
import { MOST_NUMBER } from './numbers.ts';

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
/** A name and, behind it, what may be its number. White space, commas and semicolons stand around both. */
const PAIR = /(?<=^|[\s,;])[A-Za-z_][\w.-]*(?=(?:=|:[ \t]{0,60})([^\s,;]{1,60})(?:[\s,;]|$))/g;
/** No number that counts is longer. */
const MAX_DIGITS = 60;

/** A number that jobs report with their end, by name. */
export type SentNumber = readonly [name: string, value: number];

/** A decimal number of fewer than sixteen digits before the point. Null if the text is none. */
export function readNumber(text: string): number | null {
  return text.length <= MAX_DIGITS && DECIMAL.test(text) ? soundNumber(Number(text)) : null;
}

function soundNumber(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) < MOST_NUMBER ? value : null;
}

/** Reads `rows:5`. Null if it is no name with a number. */
export function readSentNumber(text: string): SentNumber | null {
  const colon = text.lastIndexOf(':');
  const value = readNumber(text.slice(colon + 1));
  return colon < 1 || value === null ? null : [text.slice(0, colon), value];
}

/** The numbers of these names, in this order: those of the request, else those in the body. Absent if they are in neither. */
export function runNumbers(
  names: readonly string[],
  body: Uint8Array | null,
  sent: readonly SentNumber[],
): Map<string, number> {
  const inBody = body === null ? () => null : numbersIn(body);
  const found = names.map((name) => {
    const last = sent.findLast(([other]) => other === name);
    return [name, last === undefined ? inBody(name) : last[1]] as const;
  });
  return new Map(found.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
}

/** Looks up numbers at the beginning of a body: a JSON object, else pairs like `rows=5` or `rows: 5`. */
function numbersIn(body: Uint8Array): (name: string) => number | null {
  const text = searchedText(body);
  const object = readObject(text);
  if (object !== null) return (name) => soundNumber(valueAt(object, name));
  const pairs = pairsIn(text);
  return (name) => pairs.get(name) ?? null;
}

function readObject(text: string): object | null {
  if (!/^\s*\{/.test(text)) return null;
  try {
    // An object, since it begins with a brace.
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}

/** The value below the object at a path with dots. */
function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** The number of the last pair of each name. One pass, whatever the body is made of: its length alone decides how long it takes. */
function pairsIn(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [name, digits = ''] of text.matchAll(PAIR)) {
    const value = readNumber(digits);
    if (value !== null) found.set(name, value);
  }
  return found;
}
