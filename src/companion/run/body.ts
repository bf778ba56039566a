/** The body of a ping about a job: its output without secrets, cut to what the server accepts. */
import type { Signal } from '../ping.ts';
import type { Kept, Shares } from './output.ts';
import { characterLength, type Piece, redact, type Secrets } from './redaction.ts';
import { isSuccess, MOST_BODY_BYTES, type Outcome, type ReportOptions, statusOf } from './report.ts';

export interface BodyParts {
  readonly outcome: Outcome;
  readonly kept: Kept;
  readonly secrets: Secrets;
  readonly options: ReportOptions;
  /** What the ping itself tells of the outcome. */
  readonly signal: Signal;
  readonly limit: number;
  /** The first line of the body; empty for none. */
  readonly head: string;
  /** What our last line says besides. */
  readonly remarks: readonly string[];
}

/** What has to be kept of an output for any limit that a server may tell. */
export function sharesOf({ output, 'output-limit': limit }: ReportOptions, { longest }: Secrets): Shares {
  const most = Math.min(limit ?? MOST_BODY_BYTES, MOST_BODY_BYTES);
  switch (output) {
    case 'tail':
      return { head: 0, tail: most + longest };
    case 'head':
      return { head: most + longest, tail: 0 };
    case 'ends':
      return { head: frontOf(most) + longest, tail: most + longest };
    case 'none':
      return { head: 0, tail: 0 };
  }
}

/** Of both ends of an output, the front gets a quarter. */
const frontOf = (limit: number): number => Math.floor(limit / 4);

export function bodyOf(parts: BodyParts): Uint8Array {
  const head = Buffer.from(`${parts.head}\n`);
  if (parts.head === '' || head.length > parts.limit) return restOf(parts);
  const rest = restOf({ ...parts, limit: parts.limit - head.length });
  return rest.length === 0 ? head.subarray(0, -1) : Buffer.concat([head, rest]);
}

function restOf(parts: BodyParts): Uint8Array {
  const { outcome, options, kept, limit } = parts;
  if (outcome.ending.kind === 'not started') return Buffer.from(outcome.ending.reason).subarray(0, limit);
  const isWanted =
    options.output !== 'none' && (options['output-on'] === 'always' || !isSuccess(outcome, options));
  const source = isWanted ? redactedEnds(parts) : NOTHING;
  const remarks = [...outcome.unmet, ...parts.remarks].map(
    (one) => `; ${withoutSecrets(one, parts.secrets)}`,
  );
  const end = `${endInWords(outcome)}${remarks.join('')}`;
  if (source === null) return Buffer.from(`[tocsin] ${end}; ${TOO_SLOW}`).subarray(0, limit);
  const cut = (room: number) => compose(source, options.output, room);
  const whole = cut(limit);
  const leftOut = (body: Composed) => (isWanted ? kept.total - body.sourceLength : 0);
  const isNeeded =
    !isToldBy(parts.signal, outcome) ||
    remarks.length > 0 ||
    (leftOut(whole) > 0 && options.output !== 'ends');
  if (!isNeeded || options['no-summary']) return whole.bytes;
  return withSummary(cut, limit, (body) => {
    const missing = options.output === 'ends' ? 0 : leftOut(body);
    return Buffer.from(`[tocsin] ${end}${missing > 0 ? `; ${missing} bytes left out` : ''}`);
  });
}

function withoutSecrets(text: string, secrets: Secrets): string {
  const pieces = redact(Buffer.from(text), secrets) ?? [];
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}

const TOO_SLOW = 'output left out: the patterns of --redact took too long';

/** Whether the ping says itself how the job ended. */
function isToldBy(signal: Signal, { ending, timeoutMs }: Outcome): boolean {
  if (ending.kind !== 'exit' || timeoutMs !== null) return false;
  return signal === 'success' || signal === ending.code;
}

/** None of the words is one that filters for keywords look for. */
function endInWords(outcome: Outcome): string {
  const { ending, timeoutMs } = outcome;
  const after = `after ${(outcome.durationMs / 1_000).toFixed(1)} s`;
  if (timeoutMs !== null) return `stopped ${after}, by --timeout`;
  return ending.kind === 'signal'
    ? `ended by ${ending.signal} ${after}`
    : `exit status ${statusOf(outcome)} ${after}`;
}

