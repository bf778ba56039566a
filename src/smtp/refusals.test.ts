import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { mock, test } from 'node:test';
import pino from 'pino';
import { MAX_REFUSED_SOCKETS, REFUSAL_LOG_INTERVAL_MS, Refusals } from './refusals.ts';

interface Warning {
  readonly too_many_connections: number;
  readonly too_many_connections_from_address: number;
}

/** The door's side of so many connections whose clients do nothing. */
async function openSockets(count: number): Promise<{ sockets: Socket[]; close: () => void }> {
  const sockets: Socket[] = [];
  const all = Promise.withResolvers<void>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (sockets.push(socket) === count) all.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const clients = Array.from({ length: count }, () =>
    connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined),
  );
  await all.promise;
  return {
    sockets,
    close() {
      for (const socket of [...clients, ...sockets]) socket.destroy();
      server.close();
    },
  };
}

test('refused clients that stay are cut off in the end, those above a limit at once; the log tells now and then', async (t) => {
  const { sockets, close } = await openSockets(MAX_REFUSED_SOCKETS + 2);
  t.after(close);
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const warnings: Warning[] = [];
  using refusals = new Refusals(pino({}, { write: (line: string) => void warnings.push(JSON.parse(line)) }));

  for (const socket of sockets) refusals.refuse(socket, 'too_many_connections');
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [...Array(MAX_REFUSED_SOCKETS).fill(false), true, true],
  );
  assert.equal(warnings.length, 1);

  mock.timers.tick(REFUSAL_LOG_INTERVAL_MS);
  assert.ok(sockets.every(({ destroyed }) => destroyed));
  mock.timers.tick(10 * REFUSAL_LOG_INTERVAL_MS);

  assert.deepEqual(
    warnings.map(({ too_many_connections }) => too_many_connections),
    [1, MAX_REFUSED_SOCKETS + 1],
  );
});
