import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** A shorter answer is sent as a whole, with its length. */
const MAX_WHOLE_BYTES = 64 * 1024;

/**
 * Sends a text that is made in pieces. The next piece is made when the client has read the one before. A failure within
 * the first 64 kB is answered like any other. A later failure ends the connection, so that the client does not take a
 * part for the whole.
 */
export async function sendPieces(
  reply: FastifyReply,
  status: number,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string>,
  contentType = 'application/json',
): Promise<FastifyReply> {
  const rest = iteratorOf(pieces);
  const beginning: Buffer[] = [];
  let length = 0;
  const answer = (body: Buffer | Readable) =>
    reply.code(status).header('content-type', contentType).send(body);
  while (length <= MAX_WHOLE_BYTES) {
    const { done = false, value } = await rest.next();
    if (done) return answer(Buffer.concat(beginning));
    const piece = bufferOf(value);
    beginning.push(piece);
    length += piece.length;
  }
  const stream = Readable.from(inTurn(beginning, rest), { objectMode: false });
  // `rest` is ended here: a generator that was never started does not run its `finally`.
  stream.once('close', () => void rest.return?.());
  return answer(stream);
}

type Pieces = AsyncIterator<string | Uint8Array> | Iterator<string>;

function iteratorOf(pieces: AsyncIterable<string | Uint8Array> | Iterable<string>): Pieces {
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
}

/** Lets other work run between two pieces. */
async function* inTurn(beginning: readonly Buffer[], rest: Pieces): AsyncGenerator<Buffer, void> {
  yield* beginning;
  for (;;) {
    await turn();
    const { done = false, value } = await rest.next();
    if (done) return;
    yield bufferOf(value);
  }
}

/** Bytes are not copied. */
function bufferOf(piece: string | Uint8Array): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
