import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionCounter, type Refusal } from '../lib/connection-counter.ts';
import { type ClientNetwork, clientNetworks } from '../lib/ip-address.ts';
import { answerAndClose } from './hang-up.ts';
import type { HttpLimits } from './limits.ts';
import type { Refusals } from './refusals.ts';
import { hasAsked, noteRequest, owedAnswer, takeNoMoreRequests } from './serving-socket.ts';

/**
 * A connection is closed this long after it expired. By then an honest client has received its last answer, or has been
 * idle for too long.
 */
const EXPIRED_IDLE_MS = 150_000;

/** The number of parts of a sweep over all connections. A whole sweep of ten thousand takes two milliseconds. */
const SWEEP_PARTS = 10;

export interface ConnectionsOptions {
  readonly limits: HttpLimits;
  /** Addresses without a limit of connections, such as a proxy in front of many clients. */
  readonly isExempt: (address: string) => boolean;
  /** The refusals are logged once in each sweep. */
  readonly refusals: Refusals;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly networks: readonly ClientNetwork[];
  /** The number of bytes that had been received at the last sweep. */
  bytesRead: number;
  /** Counted in sweeps: `age` since the connection was opened, `sendingFor` since it has had unsent bytes. */
  age: number;
  sendingFor: number;
}

/**
 * Limits the connections of a server: their number, their age, and how long answers wait to be read. Pings cost nothing
 * extra, because the state of connections is read in sweeps.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #counter: ConnectionCounter;
  readonly #all = new Set<Connection>();
  #swept: Iterator<Connection> = this.#all.values();
  /**
   * The number of connections that the current sweep still has to look at. Connections opened since its beginning are
   * left to the next one.
   */
  #leftInSweep = 0;
  /** Connections that may never have sent a request, the oldest first. Whether they have is tested when it matters. */
  readonly #silent = new Queue();
  /** Connections that received nothing between the last two sweeps, the longest idle first. */
  readonly #idle = new Queue();
  /** Connections whose next answer is their last. */
  readonly #expired = new Set<Socket>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#counter = new ConnectionCounter(options.limits, options.isExempt);
  }

  /** Begins to watch the connections of the server. */
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

  /** Whether the next answer is the last one of the connection. */
  isExpired(socket: Socket): boolean {
    return this.#expired.size > 0 && this.#expired.has(socket);
  }

  #admit(socket: Socket): void {
    // Reading the address makes the socket remember it, also after the client has disconnected.
    const address = socket.remoteAddress ?? '';
    const networks = clientNetworks(address);
    const refusal = this.#counter.admit(address);
    if (refusal !== null && !(this.#makeRoom(refusal, address) && this.#counter.admit(address) === null)) {
      this.#options.refusals.add(refusal);
      // A request that arrived with the handshake must not take effect: the client is told that it was refused.
      takeNoMoreRequests(socket);
      answerAndClose(socket, 503, 'Retry-After: 1\r\n');
      return;
    }
    const connection: Connection = { socket, address, networks, bytesRead: -1, age: 0, sendingFor: 0 };
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
   * Closes the oldest connection that never sent a request, or else the one that has been idle longest. A new
   * connection is more likely to bring a ping.
   */
  #makeRoom(refusal: Refusal, address: string): boolean {
    const wanted = refusal === 'too_many_connections' ? null : this.#counter.fullNetworkOf(address);
    const isSilent = ({ socket }: Connection) => !hasAsked(socket);
    const isIdle = ({ socket, bytesRead }: Connection) =>
      owedAnswer(socket) === null && socket.bytesRead === bytesRead;
    const connection = this.#silent.first(wanted, isSilent) ?? this.#idle.first(wanted, isIdle);
    if (connection === null) return false;
    connection.socket.destroy();
    this.#forget(connection);
    return true;
  }

  /** Looks at a part of the connections. After several calls all have been looked at. */
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
    // Node tests whether bytes of a long answer are sent. It emits `timeout` after two periods without any, so a period
    // is half the limit.
    else if (connection.sendingFor === 1) socket.setTimeout(maxUnreadAnswerMs / 2);
  }
}

/** Connections in the order in which they were added: of all clients, and of each network. */
class Queue {
  readonly #all = new Set<Connection>();
  readonly #byNetwork = new Map<string, Set<Connection>>();

  add(connection: Connection): void {
    this.#all.add(connection);
    for (const { name } of connection.networks)
      this.#byNetwork.getOrInsertComputed(name, () => new Set()).add(connection);
  }

  delete(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    for (const { name } of connection.networks) {
      const ofNetwork = this.#byNetwork.get(name);
      ofNetwork?.delete(connection);
      if (ofNetwork?.size === 0) this.#byNetwork.delete(name);
    }
  }

  /** Returns the first connection that still belongs here, and removes the ones before it. */
  first(network: string | null, belongs: (connection: Connection) => boolean): Connection | null {
    for (const connection of network === null ? this.#all : (this.#byNetwork.get(network) ?? [])) {
      if (belongs(connection)) return connection;
      this.delete(connection);
    }
    return null;
  }
}

/**
 * Handles `timeout`, which Node emits when no byte was received or sent for a while. If the client waits for its
 * answer, the connection stays open.
 */
function endUnlessAnswerIsAwaited(socket: Socket): void {
  if (owedAnswer(socket) === null || socket.writableLength > 0) socket.destroy();
}
