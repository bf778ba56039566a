import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address behind which the server may change, like a proxy's or a virtual one. */
export interface Switch extends AsyncDisposable {
  /** The URL of a server, with this address in the place of its own. */
  of(url: string): string;
  /** New connections lead to another server. Open ones are cut. */
  turnTo(url: string): void;
  /** From now on nothing comes through any more, in either direction, and nobody is told. */
  fallSilent(): void;
  /** The number of connections so far. */
  readonly connections: number;
}

export async function startSwitch(url: string): Promise<Switch> {
  let target = Number(new URL(url).port);
  let connections = 0;
  let isSilent = false;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    connections++;
    const far = connect({ port: target, host: '127.0.0.1' });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (!isSilent) near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    of: (server) => Object.assign(new URL(server), { port: String(port) }).href,
    turnTo(server) {
      target = Number(new URL(server).port);
      cut();
    },
    fallSilent() {
      isSilent = true;
      for (const socket of open) socket.unpipe();
    },
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
