import type { ScanBudget } from './scan-budget.ts';

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const COLON = 0x3a;
const DASH = 0x2d;

/** A header that never ends is none. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Of a header field that has parameters, this much is read. */
const MAX_FIELD_LENGTH = 10_000;
/** What a line costs beyond its bytes: a message of empty lines takes longer than one of long lines. */
const LINE_STEPS = 4;

const WANTED = [
  ...['subject', 'to', 'content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  // Of a report on a delivery (RFC 3464).
  ...['action', 'status', 'diagnostic-code'],
];

const WANTED_BY_LENGTH = Map.groupBy(WANTED, (name) => name.length);

/** A message, or a part of one: some of its header fields, unfolded, and its body, still encoded. */
export interface Part {
  /** By their names in lower case; of a repeated field the first. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Without an empty line between header and body the whole thing is body; a subject is believed all the same. */
export function readMessage(bytes: Buffer, scan: ScanBudget): Part {
  const { fields, end, isComplete } = readHeader(bytes, scan);
  if (isComplete) return { fields, body: bytes.subarray(end) };
  return { fields: new Map([...fields].filter(([name]) => name === 'subject')), body: bytes };
}

/** A part within a message. The empty line after its header is missing where the body is empty. */
function readPart(bytes: Buffer, scan: ScanBudget): Part {
  const { fields, end, isComplete } = readHeader(bytes, scan);
  if (isComplete || end === bytes.length) return { fields, body: bytes.subarray(end) };
  return { fields: new Map(), body: bytes };
}

/** Groups of header fields that follow each other, with empty lines between them, until something else comes. */
export function* fieldGroupsOf(body: Buffer, scan: ScanBudget): Generator<ReadonlyMap<string, string>> {
  for (let at = 0; at < body.length; ) {
    const { fields, end, isComplete } = readHeader(body.subarray(at), scan);
    yield fields;
    if (!isComplete) return;
    at += end;
  }
}

interface Header {
  readonly fields: Map<string, string>;
  /** Where the body begins, or the line that is no header field. */
  readonly end: number;
  readonly isComplete: boolean;
}

function readHeader(bytes: Buffer, scan: ScanBudget): Header {
  const fields = new Map<string, string>();
  let field: { name: string; from: number } | null = null;
  const keep = (to: number) => {
    if (field !== null && !fields.has(field.name)) {
      fields.set(field.name, unfold(bytes, field.from, Math.min(to, field.from + MAX_HEADER_BYTES)));
    }
    field = null;
  };
  let at = 0;
  while (at < bytes.length && at < MAX_HEADER_BYTES) {
    const next = lineEnd(bytes, at);
    if (!scan.spend(next - at + LINE_STEPS)) break;
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF)) {
      keep(at);
      return { fields, end: next, isComplete: true };
    }
    if (bytes[at] !== SPACE && bytes[at] !== TAB) {
      keep(at);
      const colon = fieldNameEnd(bytes, at, next);
      // Mailboxes of Unix put an envelope before the header.
      if (colon === null && !(at === 0 && bytes.toString('latin1', 0, 5) === 'From ')) break;
      if (colon !== null) field = wantedField(bytes, at, colon);
    }
    at = next;
  }
  keep(at);
  return { fields, end: at, isComplete: false };
}

/** Where the name of a field ends, that is its colon; null for a line that is no field. */
function fieldNameEnd(bytes: Buffer, from: number, to: number): number | null {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === COLON) return at === from ? null : at;
    if (byte <= SPACE || byte > 0x7e) return null;
  }
  return null;
}

function wantedField(bytes: Buffer, from: number, colon: number): { name: string; from: number } | null {
  const name = WANTED_BY_LENGTH.get(colon - from)?.find((wanted) => isNamed(bytes, from, wanted));
  return name === undefined ? null : { name, from: colon + 1 };
}

/** In either case. Byte by byte: to make a string of every name takes ten times as long. */
function isNamed(bytes: Buffer, from: number, wanted: string): boolean {
  for (let at = 0; at < wanted.length; at++) {
    if (((bytes[from + at] ?? 0) | 0x20) !== wanted.charCodeAt(at)) return false;
  }
  return true;
}

function unfold(bytes: Buffer, from: number, to: number): string {
  return bytes
    .toString('utf8', from, to)
    .replace(/[\r\n]+/g, '')
    .trim();
}

/** Lines of up to this length are searched byte by byte: that takes less time than to call for help. */
const SHORT_LINE = 64;

/** The beginning of the next line. */
function lineEnd(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + SHORT_LINE);
  for (let at = from; at < near; at++) {
    if (bytes[at] === LF) return at + 1;
  }
  const newline = bytes.indexOf(LF, near);
  return newline === -1 ? bytes.length : newline + 1;
}

/** What a field such as `text/plain; charset="utf-8"` says, names in lower case. */
export interface Parameterised {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;]*))/g;

export function parseParameterised(field: string): Parameterised {
  const text = field.slice(0, MAX_FIELD_LENGTH);
  const [value = ''] = /^[^\s;(]*/.exec(text) ?? [];
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(PARAMETER)) {
    const parameter = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), parameter);
  }
  return { value: value.toLowerCase(), parameters };
}

/** A parameter, put together where it was sent in pieces or with a language (RFC 2231). */
export function parameterOf({ parameters }: Parameterised, name: string): string {
  const whole = parameters.get(name);
  if (whole !== undefined) return whole;
  const extended = parameters.get(`${name}*`);
  if (extended !== undefined) return extended.slice(extended.lastIndexOf("'") + 1);
  let joined = '';
  for (let index = 0; ; index++) {
    const piece = parameters.get(`${name}*${index}`);
    if (piece === undefined) return joined;
    joined += piece;
  }
}

/** The parts between the delimiters of a multipart body, one after the other, as far as the budget goes. */
export function* partsOf(body: Buffer, boundary: string, scan: ScanBudget): Generator<Part> {
  if (boundary === '') return;
  const delimiter = Buffer.from(`--${boundary}`);
  let from: number | null = null;
  for (let at = 0, next = 0; at < body.length; at = next) {
    next = lineEnd(body, at);
    if (!scan.spend(next - at + LINE_STEPS)) return;
    if (body[at] !== DASH || body[at + 1] !== DASH) continue;
    const kind = delimiterKind(body, at, delimiter, next);
    if (kind === null) continue;
    if (from !== null) yield readPart(body.subarray(from, withoutLineEnd(body, from, at)), scan);
    if (kind === 'close') return;
    from = next;
  }
  // One that was never closed, such as in a message that was cut.
  if (from !== null) yield readPart(body.subarray(from), scan);
}

/** A delimiter is a line of its own; two dashes after it close the multipart. */
function delimiterKind(body: Buffer, line: number, delimiter: Buffer, next: number): 'open' | 'close' | null {
  let at = line;
  for (const byte of delimiter) if (body[at++] !== byte) return null;
  const isClose = body[at] === DASH && body[at + 1] === DASH;
  if (isClose) at += 2;
  for (; at < next; at++) {
    const byte = body[at];
    if (byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF) return null;
  }
  return isClose ? 'close' : 'open';
}

/** The line end before a delimiter belongs to the delimiter. */
function withoutLineEnd(body: Buffer, from: number, delimiter: number): number {
  let end = delimiter;
  if (end > from && body[end - 1] === LF) end--;
  if (end > from && body[end - 1] === CR) end--;
  return end;
}
