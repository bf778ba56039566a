import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import { type ApiVersion, basePath, LATEST_VERSION } from '../wire/api/version.ts';
import type { Callers as KeyCallers } from './authentication.ts';
import { OpenBody } from './body-reader.ts';
import type { BrowserCallers } from './browser-callers.ts';
import type { EarlyRefusals } from './early-refusals.ts';
import { errorReply } from './error-map.ts';
import { checkRef, isUniqueKey } from './path-segments.ts';
import { hasBody } from './ping/request-body.ts';
import type { Refusals } from './refusals.ts';
import { type Answer, errorAnswer, sendAnswer } from './replies.ts';
import { HttpRequest, type RequestContext } from './request.ts';
import type { OpenOperation, Route, RouteOperation, RouteOperations, RouteRequest } from './route.ts';
import type { Turns } from './turns.ts';

/** Identify callers by a key or by the cookie of a browser, and refuse them early next time. */
interface Callers {
  readonly keys: KeyCallers;
  readonly browsers: BrowserCallers;
  readonly earlyRefusals: Pick<EarlyRefusals, 'watch'>;
}

interface DispatcherOptions {
  /** The path of the site. */
  readonly prefix: string;
  readonly context: RequestContext;
  readonly callers: Callers;
  /** Headers of every answer. */
  readonly everyHeader: Headers;
  readonly refusals: Refusals;
  readonly turns: Turns;
  /** The page for people who open an unknown address. Null for programs, and without built pages. */
  readonly answerNotFound: (request: HttpRequest) => Answer | null;
  /** Requests wait for it. */
  readonly firstLook: Promise<void> | undefined;
}

type Headers = Readonly<Record<string, string>>;
type Params = Readonly<Record<string, string>>;

/** A path as the router finds it. */
interface ServedPath {
  /** For logs: a UUID in the address is a secret and must not reach them. */
  readonly pattern: string;
  /** Whether the operation for the method reads the body. Other bodies are discarded. */
  takesBody(method: string): boolean;
  /** Whether it belongs to the dashboard. Its errors have codes. */
  readonly isDashboard: boolean;
  /** Headers of every answer, errors included. */
  headers(id: string, params: Params): OutgoingHttpHeaders;
  answer(request: HttpRequest, params: Params): Promise<Answer> | Answer;
}

// A badge's tag may have 500 characters, each percent-encoded twice.
const MAX_PATH_SEGMENT = 10_000;

const WHILE_CLOSING = JSON.stringify({
  error: 'Service Unavailable',
  message: 'Service Unavailable',
  statusCode: 503,
});

