import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import { ByteBudget } from '../lib/byte-budget.ts';
import { createAddressMatcher } from '../lib/ip-address.ts';
import type { Random } from '../lib/random.ts';
import { MAX_TOKENS, type TokenRule } from '../lib/token-bucket.ts';
import type { AccountDeps } from '../services/accounts/deps.ts';
import type { Instance } from '../services/accounts/instance.ts';
import type { ChannelTools } from '../services/channel-tools.ts';
import type { CheckWriter } from '../services/check-writer.ts';
import type { Deps } from '../services/deps.ts';
import type { KeyUses } from '../services/key-uses.ts';
import type { PingWriter } from '../services/ping-writer.ts';
import { type BucketOwner, drawTokens } from '../services/rate-buckets.ts';
import type { Reads } from '../services/reads.ts';
import type { Vitals } from '../services/vitals.ts';
import { Cookies } from '../wire/dashboard/cookies.ts';
import type { Site } from '../wire/site.ts';
import { AddressLimit } from './address-limit.ts';
import { accountProjectRoutes } from './api/account-projects.ts';
import { type ApiOptions, apiRoutes } from './api/routes.ts';
import { Callers } from './authentication.ts';
import { badgeRoutes } from './badge/routes.ts';
import { BrowserCallers } from './browser-callers.ts';
import { clientAddresses } from './client-address.ts';
import { ClientErrors, refuseTunnel } from './client-error.ts';
import { ConnectionOrder } from './connection-order.ts';
import { Connections } from './connections.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { guideRoutes } from './docs/guide.ts';
import { docsRoutes } from './docs/openapi.ts';
import { EarlyRefusals } from './early-refusals.ts';
import { errorReply } from './error-map.ts';
import {
  BUSY_PROJECTS_PER_ACCOUNT,
  HTTP_LIMITS,
  type HttpLimits,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
} from './limits.ts';
import type { LiveStreams } from './live/live-streams.ts';
import { hideMethod, showMethod } from './methods.ts';
import { mountRoutes } from './mount.ts';
import type { PageFiles } from './pages/page-files.ts';
import { documentAnswer, pageRoutes } from './pages/routes.ts';
import { ALLOWED_METHODS, PingHandler } from './ping/handler.ts';
import { drainLimitsWithin, hasBody } from './ping/request-body.ts';
import { Pipelines } from './pipelines.ts';
import { prometheusRoutes } from './prometheus/routes.ts';
import { QuickRoutes } from './quick-routes.ts';
import { RateLimit, tokensInMemory } from './rate-limit.ts';
import { expectationRefuser, receiver } from './receiver.ts';
import { Refusals } from './refusals.ts';
import { type Answer, sendAnswer, sendError, sendNamedError } from './replies.ts';
import type { Route } from './route.ts';
import { securityHeaders } from './security-headers.ts';
import { statusRoutes } from './status/routes.ts';
import { telegramBotRoute } from './telegram-bot.ts';
import { unsubscribeRoutes } from './unsubscribe/routes.ts';

