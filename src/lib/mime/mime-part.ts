import type { ScanBudget } from './scan-budget.ts';

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const COLON = 0x3a;
const DASH = 0x2d;

/** A longer header is not read as one. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Characters that are read of a header field with parameters. */
const MAX_FIELD_LENGTH = 10_000;
/** The cost of a line in addition to its bytes. Without it, a message of empty lines would take too long. */
const LINE_STEPS = 4;

const WANTED = [
  ...[
    'subject',
    'from',
    'to',
    'date',
    'content-type',
    'content-transfer-encoding',
    'content-disposition',
    'content-id',
  ],
  // Fields of a report on a delivery (RFC 3464).
  ...['action', 'status', 'diagnostic-code'],
];

const WANTED_BY_LENGTH = Map.groupBy(WANTED, (name) => name.length);

/** A message or a part of one: some of its header fields, unfolded, and its encoded body. */
export interface Part {
  /** By name in lower case. The first of a repeated field counts. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Without an empty line after the header the whole message is body, but its subject still counts. */
export function readMessage(bytes: Buffer, scan: ScanBudget): Part {
  const { fields, end, isComplete } = readHeader(bytes, scan);
  if (isComplete) return { fields, body: bytes.subarray(end) };
  return { fields: new Map([...fields].filter(([name]) => name === 'subject')), body: bytes };
}

/** Reads a part within a message. If its body is empty, there may be no empty line after the header. */
function readPart(bytes: Buffer, scan: ScanBudget): Part {
  const { fields, end, isComplete } = readHeader(bytes, scan);
  if (isComplete || end === bytes.length) return { fields, body: bytes.subarray(end) };
  return { fields: new Map(), body: bytes };
}

/** Consecutive groups of header fields with empty lines between them. */
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
  /** The start of the body, or of the first line that is not a header field. */
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
      // Unix mailboxes put an envelope line before the header.
      if (colon === null && !(at === 0 && bytes.toString('latin1', 0, 5) === 'From ')) break;
      if (colon !== null) field = wantedField(bytes, at, colon);
    }
    at = next;
  }
  keep(at);
  return { fields, end: at, isComplete: false };
}

/** The position of the colon after a field's name. Null if the line is not a field. */
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

/** Whether the field has this name, ignoring case. Comparing bytes is ten times as fast as making strings. */
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

/** Up to this length a loop over the bytes is faster than `indexOf`. */
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

/** A field such as `text/plain; charset="utf-8"`. Names are in lower case. */
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

/** A parameter. Joins it if it was sent in pieces, and removes its language (RFC 2231). */
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

/** The parts between the delimiters of a multipart body, until the budget is spent. */
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
  // The last part has no closing delimiter if the message was truncated.
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
