import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';
import type { Reply } from '../kind/kind.ts';

/** The statuses with which providers accept a message. Any other status is a failure. */
const TAKEN = [200, 201, 202, 204];

export function isTaken({ status }: Reply): boolean {
  return TAKEN.includes(status);
}

/**
 * The meaning of an answer for most kinds. Every failure is retried, later if the provider asks for it. `words` is the
 * provider's own message, if its answer has one.
 */
export function classifyByStatus(reply: Reply, words?: unknown): Outcome {
  return isTaken(reply) ? DELIVERED : notTaken(reply, words);
}

/** For an answer whose body says that the message was not taken, with any status. */
export function notTaken(reply: Reply, words: unknown): Outcome {
  return tryAgain(statusErrorWith(reply, words), retryAfter(reply));
}

/** For an answer that says that the destination will never take a message again. */
export function goneForGood(reply: Reply, words?: unknown): Outcome {
  return { kind: 'permanent', error: statusErrorWith(reply, words) };
}

export function statusError({ status }: Reply): string {
  return `Received status code ${status}`;
}

/** The status with the provider's own message, if it has one. */
export function statusErrorWith(reply: Reply, message: unknown): string {
  const hasWords = typeof message === 'string' && message !== '';
  return hasWords ? `${statusError(reply)} with a message: "${message}"` : statusError(reply);
}

/**
 * RFC 9110, section 10.2.3: seconds, which may be fractions, or a date. A date counts from the date of the answer, so
 * that a wrong clock does not matter.
 */
export function retryAfter({ headers }: Reply): number | null {
  const { 'retry-after': after = '', date = '' } = headers;
  if (/^\d{1,6}(\.\d+)?$/.test(after)) return Math.ceil(Number(after));
  const pause = HTTP_DATE.test(after) ? Math.ceil((Date.parse(after) - Date.parse(date)) / 1000) : Number.NaN;
  return Number.isFinite(pause) ? Math.max(0, pause) : null;
}

/**
 * Seconds until a limit of requests ends, where a provider tells it as seconds since 1970. They count from the date of the
 * answer, and from `now` if it has none. Null if that is not told.
 */
export function limitEndsIn({ headers }: Reply, now: Instant | null = null): number | null {
  const { 'x-ratelimit-reset': end = '', date = '' } = headers;
  const asked = HTTP_DATE.test(date)
    ? Date.parse(date) / 1000
    : now === null
      ? Number.NaN
      : now / MICROS_PER_SECOND;
  const pause = /^\d{1,11}(\.\d+)?$/.test(end) ? Math.ceil(Number(end) - asked) : Number.NaN;
  return pause > 0 ? pause : null;
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

export function textOf({ body }: Reply): string {
  return new TextDecoder().decode(body);
}

/** The JSON object in the body; empty if there is none. */
export function jsonOf(reply: Reply): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(textOf(reply)));
  } catch {
    return {};
  }
}

/** The value if it is an object; else an empty one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
