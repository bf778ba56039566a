import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { endWith } from './hang-up.ts';
import { type PiecesOptions, sendPieces, sendWhole } from './pieces.ts';

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

/** Statuses whose answers have no content, not even an empty one. */
const WITHOUT_CONTENT = [204, 304];

/** Sends the answer. Its headers are added to `head`, which every answer to the request has. */
export async function sendAnswer(
  response: ServerResponse,
  head: OutgoingHttpHeaders,
  answer: Answer,
): Promise<void> {
  const { status, cookies } = answer;
  Object.assign(head, answer.headers);
  if (cookies !== undefined) head['set-cookie'] = [...cookies];
  if ('pieces' in answer) return sendPieces(response, status, head, answer.pieces, answer);
  if ('lasting' in answer) return sendLasting(response, status, head, answer);
  // Clients of the API know the content type of JSON without a charset.
  if ('json' in answer)
    return sendWhole(response, status, head, 'application/json', JSON.stringify(answer.json));
  if ('text' in answer) return sendWhole(response, status, head, answer.contentType, answer.text);
  if ('bytes' in answer) return sendWhole(response, status, head, answer.contentType, answer.bytes);
  if (!WITHOUT_CONTENT.includes(status) && response.req.method !== 'HEAD') head['content-length'] = '0';
  response.writeHead(status, head).end();
}

export function errorAnswer(status: number, error: string): Answer {
  return { status, json: { error } };
}

/** The answer ends with its connection, so that its pieces need no frames of their own, and no request waits behind it. */
function sendLasting(
  response: ServerResponse,
  status: number,
  head: OutgoingHttpHeaders,
  { lasting, contentType }: Extract<Answer, { readonly lasting: unknown }>,
): void {
  const begin = lasting(response);
  response.useChunkedEncodingByDefault = false;
  if (response.socket !== null) endWith(response, response.socket);
  response.writeHead(status, { ...head, 'content-type': contentType });
  begin();
}