/**
 * Serves the routes. Requests that need no key are counted first (429), by their address. Then the method is checked
 * (405), before any key or body, then the requirements of `auth`, and then the operation runs.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #router = findMyWay({
    maxParamLength: MAX_PATH_SEGMENT,
    // Operations read the query themselves, as URLSearchParams.
    querystringParser: () => ({}),
    onBadUrl: (path) => errorAnswer(400, `'${path}' is not a valid url component`),
    onMaxParamLength: (path) => errorAnswer(414, `'${path}' is exceeding the max param length`),
  });
  readonly #notFound: ServedPath;
  #firstLook: Promise<void> | undefined;
  #isClosing = false;

  constructor(routes: readonly Route[], options: DispatcherOptions) {
    this.#options = options;
    const { callers, everyHeader, firstLook, answerNotFound } = options;
    this.#firstLook = firstLook;
    void firstLook?.then(() => {
      this.#firstLook = undefined;
    });
    const admitted = (pattern: string, answer: (request: HttpRequest) => Answer): ServedPath => ({
      pattern,
      takesBody: () => false,
      isDashboard: false,
      headers: (id) => ({ 'x-request-id': id, ...everyHeader }),
      answer: (request) => {
        callers.keys.admitAnybody(request);
        return answer(request);
      },
    });
    this.#notFound = admitted(
      'unknown',
      (request) => answerNotFound(request) ?? errorAnswer(404, 'not found'),
    );
    for (const route of routes) {
      for (const { path, version } of addressesOf(route)) {
        this.#serve(path, servedPath(route, path, version, options));
        // Existing clients omit the slash and follow the redirect, which turns their POST into a GET.
        const short = path.slice(0, -1);
        if (path.endsWith('/') && route.isExact !== true)
          this.#serve(short, admitted(short, redirectToSlash));
        // The site itself has an address without a slash.
        if (path === '/' && options.prefix !== '') this.#serve('', servedPath(route, path, version, options));
      }
    }
  }

  /**
   * The router knows each path by one method: a path refuses methods by itself. It compares decoded paths, and takes text after
   * a single colon for a parameter.
   */
  #serve(path: string, served: ServedPath): void {
    const prefix = decodeURI(this.#options.prefix).replaceAll(':', '::');
    this.#router.on('GET', prefix + path, () => undefined, served);
  }

  /** Requests that come after this call are refused, and their connections end. */
  close(): void {
    this.#isClosing = true;
  }

  handle(raw: IncomingMessage, response: ServerResponse): void {
    if (!this.#isClosing) {
      void this.#answer(new HttpRequest(raw, response, this.#options.context));
      return;
    }
    response.setHeader('Connection', 'close');
    const head = { 'Content-Type': 'application/json', 'Content-Length': WHILE_CLOSING.length };
    response.writeHead(503, head).end(WHILE_CLOSING);
  }

  async #answer(request: HttpRequest): Promise<void> {
    const { raw, response } = request;
    const found = this.#router.find('GET', raw.url ?? '');
    // The router has found a fault in the address, and answers itself.
    if (found?.store === null) return sendAnswer(response, {}, found.handler(raw, response, {}, null, {}));
    const served: ServedPath = found?.store ?? this.#notFound;
    // The router always gives parameters as text.
    const params = (found?.params ?? {}) as Params;
    if (this.#firstLook !== undefined) await this.#firstLook;
    if (hasBody(raw) && !served.takesBody(request.method)) raw.resume();
    const headers = served.headers(request.id, params);
    try {
      const answer = await served.answer(request, params);
      await this.#options.turns.readyToSend();
      await sendAnswer(response, headers, answer);
    } catch (error) {
      if (!response.headersSent) await sendAnswer(response, headers, this.#refusal(error, request, served));
      else if (!isHungUp(error))
        request.log.warn({ event: 'response.failed', route: served.pattern, err: error });
    }
  }

  #refusal(error: unknown, request: HttpRequest, { pattern: route, isDashboard }: ServedPath): Answer {
    const known = errorReply(error);
    if (known === null) {
      request.log.error({ event: 'request.failed', method: request.method, route, err: error });
      return errorAnswer(500, 'internal error');
    }
    const { status, error: text, code, field, details, retryAfterSeconds } = known;
    if (code === 'overloaded') this.#options.refusals.add('request_bodies');
    else if (status >= 500) request.log.warn({ event: 'request.refused', route, reason: text, err: error });
    const page = status === 404 ? this.#options.answerNotFound(request) : null;
    if (page !== null) return page;
    return {
      status,
      ...(retryAfterSeconds !== null && { headers: { 'retry-after': String(retryAfterSeconds) } }),
      json: { error: text, ...(isDashboard && { code, ...(field !== null && { field }), ...details }) },
    };
  }
}

/** Whether the client has disconnected before the end of the answer. */
function isHungUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** The paths at which a route is served, below the path of the site. */
export function addressesOf({ versions, path }: Route): { path: string; version: ApiVersion }[] {
  if (versions === undefined) return [{ path, version: LATEST_VERSION }];
  return versions.map((version) => ({ path: basePath(version) + path, version }));
}

function redirectToSlash({ raw }: HttpRequest): Answer {
  const [path = '', ...query] = (raw.url ?? '').split('?');
  return { status: 301, headers: { location: [`${path}/`, ...query].join('?') } };
}

function servedPath(
  route: Route,
  path: string,
  version: ApiVersion,
  { prefix, callers, everyHeader }: DispatcherOptions,
): ServedPath {
  const methods = new Methods(route, route.operations, everyHeader);
  const methodsByUniqueKey = new Methods(route, route.operationsByUniqueKey ?? route.operations, everyHeader);
  const methodsOf = ({ check }: Params) =>
    check !== undefined && isUniqueKey(check) ? methodsByUniqueKey : methods;
  return {
    pattern: prefix + path,
    takesBody: (method) => takesBody(method, methods.operations.get(method)),
    isDashboard: methods.operations.values().some(isForBrowsers),
    headers: (id, params) => ({ 'x-request-id': id, ...methodsOf(params).headers, ...route.headers?.() }),
    answer: (request, params) => {
      const allowed = methodsOf(params);
      const operation = allowed.operations.get(request.method);
      if (operation === undefined || isForAnybody(operation)) callers.keys.admitAnybody(request);
      if (operation !== undefined) return answerOf(callers, operation, { request, params, version });
      if (route.cors && request.method === 'OPTIONS') return { status: 204 };
      return { ...errorAnswer(405, 'method not allowed'), headers: { allow: allowed.names.join(', ') } };
    },
  };
}

