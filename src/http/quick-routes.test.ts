import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Callers } from './authentication.ts';
import { QuickRoutes } from './quick-routes.ts';
import type { Route } from './route.ts';

const ROUTE: Route = {
  path: '/quick',
  cors: false,
  operations: {
    GET: {
      auth: 'none',
      isQuick: true,
      handle: async () => ({ status: 200, bytes: Buffer.from('quick'), contentType: 'text/plain' }),
    },
  },
};

/** Whether a request is answered past the framework after `prepare`. */
async function isAnswered(prepare: (routes: QuickRoutes) => void): Promise<boolean> {
  // All that a route without a key asks of it.
  const callers = { anybodyQuick: (_client: unknown, ask: () => unknown) => ask() } as unknown as Callers;
  const options = { prefix: '', newRequestId: () => '1', trustedProxies: [], log: pino({ enabled: false }) };
  const routes = new QuickRoutes(callers, [ROUTE], options);
  prepare(routes);
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/quick' });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const response = Object.assign(new ServerResponse(request), { end: () => resolve(true) });
  routes.serve(request, response, () => resolve(false));
  return promise;
}

test('requests take the usual way before the opening, and after the closing for good', async () => {
  assert.equal(await isAnswered(() => undefined), false);
  assert.equal(await isAnswered((routes) => routes.open()), true);
  const closed = await isAnswered((routes) => {
    routes.close();
    routes.open();
  });
  assert.equal(closed, false, 'a server may be stopped before it knows whether anybody has watched');
});
