import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { CERTIFICATE, KEY } from '../lib/certificate.test-support.ts';

/** A request as it came in. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
  /** Counts connections: pings of one kept connection have the same. */
  readonly connection: number;
}

export interface AnswerOf {
  readonly status?: number;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string;
}

/** What is answered to the request; `never` leaves it without an answer. */
export type Answering = (
  received: Received,
  count: number,
) => AnswerOf | 'never' | Promise<AnswerOf | 'never'>;

export interface RecordingServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  readonly received: Received[];
  /** `METHOD path` of all. */
  paths(): string[];
}

/** The answers of a server that knows late pings. */
export const AWARE: http.OutgoingHttpHeaders = { 'Ping-Body-Limit': '10000', 'Ping-Age-Limit': '2592000' };

/** A server on the loopback that keeps what it gets. */
export async function startRecordingServer(
  answer: Answering = () => ({ headers: AWARE }),
  { secure = false, port = 0 } = {},
): Promise<RecordingServer> {
  const received: Received[] = [];
  const connections = new Map<net.Socket, number>();
  const listener: http.RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString();
    const connection = connections.get(request.socket) ?? 0;
    const one = { method, path, headers, body, bytes, connection };
    received.push(one);
    const said = await answer(one, received.length);
    if (said === 'never') return;
    response.writeHead(said.status ?? 200, said.headers);
    response.end(said.body ?? 'OK');
  };
  const server = secure
    ? https.createServer({ cert: CERTIFICATE, key: KEY }, listener)
    : http.createServer(listener);
  server.on(secure ? 'secureConnection' : 'connection', (socket: net.Socket) => {
    connections.set(socket, connections.size + 1);
  });
  const bound = await listen(server, port);
  return {
    endpoint: `${secure ? 'https' : 'http'}://127.0.0.1:${bound}/ping`,
    port: bound,
    received,
    paths: () => received.map(({ method, path }) => `${method} ${path}`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server of bare connections, for answers that are none. */
export async function startRawServer(
  onConnection: (socket: net.Socket) => void,
): Promise<AsyncDisposable & { readonly endpoint: string; readonly port: number }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}/ping`,
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: net.Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
