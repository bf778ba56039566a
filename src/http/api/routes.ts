import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../services/deps.ts';
import type { SendTest } from '../../services/test-message.ts';
import type { Vitals } from '../../services/vitals.ts';
import type { DocumentedOperation } from '../../wire/openapi/document.ts';
import type { Site } from '../../wire/site.ts';
import { documentedEndpoint } from '../docs/documented.ts';
import { mountBounces } from './bounces.ts';
import { checkEndpoints } from './checks.ts';
import { deliveryEndpoints } from './deliveries.ts';
import { mountEndpoint } from './endpoint.ts';
import { historyEndpoints } from './history.ts';
import { mountInstanceEndpoints } from './instance.ts';
import { projectEndpoints } from './project.ts';
import { RateLimit } from './rate-limit.ts';

export interface ApiOptions {
  /** Requests a minute for each API key; 0 for no limit. */
  readonly rateLimitPerMinute: number;
  /** Opens the metrics of the instance; null keeps them shut. */
  readonly metricsKey: string | null;
  readonly prometheusEnabled: boolean;
}

/** Serves every path of the management API, in all its versions. What it returns is for the API reference. */
export function mountApi(
  app: FastifyInstance,
  deps: Deps,
  site: Site,
  options: ApiOptions & { readonly sendTest: SendTest; readonly vitals: Vitals },
): DocumentedOperation[] {
  const rateLimit = new RateLimit(options.rateLimitPerMinute, deps.clock);
  const endpoints = [
    ...checkEndpoints(deps, site),
    ...historyEndpoints(deps, site),
    ...projectEndpoints(deps, site),
    ...deliveryEndpoints(deps, options.sendTest),
  ];
  for (const endpoint of endpoints) mountEndpoint(app, deps, rateLimit, endpoint);
  return [
    ...endpoints.flatMap(documentedEndpoint),
    ...mountInstanceEndpoints(app, deps, options),
    mountBounces(app, deps),
  ];
}
