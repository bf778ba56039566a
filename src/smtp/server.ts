import { createServer, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { ByteBudget } from '../lib/byte-budget.ts';
import { ConnectionCounter, type ConnectionLimits } from '../lib/connection-counter.ts';
import { EventLoopTurns } from '../lib/event-loop-turns.ts';
import { clientNetworks } from '../lib/ip-address.ts';
import { type ListenAddress, listen } from '../lib/listen.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { MailReader } from './mail-reader.ts';
import { createReceiver, type MailServices } from './receive.ts';
import { Refusals } from './refusals.ts';

export interface SmtpOptions extends Partial<SmtpLimits>, ListenAddress {
  /** Domain of ping addresses. */
  readonly domain: string;
  /** Bytes of a message that are kept. Null keeps all. */
  readonly bodyLimit: number | null;
  readonly log: Logger;
}

export interface SmtpLimits extends Omit<ConnectionOptions, 'domain'>, ConnectionLimits {
  /** Memory for all messages together, from their first byte until their reply. */
  readonly maxBufferedBytes: number;
  /** Memory for the messages from one address. */
  readonly maxBufferedBytesPerAddress: number;
}

export const SMTP_LIMITS: SmtpLimits = {
  maxMessageBytes: 32 * 1024 * 1024,
  idleTimeoutMs: 60_000,
  writeTimeoutMs: 30_000,
  sessionTimeoutMs: 15 * 60_000,
  maxConnections: 100,
  maxConnectionsPerAddress: 10,
  maxBufferedBytes: 256 * 1024 * 1024,
  maxBufferedBytesPerAddress: 96 * 1024 * 1024,
};

/** Chunks of 64 kB that are read from all clients together in one turn, so that pings do not wait. */
const CHUNKS_PER_TURN = 4;

export interface SmtpServer extends AsyncDisposable {
  /** Where it listens. */
  readonly address: string;
  readonly port: number;
  /** Closes all connections at once, so that a stop can end. */
  abandonConnections(): void;
}

/** Starts the server that receives pings by mail. Disposing it stops new connections and finishes open messages. */
export async function startSmtpServer(services: MailServices, options: SmtpOptions): Promise<SmtpServer> {
  const { log } = options;
  const limits = { ...SMTP_LIMITS, ...options };
  const counter = new ConnectionCounter(limits);
  const budgets = new Budgets(limits);
  const reader = new MailReader();
  const receive = createReceiver(services, reader, options);
  const refusals = new Refusals(log);
  const turns = new EventLoopTurns(CHUNKS_PER_TURN);
  const connections = new Set<Connection>();
  const welcome = async (socket: Socket) => {
    // The dialogue notices a client that is gone. Without a listener the error would end the process.
    socket.on('error', () => undefined);
    const address = socket.remoteAddress ?? '';
    const refusal = counter.admit(address);
    if (refusal !== null) return refusals.refuse(socket, refusal);
    const connection = new Connection(socket, limits, { receive, budget: budgets.of(address), turns });
    connections.add(connection);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    try {
      await connection.run();
      await closed;
    } finally {
      connections.delete(connection);
      counter.release(address);
      budgets.leave(address);
    }
  };
  // A script may send everything, close its side, and wait for the replies.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    welcome(socket).catch((err: unknown) => log.error({ event: 'smtp.failed', err }));
  });
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  const { address, port } = await listen(server, options);
  server.on('error', (err) => log.error({ event: 'smtp.failed', err }));
  log.info({ event: 'smtp.listening', host: address, port });
  return {
    address,
    port,
    abandonConnections: () => {
      for (const connection of connections) connection.abandon();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const connection of connections) connection.stop();
      await closed;
      refusals[Symbol.dispose]();
      await reader[Symbol.asyncDispose]();
    },
  };
}

/** The memory budgets: one for all messages, and one for each network of each connected address. */
class Budgets {
  readonly #whole: ByteBudget;
  readonly #maxBytesPerAddress: number;
  readonly #shares = new Map<string, { readonly budget: ByteBudget; connections: number }>();

  constructor({ maxBufferedBytes, maxBufferedBytesPerAddress }: SmtpLimits) {
    this.#whole = new ByteBudget(maxBufferedBytes);
    this.#maxBytesPerAddress = maxBufferedBytesPerAddress;
  }

  /** The budget of the smallest network, which is a share of the next larger one's. */
  of(address: string): ByteBudget {
    return clientNetworks(address).reduceRight((whole, { name, shares }) => {
      const share = this.#shares.getOrInsertComputed(name, () => ({
        budget: new ByteBudget(shares * this.#maxBytesPerAddress, whole),
        connections: 0,
      }));
      share.connections++;
      return share.budget;
    }, this.#whole);
  }

  leave(address: string): void {
    for (const { name } of clientNetworks(address)) {
      const share = this.#shares.get(name);
      if (share !== undefined && --share.connections === 0) this.#shares.delete(name);
    }
  }
}
