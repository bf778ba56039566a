import { basePath, LATEST_VERSION } from '../../wire/api/version.ts';
import { type DocumentOptions, groupsOf, openApiDocument } from '../../wire/openapi/document.ts';
import { getOpenApi } from '../../wire/openapi/operations/instance.ts';
import { PING_OPERATIONS } from '../../wire/openapi/operations/pings.ts';
import type { Site } from '../../wire/site.ts';
import type { Route } from '../route.ts';
import { documentedRoute } from './documented.ts';
import { referenceRoutes } from './reference.ts';
import { FOR_MINUTES, fileAnswer, type StaticFile, staticFile } from './static-file.ts';

const PATH = '/openapi.json';

/** Describes the routes: an OpenAPI document for programs, a page for people. */
export function docsRoutes(
  site: Site,
  options: Omit<DocumentOptions, 'root'>,
  routes: readonly Route[],
  isDemonstration: boolean,
): Route[] {
  let file: Promise<StaticFile> | undefined;
  const document: Route = {
    path: PATH,
    versions: [LATEST_VERSION],
    cors: true,
    operations: {
      GET: {
        auth: 'none',
        doc: getOpenApi,
        async handle(request) {
          file ??= staticFile(
            'application/json',
            JSON.stringify(openApiDocument(described, { ...options, root: site.root })),
          );
          return fileAnswer(request, await file, FOR_MINUTES);
        },
      },
    },
  };
  const described = [...PING_OPERATIONS, ...[...routes, document].flatMap(documentedRoute)];
  return [
    document,
    ...referenceRoutes(site, basePath(LATEST_VERSION) + PATH, groupsOf(described), isDemonstration),
  ];
}
