import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { stopReading, takeNoMoreRequests } from './serving-socket.ts';

const LINGER_MS = 1_000;
/**
 * The rest of a body is read because some clients read the answer only after they have sent everything. It is not read
 * further if it comes in very many small pieces.
 */
const MAX_DISCARDED_PIECES = 1_000;

/**
 * Makes an answer the last of its connection. Its headers say so, and the client knows that later requests have no
 * effect.
 */
export function endWith(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  takeNoMoreRequests(socket);
}

/**
 * Makes the answer the last of its connection while the client is still sending. The rest of the request is discarded.
 * The client has a moment to read the answer: if the connection closed at once, the answer would be lost.
 */
export function hangUpAfter(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  endWith(response, socket);
  let discarded = 0;
  request.on('data', () => {
    if (++discarded === MAX_DISCARDED_PIECES) stopReading(socket);
  });
  request.resume();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/** Writes a whole answer directly to the socket, without the HTTP server, and closes the connection. */
export function answerAndClose(socket: Socket, status: number, headers = ''): void {
  if (socket.writable) {
    const text = STATUS_CODES[status] ?? '';
    const body = JSON.stringify({ error: text.toLowerCase() });
    const head = `HTTP/1.1 ${status} ${text}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json`;
    socket.write(`${head}\r\n${headers}Connection: close\r\n\r\n${body}`);
  }
  socket.destroySoon();
}