/** The line says how much is missing, and takes room itself. */
function withSummary(
  cut: (room: number) => Composed,
  limit: number,
  summaryOf: (body: Composed) => Buffer,
): Uint8Array {
  const besides = (line: Buffer) => {
    const closed = cut(limit - line.length);
    return isOpen(closed) ? cut(limit - line.length - 1) : closed;
  };
  // With nothing of the output the number is as long as it can be.
  let summary = summaryOf(cut(0));
  let body = besides(summary);
  for (let more = summaryOf(body); more.length < summary.length; more = summaryOf(body)) {
    summary = more;
    const longer = besides(summary);
    if (summaryOf(longer).length > summary.length) break;
    body = longer;
  }
  const line = Buffer.concat([Buffer.from(isOpen(body) ? '\n' : ''), summaryOf(body)]);
  // Where there is no room for the line, the output is worth more.
  return line.length > limit ? cut(limit).bytes : Buffer.concat([body.bytes, line]);
}

const NEWLINE = 0x0a;

/** Whether its last line goes on. */
const isOpen = ({ bytes }: Composed): boolean => bytes.length > 0 && bytes.at(-1) !== NEWLINE;

interface Composed {
  readonly bytes: Uint8Array;
  /** How many bytes of the output this stands for. */
  readonly sourceLength: number;
}

/** Both ends of an output, redacted; `isWhole` if they are the same. */
interface Ends {
  readonly front: Section;
  readonly back: Section;
  readonly total: number;
}

interface Section {
  readonly pieces: readonly Piece[];
  /** So many bytes at the inner end may belong to a secret that is not there as a whole. */
  readonly unsafe: number;
}

const EMPTY: Section = { pieces: [], unsafe: 0 };
const NOTHING: Ends = { front: EMPTY, back: EMPTY, total: 0 };

/** Null where redaction takes too long. */
function redactedEnds({ kept, secrets, limit, options }: BodyParts): Ends | null {
  const most = limit + secrets.longest;
  const section = (bytes: Uint8Array): Section | null => {
    const pieces = redact(bytes, secrets);
    return pieces && { pieces, unsafe: bytes.length < kept.total ? secrets.longest : 0 };
  };
  const front = options.output === 'tail' ? EMPTY : section(kept.head.subarray(0, most));
  const back = options.output === 'head' ? EMPTY : section(kept.tail.subarray(-most));
  return front && back && { front, back, total: kept.total };
}

function compose({ front, back, total }: Ends, mode: ReportOptions['output'], room: number): Composed {
  if (mode === 'head') return take(front, Math.max(0, room), 'front');
  const tail = take(back, Math.max(0, room), 'back');
  if (mode !== 'ends' || tail.sourceLength === total) return tail;
  const marker = (missing: number) => Buffer.from(`\n[… ${missing} bytes left out …]\n`);
  const head = take(front, frontOf(room), 'front');
  const rest = take(back, Math.max(0, room - head.bytes.length - marker(total).length), 'back');
  const sourceLength = head.sourceLength + rest.sourceLength;
  return { bytes: Buffer.concat([head.bytes, marker(total - sourceLength), rest.bytes]), sourceLength };
}

/** As many bytes of one end as there is room for; neither characters nor `[redacted]` are divided. */
function take({ pieces, unsafe }: Section, room: number, side: 'front' | 'back'): Composed {
  const taken: Uint8Array[] = [];
  let [left, sourceLength] = [room, 0];
  let safe = pieces.reduce((sum, piece) => sum + piece.sourceLength, 0) - unsafe;
  for (const piece of side === 'front' ? pieces : [...pieces].reverse()) {
    const isOutput = piece.bytes.length === piece.sourceLength;
    const most = Math.min(left, isOutput ? safe : left);
    if (safe <= 0 || (!isOutput && piece.bytes.length > left)) break;
    const bytes = isOutput ? cutBytes(piece.bytes, Math.max(0, most), side) : piece.bytes;
    taken.push(bytes);
    left -= bytes.length;
    const source = isOutput ? bytes.length : piece.sourceLength;
    sourceLength += source;
    safe -= source;
    if (isOutput && bytes.length < piece.bytes.length) break;
  }
  return { bytes: Buffer.concat(side === 'front' ? taken : taken.reverse()), sourceLength };
}

function cutBytes(bytes: Uint8Array, room: number, side: 'front' | 'back'): Uint8Array {
  if (bytes.length <= room) return bytes;
  const at = side === 'front' ? room : bytes.length - room;
  for (let start = at - 1; start >= Math.max(0, at - 3); start--) {
    const end = start + characterLength(bytes, start);
    if (end > at) return side === 'front' ? bytes.subarray(0, start) : bytes.subarray(end);
  }
  return side === 'front' ? bytes.subarray(0, at) : bytes.subarray(at);
}
