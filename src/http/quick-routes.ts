import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Store } from '../storage/store.ts';
import { type ApiVersion, basePath, LATEST_VERSION } from '../wire/api/version.ts';
import { isFaultOfService } from './address-limit.ts';
import type { Callers } from './authentication.ts';
import { allowedMethods, corsHeaders, operationsByMethod } from './methods.ts';
import { isUniqueKey } from './path-segments.ts';
import { hasBody } from './ping/request-body.ts';
import type { Answer } from './replies.ts';
import type { ApiKeyOperation, OpenOperation, Route, RouteOperations } from './route.ts';

/** An answer whose content is there. A text and its head are sent in one write. */
type WholeAnswer = Answer & {
  readonly bytes?: Uint8Array;
  readonly text?: string;
  readonly contentType?: string;
};

/** The GET of a path. */
interface QuickOperation {
  readonly operation: ApiKeyOperation | OpenOperation;
  /** The headers of all answers of the path: names and values in turn, which Node writes faster than an object. */
  headers(): readonly string[];
}

/** A path of which a GET is answered past the framework. */
interface QuickRoute {
  readonly version: ApiVersion;
  readonly pattern: RegExp;
  readonly get: QuickOperation | null;
  readonly getByUniqueKey: QuickOperation | null;
}

interface QuickRoutesOptions {
  /** What every answer has. */
  readonly everyHeader: Headers;
  readonly store: Pick<Store, 'shareState'>;
  /** The path of the site. */
  readonly prefix: string;
  readonly newRequestId: () => string;
  /** Tells the address of the client. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly log: FastifyBaseLogger;
}

/** A GET that the routes know. */
interface Found extends QuickOperation {
  readonly version: ApiVersion;
  readonly params: Readonly<Record<string, string>>;
}

/** The most requests that are answered in one turn. A turn is to take about a millisecond, and pings come in between. */
export const MAX_TOGETHER = 32;

/** A request that is answered at the end of the turn in which it was received, or of a later one. */
interface Waiting {
  readonly found: Found;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly goOn: () => void;
}

/**
 * Answers GETs of operations that are marked as quick, past the framework, which takes longer for them than the operations
 * do. It answers only successes. If anything is in the way, such as a wrong key or a rate that is used up, the request
 * takes the usual way from its beginning: a GET has changed nothing. If the service has failed, the usual way only tells
 * of the failure: a database that is away or has too much to do is not asked twice.
 *
 * Requests that the loop receives in one turn are answered together, some at a time: they read one state of the
 * database, and their answers are written one right after the other, so that a client that receives several wakes up
 * once.
 */
export class QuickRoutes {
  readonly #callers: Callers;
  readonly #newRequestId: () => string;
  readonly #routes: readonly QuickRoute[];
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #log: FastifyBaseLogger;
  readonly #failures = new WeakMap<IncomingMessage, unknown>();
  readonly #store: QuickRoutesOptions['store'];
  readonly #waiting: Waiting[] = [];
  #answered: (() => void)[] = [];
  #isOpen = false;
  #isClosed = false;

  constructor(
    callers: Callers,
    routes: readonly Route[],
    { prefix, store, newRequestId, addressOf, everyHeader, log }: QuickRoutesOptions,
  ) {
    this.#store = store;
    this.#callers = callers;
    this.#newRequestId = newRequestId;
    this.#log = log;
    this.#addressOf = addressOf;
    this.#routes = routes.flatMap((route) => quickRoutesOf(prefix, route, everyHeader));
  }

  /** Before this call every request takes the usual way. */
  open(): void {
    this.#isOpen = true;
  }

  /** After this call every request takes the usual way, which knows how to end connections. */
  close(): void {
    this.#isClosed = true;
  }

  /** Answers the request, or calls `goOn`. */
  serve(request: IncomingMessage, response: ServerResponse, goOn: () => void): void {
    const found = this.#isOpen && !this.#isClosed ? this.#find(request) : null;
    if (found === null) {
      goOn();
      return;
    }
    this.#waiting.push({ found, request, response, goOn });
    if (this.#waiting.length === 1) setImmediate(() => this.#answerWaiting());
  }

  #answerWaiting(): void {
    const waiting = this.#waiting.splice(0, MAX_TOGETHER);
    if (this.#waiting.length > 0) setImmediate(() => this.#answerWaiting());
    if (this.#isClosed) {
      for (const { goOn } of waiting) goOn();
      return;
    }
    if (waiting.length > 1) this.#store.shareState();
    for (const { found, request, response, goOn } of waiting) {
      this.#answer(found, request).then(
        (answer) => {
          if (answer === null) goOn();
          else this.#sendSoon(() => this.#send(answer, found, response));
        },
        (error: unknown) => {
          if (isFaultOfService(error)) this.#failures.set(request, error);
          goOn();
        },
      );
    }
  }

