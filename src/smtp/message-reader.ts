import type { ByteBudget } from '../lib/byte-budget.ts';
import { GrowingBlock } from '../lib/growing-block.ts';

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

export type MessageFault =
  /** The message is longer than allowed. */
  | 'too_large'
  /** The budget has no room for it now. */
  | 'no_room'
  /** It is so much too long that the connection is closed before its end. */
  | 'endless';

/** A refused message is read up to this multiple of the limit, to reply after its end. */
const ENDLESS_FACTOR = 4;

/** The position in the line. Only CR LF ends a line: servers that disagree on a bare LF can be abused for smuggling. */
type Place = 'line_start' | 'dot' | 'dot_cr' | 'text' | 'text_cr';

/** Reads a message after DATA: removes the dots that were added to its lines, and finds the single dot that ends it. */
export class MessageReader {
  readonly #maxBytes: number;
  readonly #block: GrowingBlock;
  #place: Place = 'line_start';
  #seen = 0;
  #fault: MessageFault | null = null;

  constructor(maxBytes: number, budget: ByteBudget) {
    this.#maxBytes = maxBytes;
    this.#block = new GrowingBlock(maxBytes, budget);
  }

  get fault(): MessageFault | null {
    return this.#fault;
  }

  /** The bytes that have arrived, unless the message has a fault. */
  get message(): Buffer {
    return this.#block.bytes;
  }

  /**
   * Takes the bytes that belong to the message. Returns the position after its end, or null if it has not ended.
   * Overwrites the chunk: the kept bytes are moved together first, since a message of dots has thousands of pieces.
   */
  push(chunk: Buffer): number | null {
    let kept = 0;
    let from = 0;
    let at = 0;
    const keepUntil = (to: number) => {
      kept = moveTogether(chunk, kept, from, to);
    };
    while (at < chunk.length) {
      const byte = chunk[at];
      switch (this.#place) {
        case 'line_start':
          if (byte === DOT) {
            keepUntil(at);
            from = at + 1;
          }
          this.#place = byte === DOT ? 'dot' : byte === CR ? 'text_cr' : 'text';
          at++;
          break;
        case 'dot':
          this.#place = byte === CR ? 'dot_cr' : 'text';
          at++;
          break;
        case 'dot_cr':
          if (byte === LF) {
            this.#keep(chunk.subarray(0, kept));
            return at + 1;
          }
          // The dot was an added one, and the line begins with the CR, which may have come in an earlier chunk.
          if (at === 0) this.#keep(BARE_CR);
          this.#place = byte === CR ? 'text_cr' : 'text';
          at++;
          break;
        case 'text_cr':
          this.#place = byte === LF ? 'line_start' : byte === CR ? 'text_cr' : 'text';
          at++;
          break;
        default: {
          const next = nextCr(chunk, at);
          at = next === -1 ? chunk.length : next + 1;
          if (next !== -1) this.#place = 'text_cr';
        }
      }
    }
    // Whether a CR after a leading dot is kept depends on the next byte.
    keepUntil(this.#place === 'dot_cr' ? Math.max(from, chunk.length - 1) : chunk.length);
    this.#keep(chunk.subarray(0, kept));
    return null;
  }

  /** Returns the memory to the budget. Call it when the message is no longer needed. */
  release(): void {
    this.#block.release();
  }

  #keep(piece: Buffer): void {
    this.#seen += piece.length;
    if (this.#seen > this.#maxBytes * ENDLESS_FACTOR) this.#fault = 'endless';
    if (this.#fault !== null) return;
    if (this.#seen > this.#maxBytes) this.#refuse('too_large');
    else if (!this.#block.append(piece)) this.#refuse('no_room');
  }

  #refuse(fault: MessageFault): void {
    this.#fault = fault;
    this.release();
  }
}

const BARE_CR = Buffer.from([CR]);

/** Up to this length a loop is faster than `copyWithin` or `indexOf`. */
const SHORT = 64;

/** Moves bytes to an earlier position in the same chunk. Returns their new end. */
function moveTogether(chunk: Buffer, to: number, from: number, end: number): number {
  const length = end - from;
  if (to !== from && length > SHORT) chunk.copyWithin(to, from, end);
  else if (to !== from) for (let n = 0; n < length; n++) chunk[to + n] = chunk[from + n] ?? 0;
  return to + length;
}

function nextCr(chunk: Buffer, from: number): number {
  const near = Math.min(chunk.length, from + SHORT);
  for (let at = from; at < near; at++) if (chunk[at] === CR) return at;
  return chunk.indexOf(CR, near);
}
