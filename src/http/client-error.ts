import type { Socket } from 'node:net';
import { answerAndClose } from './hang-up.ts';
import { owedAnswer } from './serving-socket.ts';

const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** A connection that Node no longer looks after must not outlive this, however slowly its client reads. */
const MAX_FAREWELL_MS = 10_000;

/**
 * Bytes that are no request, or a request that takes too long. What was asked before them on the same connection is
 * answered first: a ping that was recorded must not look refused because of what follows it.
 */
export class ClientErrors {
  readonly #refused = new WeakSet<Socket>();

  /** For `clientError`, which comes again with every piece of what cannot be read. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    if (error.code === 'ECONNRESET') socket.destroy();
    else afterAnswers(socket, () => answerAndClose(socket, STATUSES[error.code ?? ''] ?? 400));
  }
}

/** For `connect`, which comes with a socket that nobody listens to any more. */
export function refuseTunnel(socket: Socket, allowedMethods: string): void {
  socket.on('error', () => undefined);
  socket.resume();
  const farewell = setTimeout(() => socket.destroy(), MAX_FAREWELL_MS).unref();
  socket.once('close', () => clearTimeout(farewell));
  afterAnswers(socket, () => answerAndClose(socket, 405, `Allow: ${allowedMethods}\r\n`));
}

/** An answer to a request that is itself incomplete is not waited for: it would never come. */
function afterAnswers(socket: Socket, next: () => void): void {
  const owed = owedAnswer(socket);
  if (owed?.req.complete) owed.once('close', () => afterAnswers(socket, next));
  else next();
}
