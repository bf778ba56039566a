import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { PingDialect } from '../../domain/ping/dialect.ts';
import { agentOfJob } from '../../domain/ping/hand-ping.ts';
import {
  type DeclaredOutcome,
  type ForeignTarget,
  isFailure,
  type PingAddressError,
  type PingOutcome,
  type PingReading,
  type PingTarget,
  type ReceivedPing,
} from '../../domain/ping/incoming-ping.ts';
import { SEARCHED_BODY_BYTES } from '../../domain/ping/keyword-filter.ts';
import { MAX_PING_AGE_SECONDS, MAX_PING_USER_AGENT } from '../../domain/ping/ping.ts';
import type { ByteBudget } from '../../lib/byte-budget.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Histogram } from '../../lib/histogram.ts';
import { MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import { createAddressMatcher, parseForwardedAddress, peerAddress } from '../../lib/ip-address.ts';
import type { AcceptedDialects } from '../../services/ping/dialects.ts';
import type { PingWriter } from '../../services/ping/ping-writer.ts';
import { pingKeyDigest } from '../../services/project/projects.ts';
import {
  type PingAddress,
  parseAge,
  parseNumbers,
  parsePingPath,
  parseRid,
} from '../../wire/ping/address.ts';
import { readCronitorPing } from '../../wire/ping/cronitor.ts';
import { declarationHeader, declarationIn } from '../../wire/ping/declaration.ts';
import { kumaAnswer, readKumaPush } from '../../wire/ping/kuma.ts';
import type { ConnectionOrder } from '../connection-order.ts';
import { errorReply } from '../error-map.ts';
import { hangUpAfter } from '../hang-up.ts';
import { PING_DOORS, PingPaths } from './paths.ts';
import { type DrainLimits, hasBody, type PingBody, readPingBody } from './request-body.ts';

export interface PingOptions {
  /** The path of the site. */
  readonly prefix: string;
  readonly dialects: Pick<AcceptedDialects, 'isKnown' | 'isAccepted'>;
  /** Answers requests to addresses of a dialect that no project accepts. */
  readonly others: RequestListener;
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
const MAX_DECLARED_QUERIES = 1_000;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isJson?: boolean;
  /** What became of the declaration of the check. Absent if the ping has none. */
  readonly declaration?: string;
}

const ANSWERS = {
  recorded: { status: 200, text: 'OK' },
  created: { status: 201, text: 'Created' },
  not_found: { status: 404, text: 'not found' },
  ambiguous: { status: 409, text: 'ambiguous slug' },
  invalid_exit_status: { status: 400, text: 'invalid url format' },
  invalid_rid: { status: 400, text: 'invalid uuid format' },
  invalid_age: { status: 400, text: 'invalid age format' },
  unknown_state: { status: 400, text: 'unknown state' },
  invalid_url: { status: 400, text: 'invalid url format' },
  // Does not occur for pings over HTTP: only mails are read before their check is known for certain.
  filter_changed: { status: 503, text: 'try again' },
} satisfies Record<Extract<PingOutcome, string>, Answer>;
/** The same in the form of Uptime Kuma. */
const KUMA_ANSWERS: ReadonlyMap<Answer, Answer> = new Map(
  Object.values<Answer>(ANSWERS).map((answer) => [answer, asJson(answer)]),
);
/** The usual answers to pings that declare their check. */
const DECLARED_ANSWERS: ReadonlyMap<string, Answer> = new Map(
  ['same', 'off'].map((declaration) => [declaration, { ...ANSWERS.recorded, declaration }]),
);
const FIXED_ANSWERS: ReadonlySet<Answer> = new Set([
  ...KUMA_ANSWERS.keys(),
  ...KUMA_ANSWERS.values(),
  ...DECLARED_ANSWERS.values(),
]);

/** Reads addresses into pings, and spells answers, as the clients of one program know them. */
interface PingDoor {
  readonly dialect: PingDialect | null;
  readonly paths: PingPaths;
  /** Reads the percent-decoded path after the beginning, and the query. */
  readonly read: (
    path: string,
    query: URLSearchParams,
    declaration: Asked['declaration'],
    clock: Clock,
  ) => Reading | PingAddressError;
  readonly spell: (answer: Answer) => Answer;
}

type Reading = PingReading | PingReading<ForeignTarget>;

/** A query, and the declaration of a check in it. */
interface Asked {
  readonly query: URLSearchParams;
  readonly declaration: PingReading['declaration'];
}

/** The other end of a connection. */
interface Peer {
  readonly isTrusted: boolean;
  readonly address: string | null;
}

/** A request that was read. */
interface Received {
  readonly door: PingDoor;
  readonly peer: Peer;
  readonly body: PingBody;
  readonly receivedAt: Micros;
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
  readonly #ownDoor: PingDoor;
  readonly #foreignDoors: readonly PingDoor[];
  /** The headers of the answers within the same second. */
  #headers = { second: 0, byAnswer: new Map<Answer, string[]>() };
  readonly #peers = new Map<string, Peer>();
  readonly #declared = new Map<string, Asked>();
  #lastFailure: unknown;
  /** The fault of a declaration that was logged last. */
  #lastUnapplied = '';
  #isStopping = false;

  constructor(writer: PingWriter, clock: Clock, options: PingOptions) {
    this.#writer = writer;
    this.#clock = clock;
    this.#options = options;
    this.#isTrusted = createAddressMatcher(options.trustedProxies);
    const pathsOf = (door: keyof typeof PING_DOORS) => new PingPaths(options.prefix + PING_DOORS[door]);
    this.#ownDoor = { dialect: null, paths: pathsOf('own'), read: readOwn, spell: asItIs };
    this.#foreignDoors = [
      { dialect: 'kuma', paths: pathsOf('kuma'), read: readKumaPush, spell: inKumaForm },
      { dialect: 'cronitor', paths: pathsOf('cronitor'), read: readCronitor, spell: asItIs },
    ];
  }

  /**
   * From now on every answer is the last of its connection, and its headers say so: the next request would find the
   * connection closed.
   */
  stop(): void {
    this.#isStopping = true;
  }

  /** Handles the request if it goes to a ping address. Returns whether it does. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '' } = request;
    if (this.#ownDoor.paths.include(url)) this.#handle(request, response, this.#ownDoor);
    else {
      const door = this.#foreignDoors.find(({ paths }) => paths.include(url));
      if (door === undefined) return false;
      this.#handle(request, response, door);
    }
    return true;
  }

  #handle(request: IncomingMessage, response: ServerResponse, door: PingDoor): void {
    const receivedAt = this.#clock.monotonic();
    // The address is known only while the client is connected, so it is read before anything is awaited.
    const peer = this.#peer(request.socket.remoteAddress ?? '');
    const body = this.#bodyInTurn(request);
    const answer = (read: PingBody) => {
      try {
        this.#answer(request, response, { door, peer, body: read, receivedAt });
      } catch (error) {
        this.#giveBack(read.bytes);
        this.#fail(response, door, error);
      }
    };
    const fail = (error: unknown) => this.#fail(response, door, error);
    if (door.dialect !== null && !this.#options.dialects.isKnown(door.dialect))
      this.#answerIfAccepted(door.dialect, request, response, body, answer).catch(fail);
    else if (body instanceof Promise) body.then(answer, fail);
    else answer(body);
  }

  /** Asks first whether any project accepts the dialect. If none does, the address is like any other that is unknown. */
  async #answerIfAccepted(
    dialect: PingDialect,
    request: IncomingMessage,
    response: ServerResponse,
    body: PingBody | Promise<PingBody>,
    answer: (read: PingBody) => void,
  ): Promise<void> {
    const read = await body;
    let isAccepted = false;
    try {
      isAccepted = await this.#options.dialects.isAccepted(dialect);
    } catch (error) {
      this.#giveBack(read.bytes);
      throw error;
    }
    if (isAccepted) answer(read);
    else {
      this.#giveBack(read.bytes);
      if (read.isEndless) hangUpAfter(request, response);
      this.#options.others(request, response);
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse, received: Received): void {
    const { door, body, receivedAt } = received;
    if (body.isEndless) hangUpAfter(request, response);
    const reading = this.#readingOf(request, response, door);
    if (reading === null) this.#giveBack(body.bytes);
    else this.#record(response, door, this.#pingOf(request, reading, received), receivedAt);
  }

  /** Returns the check that is pinged, and how. If it is not a ping, answers the request and returns null. */
  #readingOf(
    { method = 'GET', url = '' }: IncomingMessage,
    response: ServerResponse,
    door: PingDoor,
  ): Reading | null {
    if (method === 'OPTIONS') this.#sendOptions(response);
    else if (!PING_METHODS.includes(method)) this.#sendMethodNotAllowed(response, door);
    else {
      const path = door.paths.addressIn(url);
      const start = url.indexOf('?');
      const { query, declaration } = start === -1 ? NOTHING_ASKED : this.#asked(url.slice(start + 1), door);
      const reading = path === null ? 'not_found' : door.read(path, query, declaration, this.#clock);
      if (typeof reading === 'object') return reading;
      this.#send(response, door, ANSWERS[reading]);
    }
    return null;
  }

  /** Remembers queries that declare checks: most of them come again and again. A run id or an age is hardly ever the same. */
  #asked(text: string, door: PingDoor): Asked {
    const known = this.#declared.get(text);
    if (known !== undefined) return known;
    const query = queryOf(text);
    const declaration = door === this.#ownDoor ? declarationIn(query, text.length) : undefined;
    const asked = { query, declaration };
    if (declaration !== undefined && !query.has('rid') && !query.has('age')) {
      if (this.#declared.size >= MAX_DECLARED_QUERIES) this.#declared.clear();
      this.#declared.set(text, asked);
    }
    return asked;
  }

  /** Adds only one promise to the writer's: for most pings this is a large part of their cost. */
  #record(response: ServerResponse, door: PingDoor, ping: ReceivedPing, receivedAt: Micros): void {
    this.#writer.record(ping).then(
      (outcome) => {
        this.#giveBack(ping.body);
        this.#tellOutcome(response, door, outcome);
        this.#measure(receivedAt);
      },
      (error: unknown) => {
        this.#giveBack(ping.body);
        this.#fail(response, door, error);
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

  #tellOutcome(response: ServerResponse, door: PingDoor, outcome: PingOutcome): void {
    try {
      if (isFailure(outcome)) throw outcome.failure;
      if (typeof outcome === 'object') this.#tellUnapplied(outcome);
      this.#send(response, door, typeof outcome === 'string' ? ANSWERS[outcome] : answerDeclared(outcome));
    } catch (error) {
      this.#fail(response, door, error);
    }
  }

  /**
   * Reads the body after all earlier requests on the connection. Clients may send requests without waiting for answers.
   * They take effect in order, even if a request with a long body comes first.
   */
  #bodyInTurn(request: IncomingMessage): PingBody | Promise<PingBody> {
    const { socket } = request;
    const { order, bodyLimit, drainLimits, bodyBudget } = this.#options;
    const readLimit = bodyLimit === null ? null : Math.max(bodyLimit, SEARCHED_BODY_BYTES);
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
    { target, signal, exitStatus, fault, rid, age, numbers, declaration }: Reading,
    { peer, body: { bytes: body } }: Received,
  ): ReceivedPing {
    const { bodyLimit } = this.#options;
    const forwarded = peer.isTrusted ? request.headers['x-forwarded-for'] : undefined;
    // Text of a foreign address may come before the body.
    const isCut = 'dialect' in target || (body !== null && bodyLimit !== null && body.length > bodyLimit);
    return {
      target,
      signal,
      exitStatus,
      fault,
      rid,
      age,
      numbers,
      declaration,
      scheme: peer.isTrusted ? forwardedScheme(request) : 'http',
      method: request.method ?? 'GET',
      remoteAddr: forwarded === undefined ? peer.address : firstForwarded(forwarded),
      userAgent: agentOfJob(request.headers['user-agent'] ?? '').slice(0, MAX_PING_USER_AGENT),
      body,
      keptBytes: isCut ? (bodyLimit ?? undefined) : undefined,
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

  #send(response: ServerResponse, { spell }: Pick<PingDoor, 'spell'>, said: Answer): void {
    const answer = spell(said);
    if (this.#isStopping) response.setHeader('Connection', 'close');
    response.writeHead(answer.status, this.#headersNow(answer));
    response.end(answer.text, 'latin1');
  }

  /** Answers the preflight request of a browser, which is not a ping. */
  #sendOptions(response: ServerResponse): void {
    if (this.#isStopping) response.setHeader('Connection', 'close');
    response.writeHead(204, [
      ...this.#commonHeaders(TEXT),
      'Access-Control-Allow-Methods',
      'HEAD, GET, POST',
    ]);
    response.end();
  }

  #sendMethodNotAllowed(response: ServerResponse, door: PingDoor): void {
    response.setHeader('Allow', ALLOWED_METHODS);
    this.#send(response, door, { status: 405, text: 'method not allowed' });
  }

  #fail(response: ServerResponse, door: PingDoor, error: unknown): void {
    // The client is gone, or the answer was sent.
    if (response.destroyed || response.headersSent) return;
    const known = errorReply(error);
    if (known === null) this.#tell(error);
    if (known?.retryAfterSeconds != null) response.setHeader('Retry-After', known.retryAfterSeconds);
    this.#send(response, door, { status: known?.status ?? 500, text: known?.error ?? 'internal error' });
  }

  /** Logs a failure once: all pings of a failed batch share it. */
  #tell(failure: unknown): void {
    if (failure === this.#lastFailure) return;
    this.#lastFailure = failure;
    this.#options.log.error({ event: 'ping.failed', err: failure });
  }

  /** Logs a fault once while it lasts: the job declares its check with every ping. */
  #tellUnapplied({ fault }: DeclaredOutcome): void {
    if (fault === undefined || String(fault) === this.#lastUnapplied) return;
    this.#lastUnapplied = String(fault);
    this.#options.log.error({ event: 'ping.declaration_not_applied', err: fault });
  }

  #headersNow(answer: Answer): string[] {
    const second = this.#second();
    if (second !== this.#headers.second) this.#headers = { second, byAnswer: new Map() };
    let headers = this.#headers.byAnswer.get(answer);
    if (headers === undefined) {
      headers = [
        ...this.#commonHeaders(answer.isJson === true ? JSON_TYPE : TEXT),
        'Content-Length',
        String(answer.text.length),
        ...this.#toldHeaders(answer),
      ];
      // Other answers are made for one request and do not occur again.
      if (FIXED_ANSWERS.has(answer)) this.#headers.byAnswer.set(answer, headers);
    }
    return headers;
  }

  /** The headers contain the time of the answer. */
  #commonHeaders(type: string): string[] {
    return [
      'Content-Type',
      type,
      ...COMMON_HEADERS,
      'Expires',
      new Date(this.#second() * 1000).toUTCString(),
    ];
  }

  /** What a ping that was recorded tells its client. Pages of any site may read it. */
  #toldHeaders({ status, declaration }: Answer): string[] {
    if (status >= 300) return [];
    const { bodyLimit } = this.#options;
    const told = {
      ...(bodyLimit !== null && { 'Ping-Body-Limit': String(bodyLimit) }),
      'Ping-Age-Limit': String(MAX_PING_AGE_SECONDS),
      ...(declaration !== undefined && { 'Check-Declaration': declarationHeader(declaration) }),
    };
    return [...Object.entries(told).flat(), 'Access-Control-Expose-Headers', Object.keys(told).join(', ')];
  }

  #second(): number {
    return Math.floor(this.#clock.now() / MICROS_PER_SECOND);
  }
}

