import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

/** A way to a PostgreSQL server that a test opens and closes. At first nothing listens there. */
export interface Gate extends AsyncDisposable {
  /** The URL of the server, by this way. */
  readonly url: string;
  /** Connections lead to the server from now on. */
  open(): Promise<void>;
  /** Connections are accepted from now on, and nothing ever comes through them. */
  fallSilent(): Promise<void>;
  /** When this text is sent for the first time, all connections are cut, and so are new ones until it is opened again. */
  closeAt(text: string): void;
}

export async function createGate(serverUrl: string): Promise<Gate> {
  const { hostname, port: serverPort } = new URL(serverUrl);
  const port = await freePort();
  const url = Object.assign(new URL(serverUrl), { hostname: '127.0.0.1', port: String(port) });
  // Otherwise it would lead to the server's socket.
  url.searchParams.delete('host');
  let state: 'open' | 'silent' | 'closed' = 'closed';
  let closingText: string | null = null;
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const hold = (socket: Socket, other: Socket | null) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other?.destroy();
    });
  };
  const server = createServer((near) => {
    if (state === 'closed') return void near.destroy();
    if (state === 'silent') return hold(near, null);
    const far = connect({ port: Number(serverPort), host: hostname });
    hold(near, far);
    hold(far, near);
    far.pipe(near);
    near.on('data', (chunk: Buffer) => {
      if (closingText !== null && chunk.includes(closingText)) {
        closingText = null;
        state = 'closed';
        cut();
      } else far.write(chunk);
    });
  });
  const listen = async () => {
    if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  return {
    url: url.href,
    open() {
      state = 'open';
      return listen();
    },
    fallSilent() {
      state = 'silent';
      return listen();
    },
    closeAt(text) {
      closingText = text;
    },
    async [Symbol.asyncDispose]() {
      cut();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
