import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_KEY_LENGTH } from '../../domain/api-key.ts';
import { AppError } from '../../domain/errors.ts';
import { isAllowed } from '../../domain/permission.ts';
import { type Actor, authenticate } from '../../services/actor.ts';
import { listSummaries } from '../../services/check-list.ts';
import type { Deps } from '../../services/deps.ts';
import { prometheusText } from '../../wire/metrics/prometheus.ts';
import type { Access, DocumentedOperation } from '../../wire/openapi/document.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/metrics.ts';
import { redirectToSlash } from '../api/endpoint.ts';
import { bearerToken } from '../bearer.ts';
import { templateOf } from '../docs/documented.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import { sendPieces } from '../pieces.ts';
import { sendError, sendMethodNotAllowed } from '../replies.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * A project's checks for a Prometheus server to scrape. The project in the path is only for people to
 * read: the read-only key alone decides which project it is.
 */
export function mountPrometheus(app: FastifyInstance, deps: Deps): DocumentedOperation[] {
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { key } = request.params as { key?: string };
    const presented = key ?? bearerToken(request.headers.authorization);
    if (presented === null) return sendError(reply, 401, 'missing api key');
    if (presented.length !== API_KEY_LENGTH) return sendError(reply, 400, 'invalid api key');
    const actor = await holderOf(deps, presented);
    if (actor === null || !isAllowed(actor.caller, 'metrics.view'))
      return sendError(reply, 403, 'wrong api key');
    const checks = await listSummaries(deps, actor);
    return sendPieces(reply, 200, prometheusText(checks, deps.clock.now()), 'text/plain');
  };

  const project = `/projects/:project(${UUID_PATTERN})`;
  redirectToSlash(app, `${project}/metrics/`);
  const mounted: [url: string, access: Access, doc: OperationDoc][] = [
    [`${project}/metrics/`, 'bearer', docs.scrapeProject],
    [`${project}/metrics/:key(${TOKEN})`, 'open', docs.scrapeProjectByUrl],
    [`${project}/checks/metrics/:key(${TOKEN})`, 'open', docs.scrapeChecksByUrl],
  ];
  for (const [url] of mounted) {
    app.route({
      method: app.supportedMethods,
      url,
      handler: async (request, reply) => {
        if (SAFE_METHODS.includes(request.method)) return serve(request, reply);
        return sendMethodNotAllowed(reply, SAFE_METHODS);
      },
    });
  }
  return mounted.map(([url, access, doc]) => ({ method: 'GET', path: templateOf(url), access, doc }));
}

/** Who holds the key; null when nobody does. That the database does not answer is another matter. */
async function holderOf(deps: Deps, key: string): Promise<Actor | null> {
  try {
    return await authenticate(deps, key);
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_api_key') return null;
    throw error;
  }
}
