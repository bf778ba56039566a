import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiVersion, basePath, LATEST_VERSION } from '../wire/api/version.ts';
import type { Callers as KeyCallers } from './authentication.ts';
import { OpenBody } from './body-reader.ts';
import type { BrowserCallers } from './browser-callers.ts';
import type { EarlyRefusals } from './early-refusals.ts';
import { allowedMethods, corsHeaders, operationsByMethod, ROUTED_METHOD } from './methods.ts';
import { checkRef, isUniqueKey } from './path-segments.ts';
import { type Answer, sendAnswer, sendError } from './replies.ts';
import type { BodyRule, OpenRequest, Route, RouteOperation, RouteOperations } from './route.ts';

/** Who finds out who calls, by a key or by the cookie of a browser, and who refuses them next time. */
export interface Callers {
  readonly keys: KeyCallers;
  readonly browsers: BrowserCallers;
  readonly earlyRefusals: Pick<EarlyRefusals, 'watch'>;
}

/**
 * Serves the routes. Requests that need no key are counted first (429), by their address. Then the method is checked
 * (405), before any key or body, then the requirements of `auth`, and then the operation runs.
 */
export function mountRoutes(app: FastifyInstance, callers: Callers, routes: readonly Route[]): void {
  for (const route of routes) {
    const { versions, path } = route;
    if (versions === undefined) mountRoute(app, callers, route, path, LATEST_VERSION);
    for (const version of versions ?? []) {
      mountRoute(app, callers, route, basePath(version) + path, version);
    }
  }
}

function mountRoute(
  app: FastifyInstance,
  callers: Callers,
  route: Route,
  url: string,
  version: ApiVersion,
): void {
  const admit: AdmitAnybody = (request) => callers.keys.admitAnybody(request);
  const gate = new MethodGate(route, route.operations, admit);
  const gateByUniqueKey = new MethodGate(route, route.operationsByUniqueKey ?? route.operations, admit);
  const gateOf = (request: FastifyRequest) => (namesUniqueKey(request) ? gateByUniqueKey : gate);
  if (url.endsWith('/') && route.isExact !== true) redirectToSlash(app, callers, url);
  app.route({
    method: ROUTED_METHOD,
    url,
    config: {
      takesBody: Object.entries(route.operations).some(([method, one]) => takesBody(method, one)),
      isDashboard: Object.values(route.operations).some(isForBrowsers),
    },
    onRequest: (request, reply, goOn) => {
      if (route.headers !== undefined) reply.headers(route.headers());
      gateOf(request).check(request, reply, goOn);
    },
    handler: async (request, reply) => {
      const operation = gateOf(request).operationOf(request);
      return sendAnswer(reply, await answerOf(callers, operation, { request, reply, version }));
    },
  });
}

/** Existing clients omit the slash and follow the redirect, which turns their POST into a GET. */
function redirectToSlash(app: FastifyInstance, callers: Callers, url: string): void {
  app.route({
    method: ROUTED_METHOD,
    url: url.slice(0, -1),
    onRequest: (request, _reply, goOn) => goOn(callers.keys.admitAnybody(request) ?? undefined),
    handler: async (request, reply) => {
      const [path = '', ...query] = (request.raw.url ?? '').split('?');
      return reply.redirect([`${path}/`, ...query].join('?'), 301);
    },
  });
}

/** Counts a request that needs no key. Returns why it is refused, or null. */
type AdmitAnybody = (request: FastifyRequest) => Error | null;

/** The methods that a path answers. */
class MethodGate {
  readonly #operations: ReadonlyMap<string, RouteOperation>;
  readonly #allowed: readonly string[];
  readonly #corsHeaders: Readonly<Record<string, string>> | null;
  readonly #admitAnybody: AdmitAnybody;

  constructor(route: Route, operations: RouteOperations, admitAnybody: AdmitAnybody) {
    this.#admitAnybody = admitAnybody;
    this.#operations = operationsByMethod(route, operations);
    this.#allowed = allowedMethods(route, this.#operations);
    this.#corsHeaders = route.cors ? corsHeaders(this.#allowed) : null;
  }

