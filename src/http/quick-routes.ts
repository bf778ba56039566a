import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { addressBehindProxies, createAddressMatcher } from '../lib/ip-address.ts';
import { type ApiVersion, basePath, LATEST_VERSION } from '../wire/api/version.ts';
import { isFaultOfService } from './address-limit.ts';
import type { Callers } from './authentication.ts';
import { allowedMethods, corsHeaders, operationsByMethod } from './methods.ts';
import { isUniqueKey } from './path-segments.ts';
import { hasBody } from './ping/request-body.ts';
import type { Answer } from './replies.ts';
import type { ApiKeyOperation, OpenOperation, Route, RouteOperations } from './route.ts';
import { securityHeaders } from './security-headers.ts';

/** An answer whose bytes are there. */
type WholeAnswer = Answer & { readonly bytes?: Uint8Array; readonly contentType?: string };

/** The GET of a path. */
interface QuickOperation {
  readonly operation: ApiKeyOperation | OpenOperation;
  /** The headers of all answers of the path. */
  headers(): Readonly<Record<string, string>>;
}

/** A path of which a GET is answered past the framework. */
interface QuickRoute {
  readonly version: ApiVersion;
  readonly pattern: RegExp;
  readonly get: QuickOperation | null;
  readonly getByUniqueKey: QuickOperation | null;
}

interface QuickRoutesOptions {
  /** The path of the site. */
  readonly prefix: string;
  readonly newRequestId: () => string;
  readonly trustedProxies: readonly string[];
  readonly log: FastifyBaseLogger;
}

/** A GET that the routes know. */
interface Found extends QuickOperation {
  readonly version: ApiVersion;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Answers GETs of operations that are marked as quick, past the framework, which takes longer for them than the operations
 * do. It answers only successes. If anything is in the way, such as a wrong key or a rate that is used up, the request
 * takes the usual way from its beginning: a GET has changed nothing. If the service has failed, the usual way only tells
 * of the failure: a database that is away or has too much to do is not asked twice.
 */
export class QuickRoutes {
  readonly #callers: Callers;
  readonly #newRequestId: () => string;
  readonly #routes: readonly QuickRoute[];
  readonly #isTrusted: (address: string) => boolean;
  readonly #log: FastifyBaseLogger;
  readonly #failures = new WeakMap<IncomingMessage, unknown>();
  #isOpen = false;
  #isClosed = false;

  constructor(
    callers: Callers,
    routes: readonly Route[],
    { prefix, newRequestId, trustedProxies, log }: QuickRoutesOptions,
  ) {
    this.#callers = callers;
    this.#newRequestId = newRequestId;
    this.#log = log;
    this.#isTrusted = createAddressMatcher(trustedProxies);
    this.#routes = routes.flatMap((route) => quickRoutesOf(prefix, route));
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
    this.#answer(found, request).then(
      (answer) => {
        if (answer === null) goOn();
        else this.#send(answer, found, response);
      },
      (error: unknown) => {
        if (isFaultOfService(error)) this.#failures.set(request, error);
        goOn();
      },
    );
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
    return 'bytes' in answer || answer.status === 304 ? answer : null;
  }

  #addressOf({ socket: { remoteAddress = '' }, headers }: IncomingMessage): string {
    const forwardedFor = headers['x-forwarded-for'];
    if (forwardedFor === undefined) return remoteAddress;
    return addressBehindProxies(remoteAddress, String(forwardedFor), this.#isTrusted);
  }

  #send({ status, headers, bytes, contentType }: WholeAnswer, found: Found, response: ServerResponse): void {
    response.writeHead(status, {
      ...securityHeaders(this.#newRequestId()),
      ...found.headers(),
      ...headers,
      ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
    });
    response.end(bytes);
  }
}

function quickRoutesOf(prefix: string, route: Route): QuickRoute[] {
  const get = quickOperation(route, route.operations);
  const getByUniqueKey = quickOperation(route, route.operationsByUniqueKey ?? route.operations);
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

function quickOperation(route: Route, operations: RouteOperations): QuickOperation | null {
  const { GET: operation } = operations;
  if (operation === undefined || !('isQuick' in operation) || operation.isQuick !== true) return null;
  const methods = allowedMethods(route, operationsByMethod(route, operations));
  const always = route.cors ? corsHeaders(methods) : {};
  return { operation, headers: () => ({ ...always, ...route.headers?.() }) };
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
