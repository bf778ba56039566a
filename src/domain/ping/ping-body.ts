import type { Ping } from './ping.ts';

/** A body that was looked for in object storage. Null if it is not there, or was never moved. */
export type MovedBody = Uint8Array | 'unavailable' | null;

/** The type of a body, for display. */
export type BodyType = 'email' | 'json' | 'terminal' | 'text' | 'binary';

/** Bytes of a body up to which it is shown whole, and its type is examined. */
export const MAX_WHOLE_BODY = 100_000;
/** Lines at the beginning and at the end of a longer body that are shown. */
export const FIRST_LINES = 20;
export const LAST_LINES = 200;
/** Characters of a line that are shown. */
export const MAX_LINE = 10_000;

/** The highest share of characters in a text that cannot be shown. */
const MAX_UNREADABLE_SHARE = 0.1;

/** `text` is the decoded body. */
export function bodyTypeOf(text: string, { scheme }: Pick<Ping, 'scheme'>): BodyType {
  if (scheme === 'email') return 'email';
  if (isBinary(text)) return 'binary';
  if (isJson(text)) return 'json';
  return text.includes('\u001b[') ? 'terminal' : 'text';
}

function isBinary(text: string): boolean {
  const sample = text.slice(0, MAX_WHOLE_BODY);
  if (sample.includes('\0')) return true;
  const unreadable = sample.match(UNREADABLE)?.length ?? 0;
  return unreadable > sample.length * MAX_UNREADABLE_SHARE;
}

/** Control characters that no terminal uses, and the replacement of invalid UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
const UNREADABLE = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g;

function isJson(text: string): boolean {
  if (text.length > MAX_WHOLE_BODY || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The lines of a body, or of a long one its beginning and its end. */
export interface BodyLines {
  readonly total: number;
  readonly first: readonly string[];
  /** The number of lines left out between the two. */
  readonly skipped: number;
  readonly last: readonly string[];
}

export function bodyLines(text: string, isWhole: boolean): BodyLines {
  const lines = linesOf(text);
  const isShort = isWhole || lines.length <= FIRST_LINES + LAST_LINES;
  if (isShort) return { total: lines.length, first: lines.map(clippedLine), skipped: 0, last: [] };
  return {
    total: lines.length,
    first: lines.slice(0, FIRST_LINES).map(clippedLine),
    skipped: lines.length - FIRST_LINES - LAST_LINES,
    last: lines.slice(-LAST_LINES).map(clippedLine),
  };
}

/** The end of the last line begins no further one. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

function clippedLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`;
}

/** Lines of an excerpt. */
export const EXCERPT_LINES = 6;
/** Bytes from which an excerpt is made. */
export const EXCERPT_BYTES = 2_000;
/** Characters of one of its lines. */
const EXCERPT_LINE = 300;

/** A few lines of a body, for lists: the last ones of what failed, else the first ones. */
export function excerptOf(text: string, end: 'first' | 'last'): string[] {
  const lines = linesOf(text).filter((line) => line.trim() !== '');
  const wanted = end === 'first' ? lines.slice(0, EXCERPT_LINES) : lines.slice(-EXCERPT_LINES);
  return wanted.map((line) => (line.length <= EXCERPT_LINE ? line : `${line.slice(0, EXCERPT_LINE)}…`));
}

/** A few lines around the first place where `words`, in lower case, occur. Null if they do not occur. */
export function matchOf(text: string, words: string): string[] | null {
  const place = text.toLowerCase().indexOf(words);
  if (place === -1) return null;
  const before = text.slice(0, place).split('\n').length - 1;
  const lines = text.split(/\r?\n/);
  const from = Math.max(0, before - 1);
  return lines.slice(from, from + EXCERPT_LINES).map((line) => aroundMatch(line, words));
}

/** A long line is cut, and the match stays in it. */
function aroundMatch(line: string, words: string): string {
  if (line.length <= EXCERPT_LINE) return line;
  const at = Math.max(0, line.toLowerCase().indexOf(words));
  const from = Math.max(0, Math.min(at - EXCERPT_LINE / 3, line.length - EXCERPT_LINE));
  return `${from > 0 ? '…' : ''}${line.slice(from, from + EXCERPT_LINE)}…`;
}
