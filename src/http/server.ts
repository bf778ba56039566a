import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Random } from '../lib/random.ts';
import type { Deps } from '../services/deps.ts';
import type { Site } from '../wire/site.ts';
import { type ApiOptions, mountApi } from './api/routes.ts';
import { mountBadges } from './badge/routes.ts';
import { errorReply } from './error-map.ts';
import { mountPrometheus } from './prometheus/routes.ts';
import { sendError } from './replies.ts';

export interface HttpOptions {
  readonly site: Site;
  readonly api: ApiOptions;
  readonly log: Logger;
  readonly requestTimeoutSeconds: number;
  readonly trustedProxies: readonly string[];
}

/** The reference's limit for request bodies, which clients know. */
export const API_BODY_LIMIT = 2_621_440;

const LONGEST_HEADERS_SECONDS = 10;
// A badge's tag may have 500 characters, each percent-encoded twice.
const LONGEST_PATH_SEGMENT = 10_000;

/** The HTTP edge, not yet listening. */
export function createHttpServer(deps: Deps, options: HttpOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: withoutChatter(options.log),
    // One line for each ping would cost more than the ping itself.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(deps.random),
    trustProxy: [...options.trustedProxies],
    bodyLimit: API_BODY_LIMIT,
    requestTimeout: options.requestTimeoutSeconds * 1000,
    http: { headersTimeout: Math.min(options.requestTimeoutSeconds, LONGEST_HEADERS_SECONDS) * 1000 },
    exposeHeadRoutes: false,
    // Endpoints read the query by themselves, as URLSearchParams.
    routerOptions: { querystringParser: () => ({}), maxParamLength: LONGEST_PATH_SEGMENT },
    frameworkErrors: handleError,
  });
  acceptAnyBody(app);
  app.addHook('onRequest', addSecurityHeaders);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(async (_request, reply) => sendError(reply, 404, 'not found'));
  app.register(
    async (scope) => {
      mountApi(scope, deps, options.site, options.api);
      mountBadges(scope, deps, options.site);
      if (options.api.prometheusEnabled) mountPrometheus(scope, deps);
    },
    { prefix: new URL(options.site.root).pathname.replace(/\/$/, '') },
  );
  return app;
}

/** The framework tells at `info` what `main` tells in one event. */
function withoutChatter(log: Logger): FastifyBaseLogger {
  return log.level === 'info' ? log.child({}, { level: 'warn' }) : log;
}

/** Unique over all nodes and restarts, at the cost of a counter: random once, then counted. */
function requestIds(random: Random): () => string {
  const process = Buffer.from(random.bytes(6)).toString('base64url');
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

/** Clients send JSON under any content type, or under none: bodies arrive as bytes. */
function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', forgetOddContentType);
}

/** The framework refuses, before any handler is asked, a content type that it cannot read. */
function forgetOddContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  if (headers['content-type'] !== undefined && request.mediaType === undefined)
    delete headers['content-type'];
  done();
}

function addSecurityHeaders(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  });
  done();
}

function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
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
  if (known.status >= 500) {
    request.log.warn({ event: 'request.refused', route: routeOf(request), reason: known.error, err: error });
  }
  if (known.retryAfterSeconds !== null) reply.header('retry-after', known.retryAfterSeconds);
  sendError(reply, known.status, known.error);
}

/** The pattern, not the address: a UUID in the path is a secret that must not reach the logs. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? 'unknown';
}
