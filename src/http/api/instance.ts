import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import { equalInConstantTime } from '../../lib/vault.ts';
import { reportDelivery } from '../../services/callbacks.ts';
import type { Deps } from '../../services/deps.ts';
import { probeDatabase, readProgress } from '../../services/health.ts';
import { parseLateVerdict } from '../../wire/api/callback-input.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import { sendError, sendJson, sendMethodNotAllowed } from '../replies.ts';
import { redirectToSlash } from './endpoint.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** What concerns the instance as a whole, and so takes no API key: its health, and providers' callbacks. */
export function mountInstanceEndpoints(
  app: FastifyInstance,
  deps: Deps,
  { metricsKey }: { metricsKey: string | null },
): void {
  for (const version of API_VERSIONS) {
    const base = `/api/v${version}`;
    mount(app, `${base}/status/`, SAFE_METHODS, status(deps));
    mount(app, `${base}/metrics/`, SAFE_METHODS, metrics(deps, metricsKey));
    mount(app, `${base}/notifications/:delivery(${UUID_PATTERN})/status`, ['POST'], callback(deps));
  }
}

function mount(app: FastifyInstance, url: string, methods: readonly string[], handler: Handler): void {
  if (url.endsWith('/')) redirectToSlash(app, url);
  app.route({
    method: app.supportedMethods,
    url,
    onRequest: async (request, reply) => {
      if (methods.includes(request.method)) return;
      return sendMethodNotAllowed(reply, methods);
    },
    handler,
  });
}

/** Whether the database answers, for whatever watches this instance. */
function status(deps: Deps): Handler {
  return async (request, reply) => {
    try {
      await probeDatabase(deps);
      return reply.type('text/html; charset=utf-8').send('OK');
    } catch (error) {
      // Clients know 500 here for whatever is wrong with the database, also while it restarts.
      request.log.warn({ event: 'database.unreachable', err: error });
      return sendError(reply, 500, 'the database does not answer');
    }
  };
}

function metrics(deps: Deps, metricsKey: string | null): Handler {
  return async (request, reply) => {
    const presented = String(request.headers['x-metrics-key'] ?? '');
    if (metricsKey === null || !equalInConstantTime(presented, metricsKey)) {
      return sendError(reply, 403, 'wrong metrics key');
    }
    const { pings, lastDeliveryId, openFlips } = await readProgress(deps);
    return sendJson(reply, 200, {
      ts: Math.floor(deps.clock.now() / MICROS_PER_SECOND),
      // Pings have no number of their own beyond their check; how many there were serves the same end.
      max_ping_id: pings,
      max_notification_id: lastDeliveryId,
      num_unprocessed_flips: openFlips,
    });
  };
}

/** Always 200, so that nobody can find out which deliveries exist. */
function callback(deps: Deps): Handler {
  return async (request, reply) => {
    const { delivery = '' } = request.params as { delivery?: string };
    const verdict = parseLateVerdict(request.body instanceof Uint8Array ? request.body : new Uint8Array());
    if (verdict !== null) await reportDelivery(deps, delivery, verdict);
    return reply.code(200).send();
  };
}
