import type { Flip, FlipSpan } from '../../domain/check/flip.ts';
import { AppError } from '../../domain/errors.ts';
import { type Instant, seconds, toIsoSeconds } from '../../lib/instant.ts';
import type { ApiVersion } from './version.ts';

export const LATEST_SECOND = 10_000_000_000;
const YEAR_SECONDS = 31_536_000;

export interface FlipJson {
  timestamp: string;
  /** 1 when the check became up, 0 for every other change. */
  up: 0 | 1;
}

/** The answer of version 3: the array of its contract, or the object that programs for the reference expect. */
export type V3Flips = (typeof V3_FLIPS)[number];

export const V3_FLIPS = ['array', 'object'] as const;

/** A bare array of the changes to up and down, or an object that also lists pausing and resuming. */
export type FlipListForm = V3Flips;

/**
 * Version 3 answers with the array, versions 1 and 2 with the object. Their clients rely on both. The reference answers
 * with the object in version 3 as well, and an operator may choose that.
 */
export function flipListForm(version: ApiVersion, v3Flips: V3Flips): FlipListForm {
  return version < 3 ? 'object' : v3Flips;
}

/** The text of the list, a piece for each page. */
export async function* flipListText(
  pages: AsyncIterable<readonly Flip[]>,
  form: FlipListForm,
): AsyncGenerator<string> {
  const isObject = form === 'object';
  let separator = '';
  yield isObject ? '{"flips":[' : '[';
  for await (const page of pages) {
    const shown = isObject ? page : page.filter(isUpOrDown);
    if (shown.length === 0) continue;
    yield separator + shown.map((flip) => JSON.stringify(flipJson(flip))).join(',');
    separator = ',';
  }
  yield isObject ? ']}' : ']';
}

function isUpOrDown({ newStatus }: Flip): boolean {
  return newStatus === 'up' || newStatus === 'down';
}

export function flipJson({ createdAt, newStatus }: Flip): FlipJson {
  return { timestamp: toIsoSeconds(createdAt), up: newStatus === 'up' ? 1 : 0 };
}

/** `start` and `end` are UNIX times. `seconds` counts back from now. All given limits apply together. */
export function parseFlipSpan(query: URLSearchParams, now: Instant): FlipSpan {
  const start = readWhole(query, 'start', LATEST_SECOND);
  const end = readWhole(query, 'end', LATEST_SECOND);
  const age = readWhole(query, 'seconds', YEAR_SECONDS, 1);
  const from = start === null ? null : seconds(start);
  const since = age === null ? null : now - seconds(age);
  return {
    from: from === null || since === null ? (from ?? since) : Math.max(from, since),
    before: end === null ? null : seconds(end),
  };
}

/** The last value of that name. Null if there is none. */
export function readWhole(query: URLSearchParams, name: string, maximum: number, minimum = 0): number | null {
  const text = query.getAll(name).at(-1);
  if (text === undefined) return null;
  const digits = /^\s*\+?(\d+)\s*$/.exec(text)?.[1];
  const value = digits === undefined ? Number.NaN : Number(digits);
  if (minimum <= value && value <= maximum) return value;
  throw new AppError('invalid_query', `${name} is not a whole number from ${minimum} to ${maximum}`);
}