/** The methods that a path answers. */
class Methods {
  readonly operations: ReadonlyMap<string, RouteOperation>;
  readonly names: readonly string[];
  readonly headers: Headers;

  constructor({ cors, likeGet = [] }: Route, operations: RouteOperations, everyHeader: Headers) {
    const byMethod = new Map<string, RouteOperation>(Object.entries(operations));
    if (operations.GET !== undefined) for (const method of likeGet) byMethod.set(method, operations.GET);
    this.operations = byMethod;
    this.names = [...byMethod.keys(), ...(cors ? ['OPTIONS'] : [])];
    this.headers = { ...everyHeader, ...(cors && corsHeaders(this.names)) };
  }
}

/** The headers that let scripts of any origin call the path. */
function corsHeaders(methods: readonly string[]): Headers {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'X-Api-Key',
    'access-control-allow-methods': methods.join(', '),
    'access-control-max-age': '600',
  };
}

/** Whether requests are counted before anything else. Requests with a key or a session are counted when it is wrong. */
function isForAnybody(operation: RouteOperation): boolean {
  if (operation.auth === 'visitor') return true;
  const needsNoKey = operation.auth === 'public_token' || operation.auth === 'none';
  return needsNoKey && operation.isUnlimited !== true;
}

/** Whether the operation reads the body itself. */
function takesBody(method: string, operation: RouteOperation | undefined): boolean {
  if (operation === undefined) return false;
  if (isForPrograms(operation) || isForBrowsers(operation)) return method === 'POST';
  return 'body' in operation && operation.body !== undefined;
}

/** Whether the operation needs a key or a token, and may have a JSON body. */
function isForPrograms({ auth }: RouteOperation): boolean {
  return auth === 'api_key' || auth === 'account_token' || auth === 'project_token';
}

function isForBrowsers({ auth }: RouteOperation): boolean {
  return auth === 'session' || auth === 'member' || auth === 'check_member' || auth === 'visitor';
}

/** A request, the parameters of its path, and its version of the API. */
interface Arrival {
  readonly request: HttpRequest;
  readonly params: Params;
  readonly version: ApiVersion;
}

async function answerOf(callers: Callers, operation: RouteOperation, arrival: Arrival): Promise<Answer> {
  const { request, params, version } = arrival;
  const asked = { version, params, query: request.query, headers: request.headers };
  switch (operation.auth) {
    case 'api_key':
      return await operation.handle({ ...asked, ...(await callers.keys.ofApi(operation, request)) });
    case 'account_token':
      return await operation.handle({
        ...asked,
        ...(await callers.keys.ofAccountToken(operation, request)),
      });
    case 'project_token': {
      const project = asked.params.project_uuid ?? '';
      return await operation.handle({
        ...asked,
        ...(await callers.keys.ofProjectToken(operation, request, project)),
      });
    }
    case 'bearer_key':
    case 'path_key':
      return await operation.handle({
        ...asked,
        actor: await callers.keys.ofScrape(operation, request, asked.params),
      });
    case 'metrics_key':
      await callers.keys.requireMetricsKey(request, operation.metricsKey);
      return await operation.handle({
        ...asked,
        remoteAddr: request.ip,
        peer: request.peer,
        log: () => request.log,
        readBody: noBody,
      });
    case 'public_token':
    case 'none':
      return await answerOpenly(operation, request, asked);
    case 'visitor': {
      const visitor = await callers.browsers.visitor(request);
      return await callers.earlyRefusals.watch(visitor.client, () =>
        operation.handle({ ...asked, ...visitor }),
      );
    }
    case 'member': {
      const project = asked.params.project ?? '';
      return await operation.handle({
        ...asked,
        ...(await callers.browsers.member(operation, request, project)),
      });
    }
    case 'check_member': {
      const check = checkRef(asked.params.check ?? '');
      return await operation.handle({
        ...asked,
        ...(await callers.browsers.onCheck(operation, request, check)),
      });
    }
    case 'session':
      return await operation.handle({ ...asked, ...(await callers.browsers.signedIn(operation, request)) });
    default:
      return operation satisfies never;
  }
}

async function answerOpenly(
  operation: OpenOperation,
  request: HttpRequest,
  asked: RouteRequest,
): Promise<Answer> {
  const open = { ...asked, remoteAddr: request.ip, peer: request.peer, log: () => request.log };
  if (operation.body === undefined) return await operation.handle({ ...open, readBody: noBody });
  using body = new OpenBody(operation.body, request);
  return await operation.handle({ ...open, readBody: () => body.read() });
}

function noBody(): Promise<never> {
  return Promise.reject(new Error('the route has no rule for its body'));
}
