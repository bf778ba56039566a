import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ConnectionOrder } from './connection-order.ts';
import type { Connections } from './connections.ts';
import type { EarlyRefusals } from './early-refusals.ts';
import { endWith, hangUpAfter } from './hang-up.ts';
import type { PingHandler } from './ping/handler.ts';
import { hasBody } from './ping/request-body.ts';
import type { Pipelines } from './pipelines.ts';
import type { Turns } from './turns.ts';

/** The objects that connect the requests of one connection. */
interface Neighbours {
  readonly order: ConnectionOrder;
  readonly connections: Connections;
  readonly pipelines: Pipelines;
}

interface Handlers {
  readonly pings: PingHandler;
  readonly earlyRefusals: EarlyRefusals;
  /** Answers all others. */
  readonly others: RequestListener;
}

/**
 * Passes requests to who answers them. Pipelined pings are handled concurrently. Other pipelined requests wait until earlier
 * ones are answered, so that at most one answer waits to be read. GETs that come together are answered together.
 */
export function receiver(
  { pings, earlyRefusals, others }: Handlers,
  turns: Pick<Turns, 'atEnd'>,
  { order, connections, pipelines }: Neighbours,
): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const isPipelined = response.socket === null;
    if (isPipelined && !pipelines.admit(request, response)) return;
    if (connections.isExpired(socket)) endWith(response, socket);
    request.url = originForm(request.url ?? '');
    if (pings.takes(request.url)) {
      pings.handle(request, response);
      return;
    }
    order.add(socket, new Promise((resolve) => response.once('close', resolve)));
    if (!isPipelined && earlyRefusals.serve(request, response)) return;
    const answer = () => others(request, response);
    // The body would have to be kept until the request's turn, in all its small pieces.
    if (isPipelined && hasBody(request)) refusePipelinedBody(request, response);
    else if (isPipelined) response.once('socket', answer);
    else if (request.method === 'GET' && !hasBody(request)) turns.atEnd(answer);
    else answer();
  };
}

/** Handles `checkExpectation`. By default Node refuses such requests itself, and nothing would count them. */
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

/** Returns the path alone. A client may send the whole address, which every server has to accept (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/') || !/^https?:\/\//i.test(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
