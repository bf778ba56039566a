import type { ByteBudget } from '../lib/byte-budget.ts';
import { GrowingBlock } from '../lib/growing-block.ts';

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

export type MessageFault =
  /** Longer than a message may be. */
  | 'too_large'
  /** There is no room for it now. */
  | 'no_room'
  /** So much longer that it is not worth waiting for its end. */
  | 'endless';

/** A message that is refused is listened to for this many times its limit. */
const ENDLESS_FACTOR = 4;

/** Where in its line the reader is. Only CR LF ends a line: others read a bare LF otherwise, which can be abused. */
type Place = 'line_start' | 'dot' | 'dot_cr' | 'text' | 'text_cr';

/**
 * Reads a message as it is sent after DATA: takes away the dots that were added to its lines, and finds the
 * lone dot that ends it.
 */
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

  /** What has arrived, as long as nothing is wrong with it. */
  get message(): Buffer {
    return this.#block.bytes;
  }

  /**
   * Takes what belongs to the message; answers where in the chunk it has ended, or null while it has not. The chunk is used
   * up: what is kept of it is moved together first, for a message of dots has thousands of pieces.
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
          // The dot was an added one after all, and the line begins with CR, which may have come earlier.
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
    // A CR after a leading dot waits for what follows it.
    keepUntil(this.#place === 'dot_cr' ? Math.max(from, chunk.length - 1) : chunk.length);
    this.#keep(chunk.subarray(0, kept));
    return null;
  }

  /** Gives back the memory that the message took; to be called once it is done with. */
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

/** Up to here a loop takes less time than a call for help. */
const SHORT = 64;

/** Moves some bytes to an earlier place in the same chunk; answers where they end. */
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
