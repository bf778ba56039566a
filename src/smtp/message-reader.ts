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

  /** Takes what belongs to the message; answers where in the chunk it has ended, or null while it has not. */
  push(chunk: Buffer): number | null {
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      const byte = chunk[at];
      switch (this.#place) {
        case 'line_start':
          if (byte === DOT) {
            this.#keep(chunk, from, at);
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
          if (byte === LF) return at + 1;
          // The dot was an added one after all, and the line begins with CR, which may have come earlier.
          if (at === 0) this.#keep(BARE_CR, 0, 1);
          this.#place = byte === CR ? 'text_cr' : 'text';
          at++;
          break;
        case 'text_cr':
          this.#place = byte === LF ? 'line_start' : byte === CR ? 'text_cr' : 'text';
          at++;
          break;
        default: {
          const next = chunk.indexOf(CR, at);
          at = next === -1 ? chunk.length : next + 1;
          if (next !== -1) this.#place = 'text_cr';
        }
      }
    }
    // A CR after a leading dot waits for what follows it.
    this.#keep(chunk, from, this.#place === 'dot_cr' ? Math.max(from, chunk.length - 1) : chunk.length);
    return null;
  }

  /** Gives back the memory that the message took; to be called once it is done with. */
  release(): void {
    this.#block.release();
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    this.#seen += to - from;
    if (this.#seen > this.#maxBytes * ENDLESS_FACTOR) this.#fault = 'endless';
    if (this.#fault !== null) return;
    if (this.#seen > this.#maxBytes) this.#refuse('too_large');
    else if (!this.#block.append(chunk.subarray(from, to))) this.#refuse('no_room');
  }

  #refuse(fault: MessageFault): void {
    this.#fault = fault;
    this.release();
  }
}

const BARE_CR = Buffer.from([CR]);