const NO_QUERY = new URLSearchParams();
const NOTHING_ASKED: Asked = { query: NO_QUERY, declaration: undefined };
const NO_BODY = { bytes: null, isEndless: false };

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

const COMMON_HEADERS = [
  'Access-Control-Allow-Origin',
  '*',
  'Cache-Control',
  'max-age=0, no-cache, no-store, must-revalidate, private',
];

/** Reads an address of ours. It may be one of Cronitor, whose clients always say when they sent it. The project decides. */
function readOwn(
  path: string,
  query: URLSearchParams,
  declaration: Asked['declaration'],
  clock: Clock,
): Reading | PingAddressError {
  const address = parsePingPath(path);
  const own = typeof address === 'string' ? address : ownReading(address, query, declaration);
  const isOurs = typeof own === 'object' && 'uuid' in own.target;
  if (query === NO_QUERY || isOurs || !(query.has('state') || query.has('stamp'))) return own;
  const reading = readCronitorPing(path, query, clock, own);
  return typeof reading === 'string' ? own : reading;
}

/** Only addresses of ours have another meaning. */
function readCronitor(
  path: string,
  query: URLSearchParams,
  _declaration: Asked['declaration'],
  clock: Clock,
): Reading | PingAddressError {
  return readCronitorPing(path, query, clock);
}

