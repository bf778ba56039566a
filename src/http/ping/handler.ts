import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { agentOfJob } from '../../domain/ping/hand-ping.ts';
import type { IncomingPing, PingOutcome, PingTarget } from '../../domain/ping/incoming-ping.ts';
import { KEYWORD_WINDOW } from '../../domain/ping/keyword-filter.ts';
import { MAX_PING_USER_AGENT } from '../../domain/ping/ping.ts';
import type { ByteBudget } from '../../lib/byte-budget.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Histogram } from '../../lib/histogram.ts';
import { MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import { createAddressMatcher, parseForwardedAddress, peerAddress } from '../../lib/ip-address.ts';
import type { PingWriter } from '../../services/ping/ping-writer.ts';
import { pingKeyDigest } from '../../services/project/projects.ts';
import { type PingAddress, parsePingPath, parseRid } from '../../wire/ping/address.ts';
import type { ConnectionOrder } from '../connection-order.ts';
import { errorReply } from '../error-map.ts';
import { hangUpAfter } from '../hang-up.ts';
import { PingPaths } from './paths.ts';
import { type DrainLimits, hasBody, type PingBody, readPingBody } from './request-body.ts';

export interface PingOptions {
  /** The beginning of ping addresses: the path of the site's root, then `/ping/`. */
  readonly prefix: string;
  /** The number of bytes of a body that are kept. Null: the first 10 MiB. */
  readonly bodyLimit: number | null;
  readonly drainLimits: DrainLimits;
  /** Shared by all bodies that are being received or written. */
  readonly bodyBudget: ByteBudget;
  readonly order: ConnectionOrder;
  readonly trustedProxies: readonly string[];
  /** Receives the time from each ping's request to its answer, in seconds. */
  readonly seconds: Pick<Histogram, 'add'>;
  readonly log: Logger;
}

/** Some clients send PUT and PATCH and mean POST. */
const PING_METHODS = ['HEAD', 'GET', 'POST', 'PUT', 'PATCH'];
export const ALLOWED_METHODS = [...PING_METHODS, 'OPTIONS'].join(', ');
const MAX_PEERS = 1_000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

const ANSWERS: Record<Extract<PingOutcome, string>, Answer> = {
  recorded: { status: 200, text: 'OK' },
  created: { status: 201, text: 'Created' },
  not_found: { status: 404, text: 'not found' },
  ambiguous: { status: 409, text: 'ambiguous slug' },
  invalid_exit_status: { status: 400, text: 'invalid url format' },
  invalid_rid: { status: 400, text: 'invalid uuid format' },
  // Does not occur for pings over HTTP: only mails are read before their check is known for certain.
  filter_changed: { status: 503, text: 'try again' },
};
const INVALID_URL: Answer = { status: 400, text: 'invalid url format' };
const FIXED_ANSWERS: ReadonlySet<Answer> = new Set([...Object.values(ANSWERS), INVALID_URL]);

/** The other end of a connection. */
interface Peer {
  readonly isTrusted: boolean;
  readonly address: string | null;
}

/**
 * Handles pings over HTTP. It works on the bare request, without the dispatcher: only here tens of microseconds a
 * request matter.
 */
export class PingHandler {
  readonly #writer: PingWriter;
  readonly #clock: Clock;
  readonly #options: PingOptions;
  readonly #isTrusted: (address: string) => boolean;
  readonly #paths: PingPaths;
  /** The headers of the answers within the same second. */
  #headers = { second: 0, byAnswer: new Map<Answer, string[]>() };
  readonly #peers = new Map<string, Peer>();
  #lastFailure: unknown;
  #isStopping = false;

  constructor(writer: PingWriter, clock: Clock, options: PingOptions) {
    this.#writer = writer;
    this.#clock = clock;
    this.#options = options;
    this.#isTrusted = createAddressMatcher(options.trustedProxies);
    this.#paths = new PingPaths(options.prefix);
  }

  /**
   * From now on every answer is the last of its connection, and its headers say so: the next request would find the
   * connection closed.
   */
  stop(): void {
    this.#isStopping = true;
  }

  /** Whether the request goes to a ping address. */
  takes(url: string): boolean {
    return this.#paths.include(url);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const receivedAt = this.#clock.monotonic();
    // The address is known only while the client is connected, so it is read before anything is awaited.
    const peer = this.#peer(request.socket.remoteAddress ?? '');
    const body = this.#bodyInTurn(request);
    const answer = (read: PingBody) => {
      try {
        this.#answer(request, response, peer, read, receivedAt);
      } catch (error) {
        this.#giveBack(read.bytes);
        this.#fail(response, error);
      }
    };
    if (body instanceof Promise) body.then(answer, (error: unknown) => this.#fail(response, error));
    else answer(body);
  }

  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    peer: Peer,
    body: PingBody,
    receivedAt: Micros,
  ): void {
    if (body.isEndless) hangUpAfter(request, response);
    const { method = 'GET', url = '' } = request;
    const address = this.#addressOf(method, url, response);
    if (address === null) this.#giveBack(body.bytes);
    else {
      const start = url.indexOf('?');
      const query = start === -1 ? NO_QUERY : queryOf(url.slice(start + 1));
      this.#record(response, this.#pingOf(request, peer, address, query, body.bytes), receivedAt);
    }
  }

  /** Returns the check that is pinged, and how. If it is not a ping, answers the request and returns null. */
  #addressOf(method: string, url: string, response: ServerResponse): PingAddress | null {
    if (method === 'OPTIONS') this.#sendOptions(response);
    else if (!PING_METHODS.includes(method)) this.#sendMethodNotAllowed(response);
    else {
      const text = this.#paths.addressIn(url);
      const address = text === null ? 'not_found' : parsePingPath(text);
      if (address === 'not_found') this.#send(response, ANSWERS.not_found);
      else if (address === 'invalid_url') this.#send(response, INVALID_URL);
      else return address;
    }
    return null;
  }

  /** Adds only one promise to the writer's: for most pings this is a large part of their cost. */
  #record(response: ServerResponse, ping: IncomingPing, receivedAt: Micros): void {
    this.#writer.record(ping).then(
      (outcome) => {
        this.#giveBack(ping.body);
        this.#tellOutcome(response, outcome);
        this.#measure(receivedAt);
      },
      (error: unknown) => {
        this.#giveBack(ping.body);
        this.#fail(response, error);
        this.#measure(receivedAt);
      },
    );
  }

  #measure(receivedAt: Micros): void {
    this.#options.seconds.add((this.#clock.monotonic() - receivedAt) / MICROS_PER_SECOND);
  }

  #giveBack(body: Uint8Array | null): void {
    if (body !== null) this.#options.bodyBudget.give(body.length);
  }

  #tellOutcome(response: ServerResponse, outcome: PingOutcome): void {
    try {
      if (typeof outcome === 'object') throw outcome.failure;
      this.#send(response, ANSWERS[outcome]);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  /**
   * Reads the body after all earlier requests on the connection. Clients may send requests without waiting for answers.
   * They take effect in order, even if a request with a long body comes first.
   */
  #bodyInTurn(request: IncomingMessage): PingBody | Promise<PingBody> {
    const { socket } = request;
    const { order, bodyLimit, drainLimits, bodyBudget } = this.#options;
    const readLimit = bodyLimit === null ? null : Math.max(bodyLimit, KEYWORD_WINDOW);
    const before = order.before(socket);
    if (before === undefined && !hasBody(request)) return NO_BODY;
    const body = hasBody(request)
      ? readPingBody(request, readLimit, drainLimits, bodyBudget)
      : Promise.resolve(NO_BODY);
    const turn = before === undefined ? body : Promise.all([body, before]).then(([mine]) => mine);
    order.add(socket, turn);
    return turn;
  }

  /** Builds the ping from the request alone, without looking at any check. */
  #pingOf(
    request: IncomingMessage,
    peer: Peer,
    address: PingAddress,
    query: URLSearchParams,
    body: Uint8Array | null,
  ): IncomingPing {
    const { bodyLimit } = this.#options;
    const forwarded = peer.isTrusted ? request.headers['x-forwarded-for'] : undefined;
    const rid = query === NO_QUERY ? null : parseRid(query);
    return {
      target: targetOf(address, query),
      signal: address.signal,
      exitStatus: address.exitStatus,
      fault: rid === 'invalid_rid' ? (address.fault ?? rid) : address.fault,
      rid: rid === 'invalid_rid' ? null : rid,
      scheme: peer.isTrusted ? forwardedScheme(request) : 'http',
      method: request.method ?? 'GET',
      remoteAddr: forwarded === undefined ? peer.address : firstForwarded(forwarded),
      userAgent: agentOfJob(request.headers['user-agent'] ?? '').slice(0, MAX_PING_USER_AGENT),
      body,
      keptBytes: body !== null && bodyLimit !== null && body.length > bodyLimit ? bodyLimit : undefined,
      mail: null,
    };
  }

  /** Remembers peers: most pings of a second come from few addresses. */
  #peer(socketAddress: string): Peer {
    let peer = this.#peers.get(socketAddress);
    if (peer === undefined) {
      if (this.#peers.size >= MAX_PEERS) this.#peers.clear();
      const address = socketAddress === '' ? null : peerAddress(socketAddress);
      peer = { isTrusted: this.#isTrusted(socketAddress), address };
      this.#peers.set(socketAddress, peer);
    }
    return peer;
  }

  #send(response: ServerResponse, answer: Answer): void {
    if (this.#isStopping) response.setHeader('Connection', 'close');
    response.writeHead(answer.status, this.#headersNow(answer));
    response.end(answer.text, 'latin1');
  }

  /** Answers the preflight request of a browser, which is not a ping. */
  #sendOptions(response: ServerResponse): void {
    if (this.#isStopping) response.setHeader('Connection', 'close');
    response.writeHead(204, [...this.#commonHeaders(), 'Access-Control-Allow-Methods', 'HEAD, GET, POST']);
    response.end();
  }

  #sendMethodNotAllowed(response: ServerResponse): void {
    response.setHeader('Allow', ALLOWED_METHODS);
    this.#send(response, { status: 405, text: 'method not allowed' });
  }

  #fail(response: ServerResponse, error: unknown): void {
    // The client is gone, or the answer was sent.
    if (response.destroyed || response.headersSent) return;
    const known = errorReply(error);
    if (known === null) this.#tell(error);
    if (known?.retryAfterSeconds != null) response.setHeader('Retry-After', known.retryAfterSeconds);
    this.#send(response, { status: known?.status ?? 500, text: known?.error ?? 'internal error' });
  }

  /** Logs a failure once: all pings of a failed batch share it. */
  #tell(failure: unknown): void {
    if (failure === this.#lastFailure) return;
    this.#lastFailure = failure;
    this.#options.log.error({ event: 'ping.failed', err: failure });
  }

  #headersNow(answer: Answer): string[] {
    const second = this.#second();
    if (second !== this.#headers.second) this.#headers = { second, byAnswer: new Map() };
    let headers = this.#headers.byAnswer.get(answer);
    if (headers === undefined) {
      headers = [...this.#commonHeaders(), ...this.#lengthHeaders(answer)];
      // Other answers are made for one request and do not occur again.
      if (FIXED_ANSWERS.has(answer)) this.#headers.byAnswer.set(answer, headers);
    }
    return headers;
  }

  /** The headers contain the time of the answer. */
  #commonHeaders(): string[] {
    return [...COMMON_HEADERS, 'Expires', new Date(this.#second() * 1000).toUTCString()];
  }

  #lengthHeaders({ status, text }: Answer): string[] {
    const { bodyLimit } = this.#options;
    const length = ['Content-Length', String(text.length)];
    return status < 300 && bodyLimit !== null ? [...length, 'Ping-Body-Limit', String(bodyLimit)] : length;
  }

  #second(): number {
    return Math.floor(this.#clock.now() / MICROS_PER_SECOND);
  }
}

const NO_QUERY = new URLSearchParams();
const NO_BODY = { bytes: null, isEndless: false };

const COMMON_HEADERS = [
  'Content-Type',
  'text/plain; charset=utf-8',
  'Access-Control-Allow-Origin',
  '*',
  'Cache-Control',
  'max-age=0, no-cache, no-store, must-revalidate, private',
];

function targetOf({ target }: PingAddress, query: URLSearchParams): PingTarget {
  if ('uuid' in target) return target;
  const create = query !== NO_QUERY && query.getAll('create').at(-1) === '1';
  return { pingKeyDigest: pingKeyDigest(target.pingKey), slug: target.slug, create };
}

/** A question mark at the beginning belongs to the name of the first parameter. `URLSearchParams` would skip it. */
function queryOf(text: string): URLSearchParams {
  return new URLSearchParams(text.startsWith('?') ? `&${text}` : text);
}

function forwardedScheme({ headers }: IncomingMessage): string {
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

/** The first entry is the client, according to the proxies. Null if it is not an address. */
function firstForwarded(forwarded: string | string[]): string | null {
  const [first = ''] = String(forwarded).split(',');
  return parseForwardedAddress(first);
}
