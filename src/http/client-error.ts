import type { Socket } from 'node:net';
import { answerAndClose } from './hang-up.ts';
import { owedAnswer } from './serving-socket.ts';

const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** The longest life of a connection that Node does not manage any more, even if its client reads slowly. */
const MAX_FAREWELL_MS = 10_000;

/**
 * Refuses bytes that are not a request, and requests that take too long. Earlier requests on the same connection are
 * answered first: a ping that was recorded must not look refused because of later bytes.
 */
export class ClientErrors {
  readonly #refused = new WeakSet<Socket>();

  /** Handles `clientError`, which Node emits for every piece of unreadable input. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (error.code === 'ECONNRESET') socket.destroy();
    else afterAnswers(socket, () => answerAndClose(socket, STATUSES[error.code ?? ''] ?? 400));
  }
}

/** Handles `connect`. Node has removed its listeners from the socket. */
export function refuseTunnel(socket: Socket, allowedMethods: string): void {
  socket.on('error', () => undefined);
  socket.resume();
  const farewell = setTimeout(() => socket.destroy(), MAX_FAREWELL_MS).unref();
  socket.once('close', () => clearTimeout(farewell));
  afterAnswers(socket, () => answerAndClose(socket, 405, `Allow: ${allowedMethods}\r\n`));
}

/**
 * Waits until earlier requests are answered. It does not wait for a request that is itself incomplete: its answer would
 * never come.
 */
function afterAnswers(socket: Socket, next: () => void): void {
  const owed = owedAnswer(socket);
  if (owed?.req.complete) owed.once('close', () => afterAnswers(socket, next));
  else next();
}