function ownReading(
  address: PingAddress,
  query: URLSearchParams,
  declaration: Asked['declaration'],
): PingReading {
  const { signal, exitStatus, fault } = address;
  const rid = query === NO_QUERY ? null : parseRid(query);
  const age = query === NO_QUERY ? undefined : parseAge(query);
  const numbers = query === NO_QUERY ? undefined : parseNumbers(query);
  const target = targetOf(address, query);
  const reading = { target, signal, exitStatus, declaration };
  if (fault !== null) return { ...reading, fault, rid: null };
  if (rid === 'invalid_rid') return { ...reading, fault: rid, rid: null };
  if (age === 'invalid_age') return { ...reading, fault: age, rid: null };
  return { ...reading, fault, rid, age, numbers };
}

function answerDeclared({ recorded, declaration }: DeclaredOutcome): Answer {
  const usual = recorded === 'recorded' ? DECLARED_ANSWERS.get(declaration) : undefined;
  return usual ?? { ...ANSWERS[recorded], declaration };
}

function asItIs(answer: Answer): Answer {
  return answer;
}

function inKumaForm(answer: Answer): Answer {
  return KUMA_ANSWERS.get(answer) ?? asJson(answer);
}

function asJson(answer: Answer): Answer {
  return { status: answer.status, text: kumaAnswer(answer), isJson: true };
}

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
