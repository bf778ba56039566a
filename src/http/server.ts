import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Random } from '../lib/random.ts';
import type { Deps } from '../services/deps.ts';
import type { Site } from '../wire/api/check-output.ts';
import { mountApi } from './api/routes.ts';
import { errorReply } from './error-map.ts';

export interface HttpOptions {
  readonly site: Site;
  readonly log: Logger;
  readonly requestTimeoutSeconds: number;
  readonly trustedProxies: readonly string[];
}

/** The reference's limit for request bodies, which clients know. */
export const API_BODY_LIMIT = 2_621_440;

const LONGEST_HEADERS_SECONDS = 10;

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
    routerOptions: { querystringParser: () => ({}) },
    frameworkErrors: sendError,
  });
  acceptAnyBody(app);
  app.addHook('onRequest', addSecurityHeaders);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.register(async (scope) => mountApi(scope, deps, options.site), {
    prefix: new URL(options.site.root).pathname.replace(/\/$/, ''),
  });
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
}

async function addSecurityHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  });
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = errorReply(error);
  if (known === null) {
    request.log.error({
      event: 'request.failed',
      method: request.method,
      route: routeOf(request),
      err: error,
    });
    reply.code(500).send({ error: 'internal error' });
    return;
  }
  if (known.status >= 500) {
    request.log.warn({ event: 'request.refused', route: routeOf(request), reason: known.error, err: error });
  }
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  reply.code(known.status).send({ error: known.error });
}

/** The pattern, not the address: a UUID in the path is a secret that must not reach the logs. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? 'unknown';
}
