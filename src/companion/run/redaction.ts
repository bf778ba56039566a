/** Removes secrets from what is attached to pings. */
import { createContext, runInContext } from 'node:vm';

export const REDACTED = '[redacted]';
const SECRET_NAMES = /PASS|SECRET|TOKEN|KEY|CREDENTIAL|DSN/i;
const SHORTEST_SECRET = 8;
/** What users' own patterns may match across the place where the output was cut. */
const PATTERN_BYTES = 4_096;
export const PATTERNS_MS = 250;

const BUILT_IN: readonly RegExp[] = [
  // The password in `scheme://user:password@`.
  /(?<=[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/?#@]{0,255}:)[^\s/?#@]{1,1024}(?=@)/giu,
  /(?<=\bauthorization[ \t]{0,8}[:=][ \t"']{0,8})[^\s"'][^\r\n"']{0,4096}/giu,
  /(?<=\bbearer[ \t]{1,8})[^\s"']{1,4096}/giu,
];

export interface Secrets {
  /** Texts that are removed wherever they stand. */
  readonly texts: readonly string[];
  readonly patterns: readonly RegExp[];
  /** Patterns of users, which may take as long as they like. */
  readonly userPatterns: readonly RegExp[];
  /** The longest secret in bytes: so much more than is sent has to be looked at. */
  readonly longest: number;
}

/** A stretch of output. What was redacted has other bytes than its source. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly sourceLength: number;
}

/** A character has up to four bytes; no cut divides it. */
export const NO_SECRETS: Secrets = { texts: [], patterns: [], userPatterns: [], longest: 4 };

/** `names` are variables whose values are secrets whatever they are called; `own` are our keys and addresses. */
export function secretsOf(
  environment: Readonly<Record<string, string | undefined>>,
  given: { names: readonly string[]; own: readonly string[]; userPatterns: readonly RegExp[] },
): Secrets {
  const values = Object.entries(environment).flatMap(([name, value = '']) => {
    const isSecret = SECRET_NAMES.test(name) && value.length >= SHORTEST_SECRET;
    return isSecret || (given.names.includes(name) && value !== '') ? [value] : [];
  });
  // A value may have several lines, of which a job prints one.
  const lines = values
    .flatMap((value) => value.split(/\r?\n/))
    .filter((one) => one.length >= SHORTEST_SECRET);
  const texts = [...new Set([...values, ...lines, ...given.own])].filter((text) => text !== '');
  const lengths = texts.map((text) => Buffer.byteLength(text));
  return {
    // The longer ones first: one secret may contain another.
    texts: texts.sort((one, two) => two.length - one.length),
    patterns: BUILT_IN,
    userPatterns: given.userPatterns,
    longest: Math.max(PATTERN_BYTES, ...lengths),
  };
}

/** The output in pieces, without its secrets; null where the patterns of users take too long. */
export function redact(bytes: Uint8Array, secrets: Secrets): readonly Piece[] | null {
  const text = decode(bytes);
  const spans = [
    ...secrets.texts.flatMap((secret) => spansOfText(text, secret)),
    ...secrets.patterns.flatMap((pattern) => spansOfPattern(text, pattern)),
  ];
  const own = secrets.userPatterns.length === 0 ? [] : spansInTime(text, secrets.userPatterns);
  return own === null ? null : cutOut(text, merge([...spans, ...own]));
}

type Span = readonly [start: number, end: number];

function spansOfText(text: string, secret: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    spans.push([at, at + secret.length]);
  }
  return spans;
}

function spansOfPattern(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map(({ 0: match, index }) => [index, index + match.length]);
}

/** Node ends what runs in a context when its time is over, also in the middle of a match. */
function spansInTime(text: string, patterns: readonly RegExp[]): Span[] | null {
  const find = () => patterns.flatMap((pattern) => spansOfPattern(text, pattern));
  try {
    // The context has no value of its own: `find` is ours, and returns what we declare.
    return runInContext('find()', createContext({ find }), { timeout: PATTERNS_MS }) as Span[];
  } catch {
    return null;
  }
}

function merge(spans: Span[]): Span[] {
  const merged: [number, number][] = [];
  for (const [start, end] of spans.sort(([one], [two]) => one - two)) {
    const last = merged.at(-1);
    if (start === end) continue;
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function cutOut(text: string, spans: readonly Span[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const keep = (end: number) => {
    const bytes = encode(text.slice(from, end));
    if (bytes.length > 0) pieces.push({ bytes, sourceLength: bytes.length });
  };
  for (const [start, end] of spans) {
    keep(start);
    pieces.push({ bytes: Buffer.from(REDACTED), sourceLength: encode(text.slice(start, end)).length });
    from = end;
  }
  keep(text.length);
  return pieces;
}

/** Bytes that are no UTF-8 become halves of surrogate pairs, which UTF-8 cannot contain, so that they can be written back. */
const LONE = 0xdc00;

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = buffer.toString('utf8');
  if (!plain.includes('\ufffd')) return plain;
  let text = '';
  for (let at = 0; at < buffer.length; ) {
    const length = characterLength(buffer, at);
    text +=
      length === 0 ? String.fromCharCode(LONE + (buffer[at] ?? 0)) : buffer.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

function encode(text: string): Uint8Array {
  if (!/[\udc80-\udcff]/u.test(text)) return Buffer.from(text);
  const parts = text
    .split(/([\udc80-\udcff]+)/u)
    .map((part, index) =>
      index % 2 === 0 ? Buffer.from(part) : Buffer.from([...part].map((one) => one.charCodeAt(0) - LONE)),
    );
  return Buffer.concat(parts);
}

/** How many bytes the character that begins here has; 0 where no character begins. */
export function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0x80;
  const length =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  const character = bytes.subarray(at, at + length);
  if (character.length < length) return 0;
  return length < 2 || !Buffer.from(character).toString('utf8').includes('\ufffd') ? length : 0;
}
