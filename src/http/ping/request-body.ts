import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from '../../lib/byte-budget.ts';
import { GrowingBlock } from '../../lib/growing-block.ts';
import { LONG_PING_BODY_BYTES, MIN_PING_PIECE_BYTES } from '../limits.ts';

/** How much of a long body is read away, and for how long, before the connection is closed on it. */
export interface DrainLimits {
  readonly bytes: number;
  readonly millis: number;
  /** Since the beginning of the body: by then the request must be through. */
  readonly totalMillis: number;
}

const MAX_DRAINED_BYTES = 10 * 1024 * 1024;
const MAX_DRAIN_MS = 10_000;

/** For a service that cuts off requests which take longer than that. */
export function drainLimitsWithin(requestTimeoutSeconds: number): DrainLimits {
  return {
    bytes: MAX_DRAINED_BYTES,
    millis: MAX_DRAIN_MS,
    totalMillis: 0.75 * requestTimeoutSeconds * 1000,
  };
}

/** What is kept of a body where no limit is set: anybody may send one, so it cannot be all there is. */
const MAX_KEPT_BYTES = 10 * 1024 * 1024;

export interface PingBody {
  /** The first bytes, up to the limit; null for no body. */
  readonly bytes: Uint8Array | null;
  /** The client has more to say than we care to hear: answer, then hang up. */
  readonly isEndless: boolean;
}

/**
 * Reads a body up to the limit and lets the rest run away: a long log must not cost a heartbeat. For the same reason a body
 * for which there is no room any more is kept as far as it has come. The bytes stay counted in the budget; whoever gets
 * them gives them back.
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
  // A client that went away before all that we keep had come has not finished its request. All others close, too, and
  // need no error made for them: its stack would take longer than the body.
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

  /** Nothing more of it will be kept. */
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

  /** Of exactly their length: they travel between threads. */
  take(): Uint8Array | null {
    const bytes = this.#whole ?? (this.#length === 0 ? null : new Uint8Array(this.#block?.bytes ?? []));
    this.#block?.release();
    // What a block had is more than that.
    if (this.#whole === null && bytes !== null) this.#budget.take(bytes.length);
    return bytes;
  }

  drop(): void {
    this.#block?.release();
    if (this.#whole !== null) this.#budget.give(this.#whole.length);
  }
}

/** Most pings are bodiless, and need not wait for the end of what they do not have. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
