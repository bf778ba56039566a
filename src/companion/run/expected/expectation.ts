/** What a job should have left behind, and whether it has. */
import type { Left } from '../../spool/left.ts';

export interface Expectation {
  /** One for each file. */
  readonly patterns: readonly string[];
  /** Whether the file has to be of this run. */
  readonly isNew: boolean;
  readonly leastBytes: number;
  /** How many per cent smaller a file may be than that of the last run; null for any. */
  readonly mostShrink: number | null;
}

interface ExpectationOptions {
  readonly 'expect-file': readonly string[];
  readonly 'newer-than-start': boolean;
  readonly 'min-size': number | null;
  readonly 'shrink-at-most': number | null;
}

export function expectationOf(options: ExpectationOptions): Expectation {
  return {
    patterns: options['expect-file'],
    isNew: options['newer-than-start'],
    // Nobody expects an empty file, unless he says so.
    leastBytes: options['min-size'] ?? 1,
    mostShrink: options['shrink-at-most'],
  };
}

/** What there is. */
export type Found =
  | { readonly kind: 'file'; readonly left: Left }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Case {
  readonly pattern: string;
  readonly found: Found;
  /** What the last run left that was as expected. */
  readonly last: Left | null;
  /** By the clock of this machine. */
  readonly startedMs: number;
}

/** File systems round times, FAT to two seconds, and the clock of a file server is never quite ours. */
export const TOLERANCE_MS = 2_000;
const MOST_TEXT = 200;

/** Why what was found is not what was expected; null if it is. No word is one that filters for keywords look for. */
export function whyNot({ pattern, found, last, startedMs }: Case, expected: Expectation): string | null {
  const name = shown(pattern);
  const before = last === null ? '' : `; the last run left ${inWords(last)}`;
  if (found.kind === 'unknown') return `${name}: cannot be looked at: ${found.reason}`;
  if (found.kind === 'nothing') return `${name}: nothing is there${before}`;
  const { left } = found;
  if (expected.isNew && isSame(left, last))
    return `${name}: nothing new: ${inWords(left)} is what the last run left`;
  if (expected.isNew && left.changedMs < startedMs - TOLERANCE_MS) {
    const times = `is of ${timeOf(left.changedMs)}, and the job started at ${timeOf(startedMs)}`;
    return `${name}: nothing new: ${inWords(left)} ${times}`;
  }
  if (left.bytes < expected.leastBytes) {
    return `${name}: too small: ${inWords(left)}, where at least ${expected.leastBytes} are expected${before}`;
  }
  const { mostShrink } = expected;
  if (mostShrink !== null && last !== null && left.bytes < last.bytes * (1 - mostShrink / 100)) {
    return `${name}: shrunk by more than ${mostShrink}%: ${inWords(left)}${before}`;
  }
  return null;
}

/** Clocks do not matter where nothing has changed. */
function isSame(left: Left, last: Left | null): boolean {
  return last?.path === left.path && last.bytes === left.bytes && last.changedMs === left.changedMs;
}

/**
 * What is remembered is remembered by this. A pattern with the date of the run in it is the same pattern tomorrow; patterns
 * that differ in digits alone are told apart by their order.
 */
export function keysOf(patterns: readonly string[]): readonly string[] {
  const withoutDigits = patterns.map((pattern) => pattern.replaceAll(/\d+/g, '#'));
  return withoutDigits.map((key, index) => {
    const nth = withoutDigits.slice(0, index).filter((other) => other === key).length;
    return nth === 0 ? key : `${key} ${nth}`;
  });
}

const inWords = ({ path, bytes }: Left): string => `${shown(path)} with ${bytes} bytes`;

/** Names of files may contain anything, and stand in one line here. */
function shown(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?');
  return line.length > MOST_TEXT ? `…${line.slice(-MOST_TEXT)}` : line;
}

/** A file may be of any time. */
function timeOf(ms: number): string {
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : 'no time';
}