  /** Sends together with all that is answered in the same turn. */
  #sendSoon(send: () => void): void {
    this.#answered.push(send);
    if (this.#answered.length > 1) return;
    process.nextTick(() => {
      const answered = this.#answered;
      this.#answered = [];
      for (const one of answered) one();
    });
  }

  /** The failure of the service that a request has met before it took the usual way. */
  failureOf(request: IncomingMessage): unknown {
    return this.#failures.get(request);
  }

  #find(request: IncomingMessage): Found | null {
    const { method, url = '' } = request;
    if (method !== 'GET' || hasBody(request)) return null;
    for (const { pattern, version, get, getByUniqueKey } of this.#routes) {
      const match = pattern.exec(url);
      if (match === null) continue;
      const params = match.groups ?? {};
      const quick = isUniqueKey(params.check ?? '') ? getByUniqueKey : get;
      return quick && { ...quick, version, params };
    }
    return null;
  }

  async #answer(
    { operation, version, params }: Found,
    request: IncomingMessage,
  ): Promise<WholeAnswer | null> {
    const { headers } = request;
    const client = { ip: this.#addressOf(request) };
    const asked = { version, params, query: NO_QUERY, headers };
    const answer =
      operation.auth === 'api_key'
        ? await this.#callers.ofQuick(headers['x-api-key'], operation.permission, client, (actor) =>
            operation.handle({ ...asked, actor, body: {} }),
          )
        : await this.#callers.anybodyQuick(client, () =>
            operation.handle({ ...asked, remoteAddr: client.ip, log: this.#log, readBody: noBody }),
          );
    return 'bytes' in answer || 'text' in answer || answer.status === 304 ? answer : null;
  }

  #send(answer: WholeAnswer, found: Found, response: ServerResponse): void {
    const { status, headers: own = {}, text, bytes, contentType } = answer;
    const content = text ?? bytes;
    const headers = [...found.headers(), 'x-request-id', this.#newRequestId()];
    for (const name in own) headers.push(name, own[name] ?? '');
    if (content === undefined) {
      response.writeHead(status, headers).end();
      return;
    }
    const byteLength = Buffer.byteLength(content);
    headers.push('content-type', contentType ?? '', 'content-length', String(byteLength));
    // ASCII alone is the same in both, and faster in the first.
    response.writeHead(status, headers).end(content, byteLength === content.length ? 'latin1' : 'utf8');
  }
}

function quickRoutesOf(prefix: string, route: Route, everyHeader: Headers): QuickRoute[] {
  const get = quickOperation(route, route.operations, everyHeader);
  const getByUniqueKey = quickOperation(route, route.operationsByUniqueKey ?? route.operations, everyHeader);
  if (get === null && getByUniqueKey === null) return [];
  const of = (version: ApiVersion, base: string) => ({
    version,
    pattern: patternOf(base, route.path),
    get,
    getByUniqueKey,
  });
  if (route.versions === undefined) return [of(LATEST_VERSION, prefix)];
  return route.versions.map((version) => of(version, prefix + basePath(version)));
}

type Headers = Readonly<Record<string, string>>;

function quickOperation(
  route: Route,
  operations: RouteOperations,
  everyHeader: Headers,
): QuickOperation | null {
  const { GET: operation } = operations;
  if (operation === undefined || !('isQuick' in operation) || operation.isQuick !== true) return null;
  const methods = allowedMethods(route, operationsByMethod(route, operations));
  const always = flat({ ...everyHeader, ...(route.cors && corsHeaders(methods)) });
  const { headers } = route;
  return { operation, headers: headers === undefined ? () => always : () => [...always, ...flat(headers())] };
}

function flat(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flat();
}

const NO_QUERY = new URLSearchParams();

function noBody(): Promise<never> {
  return Promise.reject(new Error('a quick operation reads no body'));
}

/**
 * The path as the router knows it, `/checks/:check(^…$)`, as one pattern. It matches neither a query nor characters that
 * have to be decoded.
 */
function patternOf(base: string, path: string): RegExp {
  const named = path
    .replaceAll(/:(\w+)\(\^(.*?)\$\)/g, '(?<$1>$2)')
    .replaceAll(/:(\w+)(?=\/|$)/g, '(?<$1>[\\w.~-]+)');
  return new RegExp(`^${RegExp.escape(base)}${named}$`);
}
