import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { equalInConstantTime } from '../../lib/vault.ts';
import { deliveryOfCallback, reportDelivery } from '../../services/callbacks.ts';
import type { Deps } from '../../services/deps.ts';
import { readProgress } from '../../services/health.ts';
import type { Vitals } from '../../services/vitals.ts';
import { parseLateVerdict } from '../../wire/api/callback-input.ts';
import { metricsJson } from '../../wire/api/metrics-output.ts';
import { readinessJson } from '../../wire/api/readiness-output.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import { INSTANCE_METRICS_TYPE, instanceText } from '../../wire/metrics/instance.ts';
import type { DocumentedOperation } from '../../wire/openapi/document.ts';
import * as docs from '../../wire/openapi/operations/instance.ts';
import { bearerToken } from '../bearer.ts';
import { readOpenBody } from '../body-reader.ts';
import { DOCUMENTED_BASE, templateOf } from '../docs/documented.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import { sendError, sendJson, sendMethodNotAllowed } from '../replies.ts';
import { redirectToSlash } from './endpoint.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** One path of the API that takes no API key. */
interface OpenEndpoint extends Pick<DocumentedOperation, 'method' | 'access' | 'doc'> {
  readonly path: string;
  readonly methods: readonly string[];
  readonly handler: Handler;
}

/** What concerns the instance as a whole, and so takes no API key: its health, and providers' callbacks. */
export function mountInstanceEndpoints(
  app: FastifyInstance,
  deps: Deps,
  { metricsKey, vitals }: { metricsKey: string | null; vitals: Vitals },
): DocumentedOperation[] {
  const endpoints: OpenEndpoint[] = [
    {
      path: '/status/',
      methods: SAFE_METHODS,
      handler: status(vitals),
      method: 'GET',
      access: 'open',
      doc: docs.getStatus,
    },
    {
      path: '/ready/',
      methods: SAFE_METHODS,
      handler: readiness(vitals),
      method: 'GET',
      access: 'open',
      doc: docs.getReadiness,
    },
    {
      path: '/metrics/',
      methods: SAFE_METHODS,
      handler: metrics(deps, metricsKey),
      method: 'GET',
      access: 'metrics_key',
      doc: docs.getMetrics,
    },
    {
      path: `/notifications/:callback(${UUID_PATTERN})/status`,
      methods: ['POST'],
      handler: callback(deps),
      method: 'POST',
      access: 'open',
      doc: docs.reportDelivery,
    },
  ];
  for (const version of API_VERSIONS) {
    for (const endpoint of endpoints) mount(app, `/api/v${version}${endpoint.path}`, endpoint);
  }
  // Where Prometheus looks unless it is told otherwise.
  const scraped: OpenEndpoint = {
    path: '/metrics',
    methods: SAFE_METHODS,
    handler: scrape(vitals, metricsKey),
    method: 'GET',
    access: 'metrics_key',
    doc: docs.scrapeInstance,
  };
  mount(app, scraped.path, scraped);
  return [...endpoints.map((one) => ({ ...one, path: DOCUMENTED_BASE + templateOf(one.path) })), scraped].map(
    ({ path, method, access, doc }) => ({ path, method, access, doc }),
  );
}

function mount(app: FastifyInstance, url: string, { methods, handler }: OpenEndpoint): void {
  if (url.endsWith('/')) redirectToSlash(app, url);
  app.route({
    method: app.supportedMethods,
    url,
    config: { takesBody: methods.includes('POST') },
    onRequest: async (request, reply) => {
      if (methods.includes(request.method)) return;
      return sendMethodNotAllowed(reply, methods);
    },
    handler,
  });
}

/** Whether the database answers, for whatever watches this instance. */
function status(vitals: Vitals): Handler {
  return async (request, reply) => {
    try {
      await vitals.probeDatabase();
      return reply.type('text/html; charset=utf-8').send('OK');
    } catch (error) {
      // Clients know 500 here for whatever is wrong with the database, also while it restarts.
      request.log.warn({ event: 'database.unreachable', err: error });
      return sendError(reply, 500, 'the database does not answer');
    }
  };
}

/** Whether alerts are in time, for whoever is to be rung when they are not. */
function readiness(vitals: Vitals): Handler {
  return async (_request, reply) => {
    const reasons = await vitals.ailments();
    const isReady = reasons.length === 0;
    return sendJson(reply.header('cache-control', 'no-store'), isReady ? 200 : 503, readinessJson(reasons));
  };
}

function metrics(deps: Deps, metricsKey: string | null): Handler {
  return async (request, reply) => {
    if (!hasMetricsKey(request, metricsKey)) return sendError(reply, 403, 'wrong metrics key');
    return sendJson(reply, 200, metricsJson(await readProgress(deps), deps.clock.now()));
  };
}

function scrape(vitals: Vitals, metricsKey: string | null): Handler {
  return async (request, reply) => {
    if (!hasMetricsKey(request, metricsKey)) return sendError(reply, 403, 'wrong metrics key');
    return reply.header('content-type', INSTANCE_METRICS_TYPE).send(instanceText(await vitals.measure()));
  };
}

/** In a header of its own, or as the bearer token that Prometheus can send. */
function hasMetricsKey({ headers }: FastifyRequest, metricsKey: string | null): boolean {
  const presented = headers['x-metrics-key'] ?? bearerToken(headers.authorization) ?? '';
  return metricsKey !== null && equalInConstantTime(String(presented), metricsKey);
}

/** Always 200, so that nobody can find out which deliveries exist. The form of a stranger is not even read. */
function callback(deps: Deps): Handler {
  return async (request, reply) => {
    const { callback: id = '' } = request.params as { callback?: string };
    const delivery = deliveryOfCallback(deps, id);
    const verdict = delivery && parseLateVerdict(await readOpenBody(request, reply));
    if (delivery !== null && verdict !== null) await reportDelivery(deps, delivery, verdict);
    return reply.code(200).send();
  };
}
