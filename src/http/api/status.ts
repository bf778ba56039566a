import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../services/deps.ts';
import { probeDatabase } from '../../services/health.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import { redirectToSlash } from './endpoint.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Whether the database answers, for whatever watches this instance. Needs no key. */
export function mountStatus(app: FastifyInstance, deps: Deps): void {
  for (const version of API_VERSIONS) {
    const url = `/api/v${version}/status/`;
    redirectToSlash(app, url);
    app.route({
      method: app.supportedMethods,
      url,
      handler: async (request, reply) => {
        if (!SAFE_METHODS.includes(request.method)) {
          return reply
            .code(405)
            .header('allow', SAFE_METHODS.join(', '))
            .send({ error: 'method not allowed' });
        }
        try {
          await probeDatabase(deps);
          return reply.type('text/html; charset=utf-8').send('OK');
        } catch (error) {
          // Clients know 500 here for whatever is wrong with the database, also while it restarts.
          request.log.warn({ event: 'database.unreachable', err: error });
          return reply.code(500).send({ error: 'the database does not answer' });
        }
      },
    });
  }
}