export interface HttpOptions extends ChannelTools {
  readonly site: Site;
  readonly api: ApiOptions;
  readonly reads: Reads;
  readonly checkWriter: Pick<CheckWriter, 'perform'>;
  /** Takes the pings that people send by a button. */
  readonly pings: Pick<PingWriter, 'record'>;
  readonly vitals: Vitals;
  readonly accounts: AccountDeps;
  /** The pages of the dashboard; null or absent where there are none. */
  readonly pages?: PageFiles | null;
  /** Remembers when keys and tokens were used. */
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly instance: Instance;
  /** Open streams of live events. They end when the server closes. */
  readonly live: LiveStreams;
  readonly log: Logger;
  readonly requestTimeoutSeconds: number;
  readonly trustedProxies: readonly string[];
  /** Requests a minute without a valid key for each address; 0 for no limit. */
  readonly publicRateLimitPerMinute: number;
  /** The number of bytes of a ping's body that are kept. Null: the first 10 MiB. */
  readonly pingBodyLimit: number | null;
  /** Requests wait for it, except pings, which see to it themselves: when it is known whether anybody has watched. */
  readonly firstLook?: Promise<void>;
  /** No other node works on the database, so that rates are counted in memory. */
  readonly isOnlyNode?: boolean;
  /** Limits that differ from `HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>;
}

/** Loopback addresses have no limit of their own: a client on this machine is most likely a proxy. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

const MAX_HEADERS_SECONDS = 10;
// Longer than the idle time of common proxies, so that they close the connection first.
const KEEP_ALIVE_SECONDS = 72;
const CLOSING_SWEEP_MS = 50;
// How late a time-out may be noticed. The default of Node is half a minute.
const TIMEOUT_SWEEP_MS = 500;
// A badge's tag may have 500 characters, each percent-encoded twice.
const MAX_PATH_SEGMENT = 10_000;

/** Endpoints check what they get and write JSON themselves. The framework would load two compilers for it. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

function noSchemas(): never {
  throw new Error('unreachable: no route has a schema');
}

/** Creates the HTTP server. It does not listen yet. */
export function createHttpServer(deps: Deps, pings: PingWriter, options: HttpOptions): FastifyInstance {
  const prefix = new URL(options.site.root).pathname.replace(/\/$/, '');
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const order = new ConnectionOrder();
  const pingHandler = new PingHandler(pings, deps.clock, {
    prefix: `${prefix}/ping/`,
    bodyLimit: options.pingBodyLimit,
    drainLimits: drainLimitsWithin(options.requestTimeoutSeconds),
    bodyBudget: new ByteBudget(limits.maxPingBodyBytes),
    order,
    trustedProxies: options.trustedProxies,
    log: options.log,
  });
  const refusals = new Refusals(options.log);
  const answerNowhere = nowhereAnswer(prefix, options.pages ?? null);
  const handleError = errorHandler(refusals, answerNowhere);
  const clientErrors = new ClientErrors();
  const isExempt = createAddressMatcher([...options.trustedProxies, ...LOOPBACK]);
  const addressLimit = new AddressLimit(options.publicRateLimitPerMinute, isExempt, deps.clock);
  const apiRule = { perMinute: options.api.rateLimitPerMinute, capacity: options.api.rateBurst };
  const callers = new Callers(
    { ...deps, keyUses: options.keyUses },
    {
      address: addressLimit,
      project: rateLimitOf(deps, options, 'project', apiRule),
      owner: ownerLimit(deps, options, apiRule),
      tokens: rateLimitOf(deps, options, 'tokens', apiRule),
    },
  );
  const routes = routesOf(deps, options, prefix);
  const newRequestId = requestIds(deps.random);
  const addressOf = clientAddresses(options.trustedProxies);
  const { store, clock, vault } = deps;
  const everyHeader = securityHeaders(options.site);
  const quickOptions = { prefix, store, newRequestId, addressOf, everyHeader, log: options.log };
  const quickRoutes = new QuickRoutes(callers, routes, quickOptions);
  const { deviceName: deviceCookie } = new Cookies(options.site);
  const earlyOptions = { prefix, clock, vault, deviceCookie, addressOf, newRequestId, everyHeader };
  const earlyRefusals = new EarlyRefusals(routes, earlyOptions);
  const app = fastify({
    loggerInstance: withoutChatter(options.log),
    // A log line for each ping would cost more than the ping itself.
    logController: new LogController({ disableRequestLogging: true }),
    // The framework asks for it as soon as a request is routed.
    genReqId: (request) => {
      showMethod(request);
      return newRequestId();
    },
    trustProxy: [...options.trustedProxies],
    serverFactory: (handler) => {
      const connections = new Connections({ limits, isExempt, refusals });
      const pipelines = new Pipelines(limits);
      const receive = receiver(pingHandler, { earlyRefusals, quickRoutes }, handler, {
        order,
        connections,
        pipelines,
      });
      const server = listeningServer(receive, connections, options.requestTimeoutSeconds);
      return server.on('checkExpectation', expectationRefuser(pipelines));
    },
    clientErrorHandler: (error, socket) => clientErrors.refuse(error, socket),
    exposeHeadRoutes: false,
    // Endpoints parse the query themselves, as URLSearchParams.
    routerOptions: { querystringParser: () => ({}), maxParamLength: MAX_PATH_SEGMENT },
    rewriteUrl: (request) => {
      hideMethod(request);
      return request.url ?? '';
    },
    frameworkErrors: handleError,
    schemaController: WITHOUT_SCHEMAS,
  });
  const bodyBudget = new ByteBudget(limits.maxApiBodyBytes);
  app.decorate('bodyBudget', bodyBudget);
  app.decorate('keylessBodyBudget', new ByteBudget(limits.maxApiBodyBytes / 2, bodyBudget));
  app.addHook('preClose', async () => {
    pingHandler.stop();
    options.live.close();
    quickRoutes.close();
  });
  endConnectionsWhenClosing(app);
  const { firstLook } = options;
  if (firstLook !== undefined) app.addHook('onRequest', () => firstLook);
  if (firstLook === undefined) quickRoutes.open();
  else void firstLook.then(() => quickRoutes.open());
  leaveBodiesToRoutes(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...everyHeader });
    done();
  });
  app.addHook('preHandler', async ({ raw }) => {
    const failure = quickRoutes.failureOf(raw);
    if (failure !== undefined) throw failure;
  });
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(async (request, reply) => {
    const refusal = addressLimit.take(request);
    if (refusal !== null) throw refusal;
    const page = answerNowhere(request);
    return page === null ? sendError(reply, 404, 'not found') : sendAnswer(reply, page);
  });
  const sessionRule = {
    perMinute: limits.maxSessionRequestsPerMinute,
    capacity: limits.maxSessionRequestBurst,
  };
  const browsers = new BrowserCallers(options.accounts, options.site, {
    address: addressLimit,
    account: rateLimitOf(deps, options, 'account', sessionRule),
  });
  app.register(async (scope) => mountRoutes(scope, { keys: callers, browsers, earlyRefusals }, routes), {
    prefix: routerSpelling(prefix),
  });
  return app;
}

