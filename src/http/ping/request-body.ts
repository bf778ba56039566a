import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from '../../lib/byte-budget.ts';
import { GrowingBlock } from '../../lib/growing-block.ts';
import { LONG_PING_BODY_BYTES, MIN_PING_PIECE_BYTES } from '../limits.ts';

/** Limits for reading the rest of a long body before the connection is closed. */
export interface DrainLimits {
  readonly bytes: number;
  readonly millis: number;
  /** Counted from the beginning of the body: the request must end within this time. */
  readonly totalMillis: number;
}

const MAX_DRAINED_BYTES = 10 * 1024 * 1024;
const MAX_DRAIN_MS = 10_000;

/** The limits for a service that ends requests after this time. */
export function drainLimitsWithin(requestTimeoutSeconds: number): DrainLimits {
  return {
    bytes: MAX_DRAINED_BYTES,
    millis: MAX_DRAIN_MS,
    totalMillis: 0.75 * requestTimeoutSeconds * 1000,
  };
}

/** The limit if none is configured: anybody may send a body, so there must be one. */
const MAX_KEPT_BYTES = 10 * 1024 * 1024;

export interface PingBody {
  /** The first bytes, up to the limit; null for no body. */
  readonly bytes: Uint8Array | null;
  /** The body is longer than we read: the request is answered and the connection is closed. */
  readonly isEndless: boolean;
}

/**
 * Reads a body up to the limit and discards the rest: a ping must be recorded even if it comes with a long log. For the
 * same reason, if the budget is used up, the part that has arrived is kept. The kept bytes stay counted in the budget
 * until the receiver gives them back.
 */
export function readPingBody(
  request: IncomingMessage,
  limit: number | null,
  drain: DrainLimits,
  budget: ByteBudget,
): Promise<PingBody> {
  const { promise, resolve, reject } = Promise.withResolvers<PingBody>();
  const kept = new KeptBody(request, limit ?? MAX_KEPT_BYTES, budget);
  const maxSeenBytes = (limit ?? MAX_KEPT_BYTES) + drain.bytes;
  let seenBytes = 0;
  let isFinished = false;
  let isLate = false;
  let draining: NodeJS.Timeout | undefined;
  const reading = setTimeout(() => {
    isLate = true;
    if (kept.isFull) finish(true);
  }, drain.totalMillis);
  const finish = (isEndless: boolean) => {
    if (isFinished) return;
    isFinished = true;
    clearTimeout(reading);
    clearTimeout(draining);
    resolve({ bytes: kept.take(), isEndless });
  };
  const fail = (error: Error) => {
    if (isFinished) return;
    isFinished = true;
    clearTimeout(reading);
    kept.drop();
    reject(error);
  };
  request.on('data', (piece: Buffer) => {
    if (isFinished) return;
    seenBytes += Math.max(piece.length, MIN_PING_PIECE_BYTES);
    kept.add(piece);
    if (seenBytes > maxSeenBytes || (isLate && kept.isFull)) finish(true);
    else if (kept.isFull) draining ??= setTimeout(() => finish(true), drain.millis);
  });
  request.on('end', () => finish(false));
  // If the client disconnects before all bytes that we keep have arrived, the request is incomplete. Completed requests
  // close too. No error is created for them: its stack would cost more time than the body.
  request.on('close', () => {
    if (kept.isFull) finish(true);
    if (!isFinished) fail(new Error('the request was not completed'));
  });
  request.on('error', (error) => {
    if (kept.isFull) finish(true);
    else fail(error);
  });
  return promise;
}

/** The first bytes of a body, in memory of their own: the pieces are slices of large buffers. */
class KeptBody {
  readonly #declaredBytes: number;
  readonly #budget: ByteBudget;
  readonly #longAbove: number;
  #room: number;
  /** A body that came in one piece. */
  #whole: Uint8Array | null = null;
  #block: GrowingBlock | null = null;

  constructor(request: IncomingMessage, limit: number, budget: ByteBudget) {
    this.#declaredBytes = Number(request.headers['content-length']);
    this.#budget = budget;
    this.#longAbove = budget.bytes / 2;
    this.#room = limit;
  }

  get #length(): number {
    return this.#whole?.length ?? this.#block?.length ?? 0;
  }

  /** True if no more bytes will be kept. */
  get isFull(): boolean {
    return this.#length === this.#room;
  }

  add(piece: Buffer): void {
    const length = this.#length;
    if (length === this.#room) return;
    if (
      piece.length === this.#declaredBytes &&
      piece.length <= this.#room &&
      this.#budget.take(piece.length)
    ) {
      this.#whole = new Uint8Array(piece);
      return;
    }
    this.#block ??= new GrowingBlock(this.#room, this.#budget);
    const first = piece.length <= this.#room - length ? piece : piece.subarray(0, this.#room - length);
    const isLong = length + first.length > LONG_PING_BODY_BYTES;
    if (isLong && this.#budget.usedBytes > this.#longAbove) this.#room = length;
    else if (!this.#block.append(first)) this.#room = length;
  }

  /** Returns an array of exactly the right length: it is sent between threads. */
  take(): Uint8Array | null {
    const bytes = this.#whole ?? (this.#length === 0 ? null : new Uint8Array(this.#block?.bytes ?? []));
    this.#block?.release();
    // The block has just released at least this many bytes, so the budget has room for them.
    if (this.#whole === null && bytes !== null) this.#budget.take(bytes.length);
    return bytes;
  }

  drop(): void {
    this.#block?.release();
    if (this.#whole !== null) this.#budget.give(this.#whole.length);
  }
}

/** Most pings have no body and need not wait for its end. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
