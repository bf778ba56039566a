import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endWith } from './hang-up.ts';
import type { HttpLimits } from './limits.ts';
import { takeNoMoreRequests } from './serving-socket.ts';

/**
 * Requests that were sent before the answer to an earlier one on the same connection. Node accepts them without a
 * limit, so a client that never reads could fill the memory with them.
 */
export class Pipelines {
  readonly #limits: HttpLimits;
  /** The answers that wait for earlier ones, only of connections that ever had such answers. */
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();
  #count = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /** Counts such a request. Returns false if there are too many in all, and closes its connection. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const { maxPipelinedRequests, maxPipelinedRequestsPerConnection } = this.#limits;
    if (this.#count >= maxPipelinedRequests) {
      takeNoMoreRequests(socket);
      socket.destroy();
      return false;
    }
    const waiting = this.#waitingOn(socket);
    waiting.add(response);
    this.#count++;
    response.once('close', () => this.#forget(waiting, response));
    if (waiting.size >= maxPipelinedRequestsPerConnection) endWith(response, socket);
    return true;
  }

  #waitingOn(socket: Socket): Set<ServerResponse> {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const waiting = new Set<ServerResponse>();
    this.#bySocket.set(socket, waiting);
    socket.once('close', () => {
      this.#bySocket.delete(socket);
      for (const response of waiting) {
        this.#forget(waiting, response);
        // Node emits `close` only for the answer that is being sent.
        response.emit('close');
      }
    });
    return waiting;
  }

  #forget(waiting: Set<ServerResponse>, response: ServerResponse): void {
    if (waiting.delete(response)) this.#count--;
  }
}
