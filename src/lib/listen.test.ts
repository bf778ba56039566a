import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { suite, test } from 'node:test';
import { listen } from './listen.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** A server on a machine whose kernel refuses IPv6 by this error. */
class ServerWithoutIpv6 extends Server {
  readonly asked: unknown[] = [];
  readonly #code: string;

  constructor(code: string) {
    super();
    this.#code = code;
  }

  override listen(...args: unknown[]): this {
    const [port, host] = args;
    this.asked.push(host);
    if (host !== '::') return super.listen(Number(port), String(host));
    process.nextTick(() => this.emit('error', Object.assign(new Error('no'), { code: this.#code })));
    return this;
  }
}

async function addressSeenFrom(server: Server, host: string, { port }: AddressInfo): Promise<string> {
  const seen = once(server, 'connection');
  const client = connect({ host, port });
  const [socket] = await seen;
  const { remoteAddress } = socket;
  client.destroy();
  socket.destroy();
  return remoteAddress;
}

suite('a server without an address of its own', () => {
  test('takes connections by IPv4 and IPv6 on one port', {
    skip: !hasIpv6 && 'this machine has no IPv6',
  }, async () => {
    await using server = createServer();

    const address = await listen(server, { host: null, port: 0 });

    assert.equal(address.address, '::');
    assert.equal(await addressSeenFrom(server, '::1', address), '::1');
    assert.equal(await addressSeenFrom(server, '127.0.0.1', address), '::ffff:127.0.0.1');
  });

  for (const code of ['EAFNOSUPPORT', 'EADDRNOTAVAIL']) {
    test(`takes connections by IPv4 where the kernel has no IPv6 and says ${code}`, async () => {
      await using server = new ServerWithoutIpv6(code);

      const address = await listen(server, { host: null, port: 0 });

      assert.deepEqual(server.asked, ['::', '0.0.0.0']);
      assert.equal(address.address, '0.0.0.0');
      assert.equal(await addressSeenFrom(server, '127.0.0.1', address), '127.0.0.1');
    });
  }

  test('does not take another address for a port that is in use', async () => {
    await using server = new ServerWithoutIpv6('EADDRINUSE');

    await assert.rejects(listen(server, { host: null, port: 0 }), { code: 'EADDRINUSE' });

    assert.deepEqual(server.asked, ['::']);
  });
});

test('a server with an address takes connections there alone', async () => {
  await using server = new ServerWithoutIpv6('EAFNOSUPPORT');

  const { address } = await listen(server, { host: '127.0.0.1', port: 0 });

  assert.deepEqual([address, server.asked], ['127.0.0.1', ['127.0.0.1']]);
});
