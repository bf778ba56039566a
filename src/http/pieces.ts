import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

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
 * the first 64 kB is answered like any other. A later failure ends the connection, so that the client does not take a
 * part for the whole.
 */
export async function sendPieces(
  reply: FastifyReply,
  status: number,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  { contentType = 'application/json', byteLength = null }: PiecesOptions = {},
): Promise<FastifyReply> {
  const rest = iteratorOf(pieces);
  const beginning: Buffer[] = [];
  let length = 0;
  if (byteLength !== null) reply.header('content-length', byteLength);
  const answer = (body: Buffer | Readable) =>
    reply.code(status).header('content-type', contentType).send(body);
  while (length <= MAX_WHOLE_BYTES) {
    const { done = false, value } = await rest.next();
    if (done) return answer(Buffer.concat(beginning));
    const piece = bufferOf(value);
    if (piece.length === byteLength) {
      await rest.return?.();
      // By default the framework takes bytes in shared memory for an object.
      reply.serializer(asItIs);
      return answer(piece);
    }
    beginning.push(piece);
    length += piece.length;
  }
  const missing = byteLength === null ? Number.POSITIVE_INFINITY : byteLength - length;
  const stream = Readable.from(inTurn(beginning, rest, missing), { objectMode: false });
  // `rest` is ended here: a generator that was never started does not run its `finally`.
  stream.once('close', () => void rest.return?.());
  return answer(stream);
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

/** The framework sends a buffer as it is, although its types speak of texts alone. */
function asItIs(payload: Buffer): string {
  return payload as unknown as string;
}
