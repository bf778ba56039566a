import type { IncomingMessage, OutgoingMessage } from 'node:http';
import type { Socket } from 'node:net';

const HAS_ASKED = Symbol('has asked');

/** A socket of Node's HTTP server, with its internal fields. Only this file uses them. */
export interface ServingSocket extends Socket {
  /** The answer that is being waited for, and its request. */
  readonly _httpMessage?: (OutgoingMessage & { readonly req: IncomingMessage }) | null;
  readonly parser?: { onIncoming: () => number } | null;
  _paused?: boolean;
  /** Set by us when the headers of a request have arrived. */
  [HAS_ASKED]?: boolean;
}

/** Tells the parser that the bytes after these headers are not HTTP. */
const STOP_PARSING = 2;

/** Called for every request, so it does as little as possible. */
export function noteRequest(socket: ServingSocket): void {
  socket[HAS_ASKED] = true;
}

/** Whether the connection has ever sent a request. */
export function hasAsked(socket: ServingSocket): boolean {
  return socket[HAS_ASKED] === true;
}

/** The answer that comes next; null on an idle connection. */
export function owedAnswer(socket: ServingSocket): ServingSocket['_httpMessage'] {
  return socket._httpMessage ?? null;
}

/** Stops reading permanently. Without `_paused` Node would resume when the next piece of a request is read. */
export function stopReading(socket: ServingSocket): void {
  socket._paused = true;
  socket.pause();
}

/**
 * Ignores all requests after the one that is being read. The connection ends with an answer that is still to be sent.
 */
export function takeNoMoreRequests(socket: ServingSocket): void {
  if (!socket.parser) return;
  socket.parser.onIncoming = () => {
    stopReading(socket);
    return STOP_PARSING;
  };
}
