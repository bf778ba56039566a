import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';

/** A shorter answer is sent as a whole, with its length. */
const MAX_WHOLE_BYTES = 64 * 1024;

export interface PiecesOptions {
  /** JSON if it is absent. */
  readonly contentType?: string;
  /** The length of all pieces, if it is known. */
  readonly byteLength?: number | null;
}

/**
 * Sends a text that is made in pieces. The next piece is made when the client has read the one before. A failure within
 * the first 64 kB is thrown, and can be answered like any other. A later failure ends the connection, so that the client
 * does not take a part for the whole.
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  head: OutgoingHttpHeaders,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  { contentType = 'application/json', byteLength = null }: PiecesOptions = {},
): Promise<void> {
  const rest = iteratorOf(pieces);
  const beginning: Buffer[] = [];
  let length = 0;
  while (length <= MAX_WHOLE_BYTES) {
    const { done = false, value } = await rest.next();
    if (done) return sendWhole(response, status, head, contentType, Buffer.concat(beginning));
    const piece = bufferOf(value);
    if (piece.length === byteLength) {
      await rest.return?.();
      return sendWhole(response, status, head, contentType, piece);
    }
    beginning.push(piece);
    length += piece.length;
  }
  const missing = byteLength === null ? Number.POSITIVE_INFINITY : byteLength - length;
  const stream = Readable.from(inTurn(beginning, rest, missing), { objectMode: false });
  // `rest` is ended here: a generator that was never started does not run its `finally`.
  stream.once('close', () => void rest.return?.());
  if (byteLength !== null) head['content-length'] = byteLength;
  response.writeHead(status, { ...head, 'content-type': contentType });
  await pipeline(stream, response);
}

/** Head and content are sent in one write. */
export function sendWhole(
  response: ServerResponse,
  status: number,
  head: OutgoingHttpHeaders,
  contentType: string,
  content: string | Uint8Array,
): void {
  const byteLength = Buffer.byteLength(content);
  head['content-type'] = contentType;
  head['content-length'] = String(byteLength);
  // ASCII alone is the same in both, and faster in the first.
  response.writeHead(status, head).end(content, byteLength === content.length ? 'latin1' : 'utf8');
}

type Pieces = AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;

function iteratorOf(pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): Pieces {
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
}

/**
 * Lets other work run between two pieces. If it is known how many bytes are missing, the answer ends with the last of them:
 * the client has the whole then, and its next request must not find an answer that is still open.
 */
async function* inTurn(
  beginning: readonly Buffer[],
  rest: Pieces,
  missing: number,
): AsyncGenerator<Buffer, void> {
  yield* beginning;
  for (let left = missing; left > 0; ) {
    await turn();
    const { done = false, value } = await rest.next();
    if (done) return;
    const piece = bufferOf(value);
    left -= piece.length;
    yield piece;
  }
}

/** Bytes are not copied. */
function bufferOf(piece: string | Uint8Array): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
