import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** An answer up to this length is sent as a whole, with its length. */
const MAX_WHOLE_BYTES = 64 * 1024;

/**
 * Sends a text that comes in pieces. A piece is asked for when the client has taken the one before. A failure before the
 * first 64 kB is answered like any other; one after that ends the connection, so that nobody takes a part for the whole.
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
  // A generator that was never begun has nothing to clean up, in its own eyes.
  stream.once('close', () => void rest.return?.());
  return answer(stream);
}

type Pieces = AsyncIterator<string | Uint8Array> | Iterator<string>;

function iteratorOf(pieces: AsyncIterable<string | Uint8Array> | Iterable<string>): Pieces {
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
}

/** Others have their turn between two pieces. */
async function* inTurn(beginning: readonly Buffer[], rest: Pieces): AsyncGenerator<Buffer, void> {
  yield* beginning;
  for (;;) {
    await turn();
    const { done = false, value } = await rest.next();
    if (done) return;
    yield bufferOf(value);
  }
}

/** Without a copy of what is bytes already. */
function bufferOf(piece: string | Uint8Array): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
