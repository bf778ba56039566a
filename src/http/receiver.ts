import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ConnectionOrder } from './connection-order.ts';
import type { Connections } from './connections.ts';
import { endWith, hangUpAfter } from './hang-up.ts';
import type { PingHandler } from './ping/handler.ts';
import { hasBody } from './ping/request-body.ts';
import type { Pipelines } from './pipelines.ts';

/** What requests on one connection have to do with each other. */
interface Neighbours {
  readonly order: ConnectionOrder;
  readonly connections: Connections;
  readonly pipelines: Pipelines;
}

/**
 * Pings go past the framework, everything else through it. Of requests that do not wait for the answers before them, pings
 * are handled side by side; all others wait for their turn to answer, so that no more than one answer waits to be read.
 */
export function receiver(
  pingHandler: PingHandler,
  handler: RequestListener,
  { order, connections, pipelines }: Neighbours,
): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const isPipelined = response.socket === null;
    if (isPipelined && !pipelines.admit(request, response)) return;
    if (connections.isExpired(socket)) endWith(response, socket);
    request.url = originForm(request.url ?? '');
    if (pingHandler.takes(request.url)) {
      pingHandler.handle(request, response);
      return;
    }
    order.add(socket, new Promise((resolve) => response.once('close', resolve)));
    if (!isPipelined) handler(request, response);
    // It would have to be kept until its turn, in the pieces in which it comes.
    else if (hasBody(request)) refusePipelinedBody(request, response);
    else response.once('socket', () => handler(request, response));
  };
}

/** For `checkExpectation`: by default Node refuses these itself, past everything that counts requests. */
export function expectationRefuser(pipelines: Pipelines): RequestListener {
  return (request, response) => {
    const isPipelined = response.socket === null;
    if (!isPipelined || pipelines.admit(request, response)) response.writeHead(417).end();
  };
}

function refusePipelinedBody(request: IncomingMessage, response: ServerResponse): void {
  hangUpAfter(request, response);
  const body = JSON.stringify({ error: 'a request with a body must wait for the answer before it' });
  response.writeHead(400, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
}

/** The path alone: a client may send the whole address, which every server has to accept (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/') || !/^https?:\/\//i.test(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
