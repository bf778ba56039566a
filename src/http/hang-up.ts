import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { stopReading, takeNoMoreRequests } from './serving-socket.ts';

const LINGER_MS = 1_000;
/** Some clients read no answer before they have sent all. A body in crumbs is not worth the work. */
const MAX_DISCARDED_PIECES = 1_000;

/** Makes an answer the last of its connection. It says so: the client knows that requests behind it count for nothing. */
export function endWith(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  takeNoMoreRequests(socket);
}

/**
 * Makes the answer the last of its connection, though the client has more to say. What it still sends is thrown away, and
 * it has a moment to read the answer, which it would lose if the connection closed on it at once.
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

/** A whole answer past the HTTP server, and the end of the connection. */
export function answerAndClose(socket: Socket, status: number, headers = ''): void {
  if (socket.writable) {
    const text = STATUS_CODES[status] ?? '';
    const body = JSON.stringify({ error: text.toLowerCase() });
    const head = `HTTP/1.1 ${status} ${text}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json`;
    socket.write(`${head}\r\n${headers}Connection: close\r\n\r\n${body}`);
  }
  socket.destroySoon();
}
