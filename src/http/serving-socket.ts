import type { IncomingMessage, OutgoingMessage } from 'node:http';
import type { Socket } from 'node:net';

const HAS_ASKED = Symbol('has asked');

/** A socket as Node's HTTP server has it. What it keeps there has no public name; only this file knows of it. */
export interface ServingSocket extends Socket {
  /** The answer that is owed, and the request that it is for. */
  readonly _httpMessage?: (OutgoingMessage & { readonly req: IncomingMessage }) | null;
  readonly parser?: { onIncoming: () => number } | null;
  _paused?: boolean;
  /** Ours: the headers of a request have come. */
  [HAS_ASKED]?: boolean;
}

/** To the parser: nothing behind these headers is HTTP. */
const STOP_PARSING = 2;

/** To be called with every request, so it does as little as can be. */
export function noteRequest(socket: ServingSocket): void {
  socket[HAS_ASKED] = true;
}

/** Whether the connection has ever brought a request. */
export function hasAsked(socket: ServingSocket): boolean {
  return socket[HAS_ASKED] === true;
}

/** The answer whose turn it is; null on an idle connection. */
export function owedAnswer(socket: ServingSocket): ServingSocket['_httpMessage'] {
  return socket._httpMessage ?? null;
}

/** For good: without the mark the next piece that is taken from a request would start it again. */
export function stopReading(socket: ServingSocket): void {
  socket._paused = true;
  socket.pause();
}

/** No request behind the one that is being read will be looked at: the connection ends with an answer that is owed. */
export function takeNoMoreRequests(socket: ServingSocket): void {
  if (!socket.parser) return;
  socket.parser.onIncoming = () => {
    stopReading(socket);
    return STOP_PARSING;
  };
}
