import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ConnectionOrder } from './connection-order.ts';
import type { EarlyRefusals } from './early-refusals.ts';
import { hangUpAfter } from './hang-up.ts';
import type { PingHandler } from './ping/handler.ts';
import { hasBody } from './ping/request-body.ts';
import type { Turns } from './turns.ts';

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
  order: ConnectionOrder,
): RequestListener {
  return (request, response) => {
    if (pings.serve(request, response)) return;
    const isPipelined = response.socket === null;
    order.add(request.socket, new Promise((resolve) => response.once('close', resolve)));
    if (!isPipelined && earlyRefusals.serve(request, response)) return;
    const answer = () => others(request, response);
    // The body would have to be kept until the request's turn, in all its small pieces.
    if (isPipelined && hasBody(request)) refusePipelinedBody(request, response);
    else if (isPipelined) response.once('socket', answer);
    else if (request.method === 'GET' && !hasBody(request)) turns.atEnd(answer);
    else answer();
  };
}

function refusePipelinedBody(request: IncomingMessage, response: ServerResponse): void {
  hangUpAfter(request, response);
  const body = JSON.stringify({ error: 'a request with a body must wait for the answer before it' });
  response.writeHead(400, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
}
