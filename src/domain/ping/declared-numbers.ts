import { MOST_NUMBER } from './numbers.ts';

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
/** What may stand around a pair of name and number. */
const EDGE = /[\s,;]/;
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

/** Looks up numbers in a body: a JSON object, else pairs like `rows=5` or `rows: 5`. */
function numbersIn(body: Uint8Array): (name: string) => number | null {
  // Replaces invalid UTF-8, and a character that the limit has cut, instead of failing.
  const text = new TextDecoder().decode(body);
  const object = readObject(text);
  return object === null ? (name) => lastPair(text, name) : (name) => soundNumber(valueAt(object, name));
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

/** The number of the last pair with that name. */
function lastPair(text: string, name: string): number | null {
  for (let end = text.length; end >= 0; ) {
    const start = text.lastIndexOf(name, end);
    if (start === -1) return null;
    const isWhole = start === 0 || EDGE.test(text.charAt(start - 1));
    const value = isWhole ? numberAfter(text, start + name.length) : null;
    if (value !== null) return value;
    end = start - 1;
  }
  return null;
}

function numberAfter(text: string, at: number): number | null {
  const rest = text.slice(at, at + MAX_DIGITS);
  const [, digits] = /^(?:=|:[ \t]*)([^\s,;]+)(?=[\s,;]|$)/.exec(rest) ?? [];
  return digits === undefined ? null : readNumber(digits);
}
