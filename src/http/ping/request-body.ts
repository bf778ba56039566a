import type { IncomingMessage } from 'node:http';

/** How much of a long body is read away before the connection is closed on it. */
const MOST_DRAINED_BYTES = 10 * 1024 * 1024;
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
  mostDrained = MOST_DRAINED_BYTES,
): Promise<PingBody> {
  const { promise, resolve, reject } = Promise.withResolvers<PingBody>();
  const kept: Buffer[] = [];
  const room = limit ?? MOST_KEPT_BYTES;
  let keptBytes = 0;
  let seenBytes = 0;
  let isFinished = false;
  const finish = (isEndless: boolean) => {
    if (isFinished) return;
    isFinished = true;
    resolve({ bytes: keptBytes === 0 ? null : joined(kept, keptBytes), isEndless });
  };
  request.on('data', (chunk: Buffer) => {
    seenBytes += chunk.length;
    if (keptBytes < room) {
      const piece = chunk.length <= room - keptBytes ? chunk : chunk.subarray(0, room - keptBytes);
      kept.push(piece);
      keptBytes += piece.length;
    }
    if (seenBytes > keptBytes + mostDrained) finish(true);
  });
  request.on('end', () => finish(false));
  // A client that went away in the middle of its body has not finished its request. All others close, too, and need
  // no error made for them: its stack would take longer than the body.
  request.on('close', () => {
    if (!isFinished) reject(new Error('the request was not completed'));
  });
  request.on('error', reject);
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
