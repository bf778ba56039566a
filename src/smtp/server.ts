import { createServer, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { PingWriter } from '../services/ping-writer.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { Room } from './message-reader.ts';
import { createReceiver } from './receive.ts';

export interface SmtpOptions extends Partial<SmtpLimits> {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Domain of ping addresses. */
  readonly domain: string;
  /** Bytes of a message that are kept; null keeps all. */
  readonly bodyLimit: number | null;
  readonly log: Logger;
}

export interface SmtpLimits extends Omit<ConnectionOptions, 'domain'> {
  /** Clients that may be connected at the same time. */
  readonly mostConnections: number;
  /** Bytes that all messages together may take up while they arrive. */
  readonly roomBytes: number;
}

export const SMTP_LIMITS: SmtpLimits = {
  sizeLimit: 32 * 1024 * 1024,
  idleMs: 60_000,
  stayMs: 15 * 60_000,
  mostConnections: 100,
  roomBytes: 256 * 1024 * 1024,
};

export interface SmtpServer extends AsyncDisposable {
  /** Where it listens. */
  readonly port: number;
  /** Cuts all clients off, so that a stop can end. */
  abandonConnections(): void;
}

/** The door for pings by mail. Disposing of it takes no new clients and finishes the messages under way. */
export async function startSmtpServer(writer: PingWriter, options: SmtpOptions): Promise<SmtpServer> {
  const { host, log } = options;
  const limits = { ...SMTP_LIMITS, ...options };
  const room = new Room(limits.roomBytes);
  const receive = createReceiver(writer, options);
  const connections = new Set<Connection>();
  const welcome = async (socket: Socket) => {
    // A client that is gone is noticed where the dialogue goes on; unheard, the error would end the process.
    socket.on('error', () => undefined);
    if (connections.size >= limits.mostConnections) {
      log.warn({ event: 'smtp.full', connections: connections.size });
      socket.end('421 4.3.2 Too many connections, try again later\r\n', () => socket.destroy());
      return;
    }
    const connection = new Connection(socket, limits, receive, room);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
    await connection.run();
  };
  // Half open: a script may send all it has to say, close its side, and wait for the answers.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    welcome(socket).catch((err: unknown) => log.error({ event: 'smtp.failed', err }));
  });
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: options.port }, resolve);
  });
  server.on('error', (err) => log.error({ event: 'smtp.failed', err }));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  log.info({ event: 'smtp.listening', host, port });
  return {
    port,
    abandonConnections: () => {
      for (const connection of connections) connection.abandon();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const connection of connections) connection.stop();
      await closed;
    },
  };
}