/** Each node counts alone: the limits of the projects hold for all nodes together. */
function ownerLimit(deps: Deps, options: HttpOptions, { perMinute, capacity }: TokenRule): RateLimit {
  const rule = {
    perMinute: BUSY_PROJECTS_PER_ACCOUNT * perMinute,
    capacity: Math.min(MAX_TOKENS, BUSY_PROJECTS_PER_ACCOUNT * capacity),
  };
  return rateLimitOf(deps, { ...options, isOnlyNode: true }, 'account', rule);
}

function rateLimitOf(
  deps: Deps,
  { isOnlyNode = false, log }: HttpOptions,
  kind: BucketOwner['kind'],
  rule: TokenRule,
): RateLimit {
  const draw = isOnlyNode
    ? tokensInMemory(rule, deps.clock)
    : (id: number, needed: number) => drawTokens(deps, { kind, id }, rule, needed);
  return new RateLimit(rule, deps.clock, draw, (error) =>
    log.warn({ event: 'rate_limit.unavailable', err: error }),
  );
}

/** All routes except pings, which have a handler of their own. */
function routesOf(deps: Deps, options: HttpOptions, prefix: string): Route[] {
  const { site, api, vitals, reads, checkWriter, accounts, offer, pages = null } = options;
  const routes = [
    ...apiRoutes(deps, site, { ...api, accounts, channelTools: options, vitals, reads, checkWriter }),
    ...accountProjectRoutes(accounts, site),
    ...badgeRoutes(deps, site, reads),
    ...(api.prometheusEnabled ? prometheusRoutes(deps, reads) : []),
    ...unsubscribeRoutes(deps),
    ...statusRoutes(deps),
    telegramBotRoute(deps, { server: options.offer.server, root: site.root, http: options.askProvider }),
    ...dashboardRoutes(accounts, site, options),
    ...(pages === null ? [] : pageRoutes(pages)),
    ...guideRoutes({ reads, offer, prefix, pages }),
  ];
  const limits = { accountLimits: deps.defaultLimits, pingBodyLimit: options.pingBodyLimit };
  return [...routes, ...docsRoutes(site, { ...api, ...limits }, routes)];
}

/**
 * Escapes the path for the router, which compares decoded paths and takes text after a single colon for a parameter.
 */
function routerSpelling(path: string): string {
  return decodeURI(path).replaceAll(':', '::');
}

