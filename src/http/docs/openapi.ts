import type { FastifyInstance } from 'fastify';
import { type DocumentedOperation, groupsOf, openApiDocument } from '../../wire/openapi/document.ts';
import { getOpenApi } from '../../wire/openapi/operations/instance.ts';
import type { Site } from '../../wire/site.ts';
import { methodGate } from '../method-gate.ts';
import { DOCUMENTED_BASE } from './documented.ts';
import { mountReference } from './reference.ts';
import { REVALIDATED, type StaticFile, sendFile, staticFile } from './static-file.ts';

const URL = `${DOCUMENTED_BASE}/openapi.json`;

/** Describes the operations that are mounted: to programs as an OpenAPI document, to people as a page. */
export function mountDocs(
  app: FastifyInstance,
  site: Site,
  options: { rateLimitPerMinute: number },
  operations: readonly DocumentedOperation[],
): void {
  const itself: DocumentedOperation = { method: 'GET', path: URL, access: 'open', doc: getOpenApi };
  const described = [...operations, itself];
  let file: Promise<StaticFile> | undefined;
  app.route({
    method: app.supportedMethods,
    url: URL,
    onRequest: methodGate(['GET']),
    handler: async (request, reply) => {
      file ??= staticFile(
        'application/json',
        JSON.stringify(openApiDocument(described, { root: site.root, ...options })),
      );
      return sendFile(request, reply, await file, REVALIDATED);
    },
  });
  mountReference(app, site, URL, groupsOf(described));
}
