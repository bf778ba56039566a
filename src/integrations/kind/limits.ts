import { sizeOf, type Unit } from '../../lib/text/text-size.ts';
import type { OutboundRequest } from './outbound-request.ts';

/** The most that a provider takes. */
export interface Limit {
  readonly most: number;
  readonly in: Unit;
  /** Whether the name of the check, or the owner's title, makes it too long. */
  readonly isTitle?: true;
}

/**
 * Limits by place in the body of a request: names of fields with dots between them, and `*` for every item of a list.
 * The texts in a list or an object count together. The place `''` is the whole body.
 */
export type Limits = Readonly<Record<string, Limit>>;

/** For kinds that send nothing to a provider, or only the words of their owner, of any length. */
export const NO_LIMITS: Limits = {};

/** Used if a provider tells no limit. Servers that people run themselves often take no larger request. */
export const OUR_LIMIT: Limit = { most: 64_000, in: 'bytes' };

export function bytes(most: number): Limit {
  return { most, in: 'bytes' };
}

/** Units of UTF-16, for providers that do not define a character: this count is never too small. */
export function units(most: number): Limit {
  return { most, in: 'units' };
}

export function codePoints(most: number): Limit {
  return { most, in: 'code points' };
}

export function title(limit: Limit): Limit {
  return { ...limit, isTitle: true };
}

/** The limits that the body of a request exceeds. It is given as an object, or as text. */
export function exceededLimits(body: unknown, limits: Limits): Limit[] {
  return Object.entries(limits)
    .filter(([place, limit]) =>
      valuesAt(body, place).some((value) => sizeAt(value, place, limit) > limit.most),
    )
    .map(([, limit]) => limit);
}

function valuesAt(body: unknown, place: string): unknown[] {
  const names = place === '' ? [] : place.split('.');
  return names.reduce<unknown[]>((values, name) => values.flatMap((value) => inside(value, name)), [body]);
}

function inside(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (name === '*') return Object.values(value);
  return Object.hasOwn(value, name) ? [(value as Readonly<Record<string, unknown>>)[name]] : [];
}

function sizeAt(value: unknown, place: string, { in: unit }: Limit): number {
  if (typeof value === 'string') return sizeOf(value, unit);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  // The quotes and commas of JSON count for the whole.
  if (place === '' && unit === 'bytes') return Buffer.byteLength(JSON.stringify(value));
  return Object.values(value).reduce<number>(
    (sum, part) => sum + sizeAt(part, '*', { most: 0, in: unit }),
    0,
  );
}

/** The body of a request as an object, if it is one. */
export function bodyOf({ headers, body }: Pick<OutboundRequest, 'headers' | 'body'>): unknown {
  if (typeof body !== 'string') return body;
  const type = headers['Content-Type'] ?? headers['content-type'] ?? '';
  if (type === 'application/json') return JSON.parse(body);
  return type === 'application/x-www-form-urlencoded' ? Object.fromEntries(new URLSearchParams(body)) : body;
}
