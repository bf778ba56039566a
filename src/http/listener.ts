import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { createAddressMatcher } from '../lib/ip-address.ts';
import { type ListenAddress, listen } from '../lib/listen.ts';
import { ClientErrors, refuseTunnel } from './client-error.ts';
import { Connections } from './connections.ts';
import { endWith } from './hang-up.ts';
import { HTTP_LIMITS, type HttpLimits, MAX_HEADER_BYTES, MAX_HEADERS } from './limits.ts';
import { ALLOWED_METHODS } from './ping/handler.ts';
import { Pipelines } from './pipelines.ts';
import { Refusals } from './refusals.ts';

/** Loopback addresses have no limit of their own: a client on this machine is most likely a proxy. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

const MAX_HEADERS_SECONDS = 10;
// Longer than the idle time of common proxies, so that they close the connection first.
const KEEP_ALIVE_SECONDS = 72;
const CLOSING_SWEEP_MS = 50;
// The longest delay in noticing a time-out. The default of Node is half a minute.
const TIMEOUT_SWEEP_MS = 500;

/** Connections that may wait in the kernel while the service is started anew. The kernel's own limit is usually the same. */
const INHERITED_BACKLOG = 4_096;

export interface ListenerOptions {
  readonly log: Logger;
  readonly requestTimeoutSeconds: number;
  readonly trustedProxies: readonly string[];
  /** Limits that differ from `HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>;
}

/**
 * The sockets of the HTTP edge: connections, their limits and time-outs, and requests as they come in. Who answers them may
 * change while connections are open.
 */
export class HttpListener {
  readonly limits: HttpLimits;
  readonly refusals: Refusals;
  /** Addresses without limits of their own. */
  readonly isExempt: (address: string) => boolean;
  readonly server: Server;
  readonly #servers: Server[];
  readonly #requestTimeoutSeconds: number;
  /** Nobody answers before the first call of `answerBy`. */
  #answer: RequestListener = () => undefined;

  constructor(options: ListenerOptions) {
    this.limits = { ...HTTP_LIMITS, ...options.limits };
    this.refusals = new Refusals(options.log);
    this.isExempt = createAddressMatcher([...options.trustedProxies, ...LOOPBACK]);
    this.#requestTimeoutSeconds = options.requestTimeoutSeconds;
    this.server = this.#newServer();
    this.#servers = [this.server];
  }

  /** The port at which it listens; null before. */
  get port(): number | null {
    const address = this.server.address();
    return typeof address === 'object' ? (address?.port ?? null) : null;
  }

  /** Gives the requests that come from now on to somebody else. */
  answerBy(answer: RequestListener): void {
    this.#answer = answer;
  }

  /** Returns where it listens. */
  async listen(at: ListenAddress): Promise<AddressInfo> {
    const own = await listen(this.server, at);
    if (at.host === 'localhost') await this.#listenBeside(own);
    return own;
  }

  /** Listens on a socket that another program has opened. It may hold connections that came before this process. */
  async listenOn(fd: number): Promise<AddressInfo> {
    await once(this.server.listen({ fd, backlog: INHERITED_BACKLOG }), 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string')
      throw new Error('the socket that the service was started with is none of TCP');
    return address;
  }

  /** Resolves when the last request is answered. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.filter(({ listening }) => listening).map(closeServer));
  }

  /** The name stands for an IPv4 and an IPv6 address, and a server listens on one. Opens others for the rest, where possible. */
  async #listenBeside(own: AddressInfo): Promise<void> {
    const addresses = await lookup('localhost', { all: true });
    const others = new Set(addresses.map(({ address }) => address).filter((one) => one !== own.address));
    const opening = [...others].map(async (address) => {
      const other = this.#newServer();
      await listen(other, { host: address, port: own.port });
      this.#servers.push(other);
    });
    await Promise.allSettled(opening);
  }

  /** Creates a server with time-outs, so that slow clients cannot hold a connection forever. */
  #newServer(): Server {
    const seconds = this.#requestTimeoutSeconds;
    const connections = new Connections(this);
    const pipelines = new Pipelines(this.limits);
    const server = createServer(
      {
        requestTimeout: seconds * 1000,
        connectionsCheckingInterval: TIMEOUT_SWEEP_MS,
        headersTimeout: Math.min(seconds, MAX_HEADERS_SECONDS) * 1000,
        keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Nothing depends on the header, and a ping without it must be recorded.
        requireHostHeader: false,
      },
      this.#receiver(connections, pipelines),
    );
    server.maxHeadersCount = MAX_HEADERS;
    const clientErrors = new ClientErrors();
    // Requests come by sockets of `node:net`, as the types do not tell.
    server.on('clientError', (error, socket) => clientErrors.refuse(error, socket as Socket));
    server.on('connect', (_request, socket) => refuseTunnel(socket as Socket, ALLOWED_METHODS));
    server.on('checkExpectation', expectationRefuser(pipelines));
    connections.watch(server);
    // A client that closes its side after the request, as `nc` does, still waits for the answer.
    return Object.assign(server, { httpAllowHalfOpen: true });
  }

  #receiver(connections: Connections, pipelines: Pipelines): RequestListener {
    return (request, response) => {
      if (response.socket === null && !pipelines.admit(request, response)) return;
      if (connections.isExpired(request.socket)) endWith(response, request.socket);
      request.url = originForm(request.url ?? '');
      this.#answer(request, response);
    };
  }
}

/** Waits for the last answers. Closes connections that clients keep open after them: they would delay the stop. */
async function closeServer(server: Server): Promise<void> {
  const sweeping = setInterval(() => server.closeIdleConnections(), CLOSING_SWEEP_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(sweeping);
}

/** Handles `checkExpectation`. By default Node refuses such requests itself, and nothing would count them. */
function expectationRefuser(pipelines: Pipelines): RequestListener {
  return (request, response) => {
    const isPipelined = response.socket === null;
    if (!isPipelined || pipelines.admit(request, response)) response.writeHead(417).end();
  };
}

/** Returns the path alone. A client may send the whole address, which every server has to accept (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/') || !/^https?:\/\//i.test(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
