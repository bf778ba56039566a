import { projectMetrics } from '../../reading/lists.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { ProjectMetrics } from '../../services/public/project-metrics.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/metrics.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import { type Route, SAFE_METHODS, type ScrapeKeyOperation } from '../route.ts';

/**
 * A project's checks for a Prometheus server. The project in the path is only information for people: the read-only key
 * determines the project.
 */
export function prometheusRoutes(deps: Deps, reads: Reads): Route[] {
  const metrics = new ProjectMetrics(deps, (actor) => reads.ask(projectMetrics, { actor }));
  const handle: ScrapeKeyOperation['handle'] = async ({ actor }) => ({
    status: 200,
    contentType: 'text/plain',
    ...(await metrics.textFor(actor)),
  });
  const route = (rest: string, auth: ScrapeKeyOperation['auth'], doc: OperationDoc): Route => ({
    path: `/projects/:project(${UUID_PATTERN})${rest}`,
    cors: false,
    likeGet: SAFE_METHODS,
    operations: { GET: { auth, doc, permission: 'metrics.view', handle } },
  });
  return [
    route('/metrics/', 'bearer_key', docs.scrapeProject),
    route(`/metrics/:key(${TOKEN})`, 'path_key', docs.scrapeProjectByUrl),
    route(`/checks/metrics/:key(${TOKEN})`, 'path_key', docs.scrapeChecksByUrl),
  ];
}
