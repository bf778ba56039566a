import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from './limits.ts';

interface Pipeline {
  /** Answers that are owed. */
  readonly answers: Set<ServerResponse>;
  /** One of them is the last, so that nothing behind it may take effect. */
  isClosing: boolean;
}

/**
 * Requests that were sent before the answer to an earlier one on the same connection. Node takes them in as they come, and
 * a client that never reads could fill the memory with them.
 */
export class Pipelines {
  readonly #limits: HttpLimits;
  /** Only of connections that ever had such requests. */
  readonly #bySocket = new Map<Socket, Pipeline>();
  #count = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /** Counts such a request. False: it is not to be handled, since its connection is about to be closed. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const { maxPipelinedRequests, maxPipelinedRequestsPerConnection } = this.#limits;
    if (this.#count >= maxPipelinedRequests) socket.destroy();
    if (socket.destroyed) return false;
    const pipeline = this.#of(socket);
    pipeline.answers.add(response);
    this.#count++;
    if (pipeline.isClosing) {
      request.resume();
      return false;
    }
    response.once('close', () => this.#forget(pipeline, response));
    if (pipeline.answers.size >= maxPipelinedRequestsPerConnection) this.close(socket, response);
    return true;
  }

  /** Makes an answer the last of its connection. It says so: the client knows that the requests behind it count for nothing. */
  close(socket: Socket, response: ServerResponse): void {
    response.shouldKeepAlive = false;
    this.#of(socket).isClosing = true;
  }

  #of(socket: Socket): Pipeline {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const pipeline: Pipeline = { answers: new Set(), isClosing: false };
    this.#bySocket.set(socket, pipeline);
    socket.once('close', () => {
      this.#bySocket.delete(socket);
      for (const response of pipeline.answers) {
        this.#forget(pipeline, response);
        // Node tells only the one whose turn it is.
        response.emit('close');
      }
    });
    return pipeline;
  }

  #forget({ answers }: Pipeline, response: ServerResponse): void {
    if (answers.delete(response)) this.#count--;
  }
}
