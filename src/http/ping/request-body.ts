import type { IncomingMessage } from 'node:http';

/** How much of a long body is read away, and for how long, before the connection is closed on it. */
export interface Patience {
  readonly bytes: number;
  readonly millis: number;
  /** Since the beginning of the body: by then the request must be through. */
  readonly totalMillis: number;
}

const MOST_DRAINED_BYTES = 10 * 1024 * 1024;
const LONGEST_DRAIN_MS = 10_000;

/** For a service that cuts off requests which take longer than that. */
export function patienceWithin(requestTimeoutSeconds: number): Patience {
  return {
    bytes: MOST_DRAINED_BYTES,
    millis: LONGEST_DRAIN_MS,
    totalMillis: 0.75 * requestTimeoutSeconds * 1000,
  };
}

/** What is kept of a body where no limit is set: anybody may send one, so it cannot be all there is. */
const MOST_KEPT_BYTES = 10 * 1024 * 1024;

export interface PingBody {
  /** The first bytes, up to the limit; null for no body. */
  readonly bytes: Uint8Array | null;
  /** The client has more to say than we care to hear: answer, then hang up. */
  readonly isEndless: boolean;
}

/** Reads a body up to the limit and lets the rest run away: a long log must not cost a heartbeat. */
export function readPingBody(
  request: IncomingMessage,
  limit: number | null,
  patience: Patience,
): Promise<PingBody> {
  const { promise, resolve, reject } = Promise.withResolvers<PingBody>();
  const kept: Buffer[] = [];
  const room = limit ?? MOST_KEPT_BYTES;
  let keptBytes = 0;
  let seenBytes = 0;
  let isFinished = false;
  let isLate = false;
  let draining: NodeJS.Timeout | undefined;
  const reading = setTimeout(() => {
    isLate = true;
    if (keptBytes === room) finish(true);
  }, patience.totalMillis);
  const finish = (isEndless: boolean) => {
    if (isFinished) return;
    isFinished = true;
    clearTimeout(reading);
    clearTimeout(draining);
    resolve({ bytes: keptBytes === 0 ? null : joined(kept, keptBytes), isEndless });
  };
  const fail = (error: Error) => {
    clearTimeout(reading);
    reject(error);
  };
  request.on('data', (chunk: Buffer) => {
    if (isFinished) return;
    seenBytes += chunk.length;
    if (keptBytes < room) {
      const piece = chunk.length <= room - keptBytes ? chunk : chunk.subarray(0, room - keptBytes);
      kept.push(piece);
      keptBytes += piece.length;
    }
    if (keptBytes < room) return;
    if (isLate || seenBytes > keptBytes + patience.bytes) finish(true);
    else draining ??= setTimeout(() => finish(true), patience.millis);
  });
  request.on('end', () => finish(false));
  // A client that went away before all that we keep had come has not finished its request. All others close, too, and
  // need no error made for them: its stack would take longer than the body.
  request.on('close', () => {
    if (keptBytes === room) finish(true);
    if (!isFinished) fail(new Error('the request was not completed'));
  });
  request.on('error', (error) => {
    if (keptBytes === room) finish(true);
    else fail(error);
  });
  return promise;
}

/** In memory of its own: the chunks are slices of large buffers, which would travel along between threads. */
function joined(chunks: readonly Buffer[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Most pings are bodiless, and need not wait for the end of what they do not have. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
