import type { Moment, ServerLimits, Signal } from '../ping.ts';
import { ageMsOf, inWords, MOST_AGE_MS } from './age.ts';
import type { PingHead } from './entry.ts';

/** How a waiting ping is sent. */
export interface LateForm {
  readonly signal: Signal;
  /** Null where it is not known. */
  readonly ageMs: number | null;
  /** The first line of the body; null where the server keeps the true time by itself. */
  readonly line: string | null;
}

/**
 * A server that knows late pings gets the ping with its age. Any other would take an old result for a new one: it gets a log that
 * tells of it, unless the result is so young that a client that tries again would still send it. The age goes along in any case:
 * servers that do not know it ignore it, and one that knows has perhaps not been asked yet.
 */
export function lateForm(
  head: PingHead,
  {
    now,
    limits,
    isNewestResult,
    lateAsFreshMs,
  }: {
    readonly now: Moment;
    readonly limits: ServerLimits | null;
    readonly isNewestResult: boolean;
    readonly lateAsFreshMs: number;
  },
): LateForm {
  const known = limits?.ageSeconds ?? null;
  const ageMs = ageMsOf(head.at, now, known === null ? MOST_AGE_MS : Math.min(MOST_AGE_MS, known * 1000));
  if (ageMs !== null && (known !== null || (isNewestResult && ageMs <= lateAsFreshMs))) {
    return { signal: head.signal, ageMs, line: null };
  }
  return { signal: 'log', ageMs, line: lineOf(head, ageMs, now) };
}

function lineOf({ signal, at }: PingHead, ageMs: number | null, now: Moment): string {
  const what = typeof signal === 'number' ? `exit status ${signal}` : signal;
  if (ageMs === null) return `[tocsin] ${what} of an unknown time; the clock showed ${timeOf(at.wallMs)}`;
  return `[tocsin] ${what} of ${timeOf(now.wallMs - ageMs)}, delivered ${inWords(ageMs)} later`;
}

/** Whole seconds in UTC. */
export function timeOf(wallMs: number): string {
  const date = new Date(wallMs);
  return Number.isNaN(date.getTime()) ? 'nothing' : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Lines of ours before the end of a body, in a limit; characters stay whole. */
export function bodyWith(lines: readonly string[], body: Uint8Array, limitBytes: number | null): Uint8Array {
  if (lines.length === 0) return body;
  const head = new TextEncoder().encode(lines.join('\n') + (body.length > 0 ? '\n' : ''));
  const room = limitBytes === null ? body.length : Math.max(0, limitBytes - head.length);
  return Buffer.concat([head, lastBytes(body, room)]);
}

/** The last bytes, from the beginning of a character. */
export function lastBytes(bytes: Uint8Array, most: number): Uint8Array {
  if (bytes.length <= most) return bytes;
  let begin = bytes.length - most;
  while (begin < bytes.length && ((bytes[begin] ?? 0) & 0xc0) === 0x80) begin += 1;
  return bytes.subarray(begin);
}
