import type { AnswerBeingMade, BegunAnswer } from './answering-threads.ts';
import type { InPortions } from './portions.ts';

/** Pieces are sent one by one. Other answers get a turn between two pieces. */
export const MIN_PIECE_BYTES = 64 * 1024;

/** A part of an answer. The last one is marked, so that a short answer takes only one message. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** A text, whole or in parts. */
export type Texts = AsyncIterable<string> | Iterable<string>;

/** An answer without a text. */
export function emptyAnswer<Head>(head: Head): BegunAnswer<Head> {
  return { head, first: new Uint8Array(), rest: null };
}

export async function answerInPieces<Head>(
  head: Head,
  pieces: AsyncGenerator<Piece, void>,
): Promise<BegunAnswer<Head>> {
  const { value } = await pieces.next();
  if (value === undefined) return emptyAnswer(head);
  return { head, first: value.bytes, rest: value.isLast ? null : bytesOf(pieces) };
}

/** The answer that the work results in. Other questions get a turn after each portion. */
export async function answerInPortions<Head>(
  work: InPortions<BegunAnswer<Head>>,
): Promise<AnswerBeingMade<Head>> {
  const { done, value } = await work.next();
  return done === true ? value : { next: () => answerInPortions(work) };
}

/** An answer that is a value, as JSON. */
export function jsonInPortions(work: InPortions<unknown>): Promise<AnswerBeingMade<null>> {
  return answerInPortions(wholeJson(work));
}

async function* wholeJson(work: InPortions<unknown>): InPortions<BegunAnswer<null>> {
  return { head: null, first: new TextEncoder().encode(JSON.stringify(yield* work)), rest: null };
}

/** Joins short texts to pieces. */
export async function* piecesOf(texts: Texts): AsyncGenerator<Piece, void> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const more of typeof texts === 'string' ? [texts] : texts) {
    text += more;
    if (text.length < MIN_PIECE_BYTES) continue;
    yield { bytes: encoder.encode(text), isLast: false };
    text = '';
  }
  yield { bytes: encoder.encode(text), isLast: true };
}

async function* bytesOf(pieces: AsyncGenerator<Piece, void>): AsyncGenerator<Uint8Array, void> {
  for await (const { bytes } of pieces) yield bytes;
}
