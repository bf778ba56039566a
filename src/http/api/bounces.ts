import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_REPORT_SCAN } from '../../lib/mime/delivery-report.ts';
import { type BounceOutcome, receiveBounce } from '../../services/bounces.ts';
import type { Deps } from '../../services/deps.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import type { DocumentedOperation } from '../../wire/openapi/document.ts';
import * as docs from '../../wire/openapi/operations/instance.ts';
import { DOCUMENTED_BASE } from '../docs/documented.ts';
import { type DrainLimits, readPingBody } from '../ping/request-body.ts';
import { sendMethodNotAllowed } from '../replies.ts';
import { redirectToSlash } from './endpoint.ts';

const PATH = '/bounces/';

/** As much as a mail server takes, within the time of most requests; what is longer loses its connection. */
const DRAIN_LIMITS: DrainLimits = { bytes: 32 * 1024 * 1024, millis: 20_000, totalMillis: 20_000 };

const ANSWERS: Readonly<Record<BounceOutcome, string>> = {
  recorded: 'OK',
  bad_signature: 'OK (bad signature)',
  ignored: 'OK (ignored)',
  delivery_not_found: 'OK (notification not found)',
  account_not_found: 'OK (user not found)',
};

/**
 * Where a mail server posts what it was given back. Whatever it is, the answer is 200: the server must not keep it
 * and try again, and cannot do anything about it.
 */
export function mountBounces(app: FastifyInstance, deps: Deps): DocumentedOperation {
  for (const version of API_VERSIONS) {
    const url = `/api/v${version}${PATH}`;
    redirectToSlash(app, url);
    app.route({
      method: app.supportedMethods,
      url,
      config: { takesBody: true },
      onRequest: async (request, reply) => {
        if (request.method !== 'POST') return sendMethodNotAllowed(reply, ['POST']);
      },
      handler: takeBounce(deps),
    });
  }
  return { path: DOCUMENTED_BASE + PATH, method: 'POST', access: 'open', doc: docs.reportBounce };
}

function takeBounce(deps: Deps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { bytes, isEndless } = await readPingBody(
      request.raw,
      MAX_REPORT_SCAN,
      DRAIN_LIMITS,
      request.server.keylessBodyBudget,
      // A client that went away in the middle has said nothing.
    ).catch(() => ({ bytes: null, isEndless: false }));
    if (isEndless) reply.header('connection', 'close');
    const outcome = await receiveBounce(deps, bytes ?? new Uint8Array()).finally(() =>
      request.server.keylessBodyBudget.give(bytes?.length ?? 0),
    );
    return reply.type('text/html; charset=utf-8').send(ANSWERS[outcome]);
  };
}
