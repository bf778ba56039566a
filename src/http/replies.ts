import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ErrorReply } from './error-map.ts';
import { endWith } from './hang-up.ts';
import { type PiecesOptions, sendPieces } from './pieces.ts';

/** The answer of a handler: a status, usually with content. */
export type Answer = Head | (Head & Content);

interface Head {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

type Content =
  | { readonly json: unknown }
  /** A text that may be too long for the memory. */
  | (PiecesOptions & { readonly pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> })
  | { readonly text: string; readonly contentType: string }
  /** An answer that stays open. It throws if there is no room; the function that it returns runs after the head is sent. */
  | { readonly lasting: (response: ServerResponse) => () => void; readonly contentType: string }
  | { readonly bytes: Uint8Array; readonly contentType: string };

export async function sendAnswer(reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  const { status, headers, cookies } = answer;
  if (headers !== undefined) reply.headers(headers);
  if (cookies !== undefined) reply.header('set-cookie', [...cookies]);
  if ('json' in answer) return sendJson(reply, status, answer.json);
  if ('pieces' in answer) return sendPieces(reply, status, answer.pieces, answer);
  if ('lasting' in answer)
    return sendLasting(reply.header('content-type', answer.contentType), status, answer.lasting);
  reply.code(status);
  if ('bytes' in answer) return reply.header('content-type', answer.contentType).send(answer.bytes);
  // Sent as bytes: the framework would add a charset to a text.
  if ('text' in answer)
    return reply.header('content-type', answer.contentType).send(Buffer.from(answer.text));
  return reply.send();
}

/** The answer ends with its connection, so that its pieces need no frames of their own, and no request waits behind it. */
function sendLasting(
  reply: FastifyReply,
  status: number,
  lasting: (response: ServerResponse) => () => void,
): FastifyReply {
  const { raw } = reply;
  const begin = lasting(raw);
  reply.hijack();
  raw.useChunkedEncodingByDefault = false;
  if (raw.socket !== null) endWith(raw, raw.socket);
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  begin();
  return reply;
}

/** JSON with exactly the content type that clients of the API know, without a charset. */
function sendJson(reply: FastifyReply, status: number, value: unknown): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(value)));
}

export function sendError(reply: FastifyReply, status: number, error: string): FastifyReply {
  return sendJson(reply, status, { error });
}

/** An error that a page can act on: its code, the field of the form that is wrong, and what else the page needs. */
export function sendNamedError(
  reply: FastifyReply,
  status: number,
  { error, code, field, details }: Pick<ErrorReply, 'error' | 'code' | 'field' | 'details'>,
): FastifyReply {
  return sendJson(reply, status, { error, code, ...(field !== null && { field }), ...details });
}
