import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Callers } from './authentication.ts';
import { MAX_TOGETHER, QuickRoutes } from './quick-routes.ts';
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

function quickRoutes(note: (event: string) => void = () => undefined): QuickRoutes {
  // All that a route without a key asks of it.
  const callers = {
    async anybodyQuick(_client: unknown, ask: () => Promise<unknown>) {
      note('asked');
      return ask();
    },
  } as unknown as Callers;
  return new QuickRoutes(callers, [ROUTE], {
    prefix: '',
    store: { shareState: () => note('shared') },
    newRequestId: () => '1',
    everyHeader: {},
    addressOf: () => '192.0.2.1',
    log: pino({ enabled: false }),
  });
}

/** Whether a request is answered past the framework. */
function isAnsweredBy(routes: QuickRoutes, onEnd: () => void = () => undefined): Promise<boolean> {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/quick' });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const response = Object.assign(new ServerResponse(request), {
    end() {
      onEnd();
      resolve(true);
    },
  });
  routes.serve(request, response, () => resolve(false));
  return promise;
}

/** Whether a request is answered past the framework after `prepare`. */
function isAnswered(prepare: (routes: QuickRoutes) => void): Promise<boolean> {
  const routes = quickRoutes();
  prepare(routes);
  return isAnsweredBy(routes);
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

test('requests that come together read one state of the database, and are answered one right after the other', async () => {
  const events: string[] = [];
  const routes = quickRoutes((event) => events.push(event));
  routes.open();
  const answered = () => isAnsweredBy(routes, () => events.push('answered'));

  assert.deepEqual(await Promise.all([answered(), answered()]), [true, true]);
  assert.deepEqual(events, ['shared', 'asked', 'asked', 'answered', 'answered']);
  assert.equal(await answered(), true);
  assert.deepEqual(events.slice(5), ['asked', 'answered'], 'a lone request shares nothing');
});

test('of many requests that come together some are answered in one turn, and the others after what came meanwhile', async () => {
  const events: string[] = [];
  const routes = quickRoutes((event) => events.push(event));
  routes.open();
  const requests = Array.from({ length: MAX_TOGETHER + 1 }, () => isAnsweredBy(routes));
  setImmediate(() => events.push('end of the turn'));

  assert.ok((await Promise.all(requests)).every((isAnswered) => isAnswered));
  const asked = Array.from({ length: MAX_TOGETHER }, () => 'asked');
  assert.deepEqual(events, ['shared', ...asked, 'end of the turn', 'asked']);
});

test('a request that waits while the server begins to stop takes the usual way', async () => {
  const routes = quickRoutes();
  routes.open();
  const answer = isAnsweredBy(routes);
  routes.close();

  assert.equal(await answer, false);
});
