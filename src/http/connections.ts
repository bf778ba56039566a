import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionCounter, type Refusal } from '../lib/connection-counter.ts';
import { clientNetwork } from '../lib/ip-address.ts';
import { answerAndClose } from './hang-up.ts';
import type { HttpLimits } from './limits.ts';
import type { Refusals } from './refusals.ts';
import { hasAsked, noteRequest, owedAnswer, takeNoMoreRequests } from './serving-socket.ts';

/** An honest client has had its last answer, or has been idle for too long, within this time after its connection expired. */
const EXPIRED_IDLE_MS = 150_000;

/** A sweep over all connections is done in so many parts, since one of ten thousand takes two milliseconds. */
const SWEEP_PARTS = 10;

export interface ConnectionsOptions {
  readonly limits: HttpLimits;
  /** Addresses of which any number may connect, such as a proxy in front of many clients. */
  readonly isExempt: (address: string) => boolean;
  /** Told of once in each sweep. */
  readonly refusals: Refusals;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly network: string;
  /** What had come from the client at the last sweep. */
  bytesRead: number;
  /** Sweeps since it was opened, and since it has had bytes to send. */
  age: number;
  sendingFor: number;
}

/**
 * Keeps the connections of a server within limits: how many there are, how old they become, and how long answers wait to
 * be read. A ping pays nothing for it: what is to be known of a connection is looked up in sweeps.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #counter: ConnectionCounter;
  readonly #all = new Set<Connection>();
  #swept: Iterator<Connection> = this.#all.values();
  /** Those of the present sweep that are still to be looked at; what has come since its beginning is left to the next. */
  #leftInSweep = 0;
  /** Those that may never have asked for anything, the oldest first. Whether they have is looked up when it matters. */
  readonly #silent = new Queue();
  /** Those on which nothing came between the last two sweeps, the longest idle first. */
  readonly #idle = new Queue();
  /** Their next answer is the last. */
  readonly #expired = new Set<Socket>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#counter = new ConnectionCounter(options.limits, options.isExempt);
  }

  /** Looks after the connections of the server from now on. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#admit(socket));
    for (const event of ['request', 'checkExpectation']) {
      server.on(event, ({ socket }: IncomingMessage) => noteRequest(socket));
    }
    server.on('timeout', (socket) => endUnlessAnswerIsAwaited(socket));
    server.on('listening', () => {
      const sweepPart = () => this.sweepPart();
      this.#sweeping = setInterval(sweepPart, this.#options.limits.sweepMs / SWEEP_PARTS).unref();
    });
    server.on('close', () => clearInterval(this.#sweeping));
  }

  /** Whether the next answer is to be the last of the connection. */
  isExpired(socket: Socket): boolean {
    return this.#expired.size > 0 && this.#expired.has(socket);
  }

  #admit(socket: Socket): void {
    // Asking once makes the socket remember it, for when a client is gone before its request is looked at.
    const address = socket.remoteAddress ?? '';
    const network = clientNetwork(address);
    const refusal = this.#counter.admit(address);
    if (refusal !== null && !(this.#makeRoom(refusal, network) && this.#counter.admit(address) === null)) {
      this.#options.refusals.add(refusal);
      // What came with the handshake must not take effect: its client is told that it did not.
      takeNoMoreRequests(socket);
      answerAndClose(socket, 503, 'Retry-After: 1\r\n');
      return;
    }
    const connection: Connection = { socket, address, network, bytesRead: -1, age: 0, sendingFor: 0 };
    this.#all.add(connection);
    this.#silent.add(connection);
    socket.once('close', () => this.#forget(connection));
  }

  #forget(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    this.#counter.release(connection.address);
    this.#expired.delete(connection.socket);
    this.#silent.delete(connection);
    this.#idle.delete(connection);
  }

  /**
   * Closes the oldest connection that has never asked for anything, or else the one that has been idle for longest: a new
   * one is more likely to bring a ping.
   */
  #makeRoom(refusal: Refusal, network: string): boolean {
    const wanted = refusal === 'too_many_connections' ? null : network;
    const isSilent = ({ socket }: Connection) => !hasAsked(socket);
    const isIdle = ({ socket, bytesRead }: Connection) =>
      owedAnswer(socket) === null && socket.bytesRead === bytesRead;
    const connection = this.#silent.first(wanted, isSilent) ?? this.#idle.first(wanted, isIdle);
    if (connection === null) return false;
    connection.socket.destroy();
    this.#forget(connection);
    return true;
  }

  /** Looks at some connections, so that all have been looked at after a number of times. */
  sweepPart(): void {
    for (let left = Math.ceil((this.#all.size + 1) / SWEEP_PARTS); left > 0; left--) {
      const { value, done } = this.#leftInSweep-- > 0 ? this.#swept.next() : { value: null, done: true };
      if (done === true || value === null) {
        this.#swept = this.#all.values();
        this.#leftInSweep = this.#all.size;
        this.#options.refusals.tell();
        return;
      }
      this.#look(value);
    }
  }

  #look(connection: Connection): void {
    const { socket } = connection;
    const { sweepMs, maxConnectionMs, maxSendingMs, maxUnreadAnswerMs } = this.#options.limits;
    const { bytesRead } = socket;
    if (bytesRead === connection.bytesRead && owedAnswer(socket) === null) this.#idle.add(connection);
    else this.#idle.delete(connection);
    connection.bytesRead = bytesRead;
    const expiredForMs = ++connection.age * sweepMs - maxConnectionMs;
    if (expiredForMs > 0) this.#expired.add(socket);
    if (expiredForMs > EXPIRED_IDLE_MS && owedAnswer(socket) === null) socket.destroy();
    if (socket.writableLength === 0) connection.sendingFor = 0;
    else if (++connection.sendingFor * sweepMs > maxSendingMs) socket.destroy();
    // Node knows whether bytes of a long answer go out. It tells when none did for this time twice.
    else if (connection.sendingFor === 1) socket.setTimeout(maxUnreadAnswerMs / 2);
  }
}

/** Connections in the order in which they were added, of all clients and of each network. */
class Queue {
  readonly #all = new Set<Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();

  add(connection: Connection): void {
    this.#all.add(connection);
    this.#byNetwork.getOrInsertComputed(connection.network, () => new Set()).add(connection);
  }

  delete(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    const ofNetwork = this.#byNetwork.get(connection.network);
    ofNetwork?.delete(connection);
    if (ofNetwork?.size === 0) this.#byNetwork.delete(connection.network);
  }

  /** The first one that still belongs here; those before it are taken out. */
  first(network: string | null, belongs: (connection: Connection) => boolean): Connection | null {
    for (const connection of network === null ? this.#all : (this.#byNetwork.get(network) ?? [])) {
      if (belongs(connection)) return connection;
      this.delete(connection);
    }
    return null;
  }
}

/** For `timeout`, which comes when no byte came or went for a while. The client may just be waiting for its answer. */
function endUnlessAnswerIsAwaited(socket: Socket): void {
  if (owedAnswer(socket) === null || socket.writableLength > 0) socket.destroy();
}