/** Creates the server with time-outs, so that slow clients cannot hold a connection forever. */
function listeningServer(receive: RequestListener, connections: Connections, timeoutSeconds: number): Server {
  const server = createServer(
    {
      requestTimeout: timeoutSeconds * 1000,
      connectionsCheckingInterval: TIMEOUT_SWEEP_MS,
      headersTimeout: Math.min(timeoutSeconds, MAX_HEADERS_SECONDS) * 1000,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Nothing depends on the header (decision 0022), and a ping without it must be recorded.
      requireHostHeader: false,
    },
    receive,
  );
  server.maxHeadersCount = MAX_HEADERS;
  server.on('connect', (_request, socket) => refuseTunnel(socket as Socket, ALLOWED_METHODS));
  connections.watch(server);
  // A client that closes its side after the request, as `nc` does, still waits for the answer.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** Closes connections that clients keep open after the last answer. They would delay the stop. */
function endConnectionsWhenClosing(app: FastifyInstance): void {
  let sweeping: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    sweeping = setInterval(() => app.server.closeIdleConnections(), CLOSING_SWEEP_MS);
  });
  app.addHook('onClose', async () => clearInterval(sweeping));
}

/** The framework logs at `info` what `main` logs in one event. */
function withoutChatter(log: Logger): FastifyBaseLogger {
  return log.level === 'info' ? log.child({}, { level: 'warn' }) : log;
}

/** Makes ids that are unique over all nodes and restarts, at the cost of a counter: a random prefix, then a count. */
function requestIds(random: Random): () => string {
  const process = Buffer.from(random.bytes(6)).toString('base64url');
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Shared by all bodies that are being received or processed, except those of pings. */
    readonly bodyBudget: ByteBudget;
    /** The part of it for bodies of callers without a known key. */
    readonly keylessBodyBudget: ByteBudget;
  }
  interface FastifyContextConfig {
    /** The route reads the body itself. Bodies for other routes are discarded. */
    readonly takesBody?: boolean;
    /** The route belongs to the dashboard. Its errors have codes. */
    readonly isDashboard?: boolean;
  }
}

/** By default the framework would keep every piece of a body, for all content types that it accepts. */
function leaveBodiesToRoutes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onRequest', forgetOddContentType);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.takesBody !== true && hasBody(request.raw)) request.raw.resume();
    done();
  });
}

/** Removes a content type that the framework cannot read. It would refuse the request before any handler runs. */
function forgetOddContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  if (headers['content-type'] !== undefined && request.mediaType === undefined)
    delete headers['content-type'];
  done();
}

/** Programs read these as JSON, whatever they say that they accept. */
const FOR_PROGRAMS = /^\/(?:api|ping|badge|b|dashboard\/api)(?:\/|$)/;

/** What people see who open an address at which there is nothing. Null for programs, and where there are no pages. */
type NowhereAnswer = (request: FastifyRequest) => Answer | null;

function nowhereAnswer(prefix: string, pages: PageFiles | null): NowhereAnswer {
  const answer = pages && documentAnswer(pages, 404);
  return ({ method, headers, raw }) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const isBrowser = (headers.accept ?? '').includes('text/html');
    const path = (raw.url ?? '').slice(prefix.length);
    return isRead && isBrowser && !FOR_PROGRAMS.test(path) ? answer : null;
  };
}

function errorHandler(refusals: Refusals, answerNowhere: NowhereAnswer) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const known = errorReply(error);
    if (known === null) {
      request.log.error({
        event: 'request.failed',
        method: request.method,
        route: routeOf(request),
        err: error,
      });
      sendError(reply, 500, 'internal error');
      return;
    }
    if (error instanceof AppError && error.code === 'overloaded') refusals.add('request_bodies');
    else if (known.status >= 500) {
      request.log.warn({
        event: 'request.refused',
        route: routeOf(request),
        reason: known.error,
        err: error,
      });
    }
    if (known.retryAfterSeconds !== null) reply.header('retry-after', known.retryAfterSeconds);
    const page = known.status === 404 ? answerNowhere(request) : null;
    if (page !== null) {
      void sendAnswer(reply, page);
      return;
    }
    if (request.routeOptions?.config.isDashboard === true) sendNamedError(reply, known.status, known);
    else sendError(reply, known.status, known.error);
  };
}

/** Returns the pattern, not the address: a UUID in the path is a secret and must not reach the logs. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? 'unknown';
}