  /** Answers OPTIONS for scripts of other origins, and refuses methods that the path does not have. */
  check(request: FastifyRequest, reply: FastifyReply, goOn: (refusal?: Error) => void): void {
    const { method } = request;
    const operation = this.#operations.get(method);
    if (this.#corsHeaders !== null) reply.headers(this.#corsHeaders);
    const isCounted = operation === undefined || isForAnybody(operation);
    const refusal = isCounted ? this.#admitAnybody(request) : null;
    if (refusal !== null) goOn(refusal);
    else if (operation !== undefined) goOn();
    else if (this.#corsHeaders !== null && method === 'OPTIONS') reply.code(204).send();
    else sendError(reply.header('allow', this.#allowed.join(', ')), 405, 'method not allowed');
  }

  operationOf({ method }: FastifyRequest): RouteOperation {
    const operation = this.#operations.get(method);
    if (operation === undefined) throw new Error(`unreachable: ${method} was admitted`);
    return operation;
  }
}

/**
 * Whether requests are counted before anything else. Those with a key or a session are counted when it turns out to be
 * wrong.
 */
function isForAnybody(operation: RouteOperation): boolean {
  if (operation.auth === 'visitor') return true;
  const needsNoKey = operation.auth === 'public_token' || operation.auth === 'none';
  return needsNoKey && operation.isUnlimited !== true;
}

/** Whether the operation reads the body itself. */
function takesBody(method: string, operation: RouteOperation): boolean {
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

/** A request and its version of the API. */
interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly version: ApiVersion;
}

async function answerOf(callers: Callers, operation: RouteOperation, arrival: Arrival): Promise<Answer> {
  const { request, reply, version } = arrival;
  const asked = { version, params: paramsOf(request), query: queryOf(request), headers: request.headers };
  switch (operation.auth) {
    case 'api_key':
      return operation.handle({ ...asked, ...(await callers.keys.ofApi(operation, request, reply)) });
    case 'account_token':
      return operation.handle({
        ...asked,
        ...(await callers.keys.ofAccountToken(operation, request, reply)),
      });
    case 'project_token': {
      const project = asked.params.project_uuid ?? '';
      return operation.handle({
        ...asked,
        ...(await callers.keys.ofProjectToken(operation, request, reply, project)),
      });
    }
    case 'bearer_key':
    case 'path_key':
      return operation.handle({
        ...asked,
        actor: await callers.keys.ofScrape(operation, request, asked.params),
      });
    case 'metrics_key':
      await callers.keys.requireMetricsKey(request, operation.metricsKey);
      return withOpenBody(undefined, arrival, asked, (open) => operation.handle(open));
    case 'public_token':
    case 'none':
      return withOpenBody(operation.body, arrival, asked, (open) => operation.handle(open));
    case 'visitor': {
      const visitor = await callers.browsers.visitor(request, reply);
      return callers.earlyRefusals.watch(visitor.client, () => operation.handle({ ...asked, ...visitor }));
    }
    case 'member': {
      const project = asked.params.project ?? '';
      return operation.handle({
        ...asked,
        ...(await callers.browsers.member(operation, request, reply, project)),
      });
    }
    case 'check_member': {
      const check = checkRef(asked.params.check ?? '');
      return operation.handle({
        ...asked,
        ...(await callers.browsers.onCheck(operation, request, reply, check)),
      });
    }
    case 'session':
      return operation.handle({ ...asked, ...(await callers.browsers.signedIn(operation, request, reply)) });
    default:
      return operation satisfies never;
  }
}

async function withOpenBody(
  rule: BodyRule | undefined,
  { request, reply }: Arrival,
  asked: Omit<OpenRequest, 'remoteAddr' | 'log' | 'readBody'>,
  handle: (request: OpenRequest) => Promise<Answer>,
): Promise<Answer> {
  using body = new OpenBody(rule, request, reply);
  const { ip: remoteAddr, log } = request;
  return await handle({ ...asked, remoteAddr, log, readBody: () => body.read() });
}

/** The router always gives parameters as text. */
function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.params as Record<string, string>;
}

function namesUniqueKey(request: FastifyRequest): boolean {
  const { check } = paramsOf(request);
  return check !== undefined && isUniqueKey(check);
}

function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}
