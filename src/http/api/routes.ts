import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../services/deps.ts';
import type { Site } from '../../wire/api/check-output.ts';
import { checksEndpoint } from './checks.ts';
import { mountEndpoint } from './endpoint.ts';
import { mountStatus } from './status.ts';

/** Every path of the management API, in all its versions. */
export function mountApi(app: FastifyInstance, deps: Deps, site: Site): void {
  for (const endpoint of [checksEndpoint(deps, site)]) mountEndpoint(app, deps, endpoint);
  mountStatus(app, deps);
}
