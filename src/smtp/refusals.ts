import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Refusal } from '../lib/connection-counter.ts';
import { FAREWELL_TIMEOUT_MS } from './connection.ts';

/** Refused clients are logged at most this often. */
export const REFUSAL_LOG_INTERVAL_MS = 60_000;
/** Refused clients that may stay connected. Further ones are closed without a reply. */
export const MAX_REFUSED_SOCKETS = 100;

const REPLIES: Record<Refusal, string> = {
  too_many_connections: '421 4.3.2 Too many connections, try again later',
  too_many_connections_from_address: '421 4.7.0 Too many connections from your address, try again later',
};

/** Refuses clients and logs how many. */
export class Refusals implements Disposable {
  readonly #log: Logger;
  readonly #logIntervalMs: number;
  readonly #sockets = new Set<Socket>();
  readonly #untold: Record<Refusal, number> = {
    too_many_connections: 0,
    too_many_connections_from_address: 0,
  };
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger, logIntervalMs: number = REFUSAL_LOG_INTERVAL_MS) {
    this.#log = log;
    this.#logIntervalMs = logIntervalMs;
  }

  refuse(socket: Socket, reason: Refusal): void {
    this.#untold[reason]++;
    if (this.#timer === null) this.#tell();
    if (this.#sockets.size >= MAX_REFUSED_SOCKETS) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), FAREWELL_TIMEOUT_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
    });
    socket.end(`${REPLIES[reason]}\r\n`);
    // Discards further input. Unread input would make the close drop our reply.
    socket.resume();
  }

  #tell(): void {
    this.#log.warn({ event: 'smtp.refused', ...this.#untold });
    this.#untold.too_many_connections = 0;
    this.#untold.too_many_connections_from_address = 0;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (Object.values(this.#untold).some((count) => count > 0)) this.#tell();
    }, this.#logIntervalMs);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}
