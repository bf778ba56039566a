import { API_VERSIONS } from '../../wire/api/version.ts';
import type { ApiKeyOperation, Method, Route, RouteOperations } from '../route.ts';

/** What can be done at a path of the API with a key of a project. */
export type Operation = Omit<ApiKeyOperation, 'auth'>;

export type Operations = Partial<Record<Method, Operation>>;

/** One path of the API and what can be done there. */
export interface Endpoint {
  /** Below `/api/vN`. A path that ends in a slash also redirects from the form without it. */
  readonly path: string;
  readonly operations: Operations;
  /** Where a check may be named by its unique key: what can be done with it then. */
  readonly operationsByUniqueKey?: Operations;
}

/** The endpoint under every version, open to scripts of any origin. */
export function endpointRoute({ path, operations, operationsByUniqueKey }: Endpoint): Route {
  return {
    path,
    versions: API_VERSIONS,
    cors: true,
    operations: withApiKey(operations),
    ...(operationsByUniqueKey !== undefined && { operationsByUniqueKey: withApiKey(operationsByUniqueKey) }),
  };
}

function withApiKey(operations: Operations): RouteOperations {
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [method, { auth: 'api_key', ...operation }]),
  );
}
