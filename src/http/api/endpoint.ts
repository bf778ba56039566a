import { API_VERSIONS } from '../../wire/api/version.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import type { ApiKeyOperation, Method, Route, RouteOperations } from '../route.ts';

/** An operation that needs a key of a project. */
export type Operation = Omit<ApiKeyOperation, 'auth'>;

export type Operations = Partial<Record<Method, Operation>>;

/** An operation that needs a key with the permission. */
export function withKey(
  doc: OperationDoc,
  permission: Operation['permission'],
  handle: Operation['handle'],
): Operation {
  return { doc, permission, handle };
}

/** One path of the API and its operations. */
export interface Endpoint {
  /** Below `/api/vN`. If it ends in a slash, the path without the slash redirects to it. */
  readonly path: string;
  readonly operations: Operations;
  /** The operations for a check that is named by its unique key. */
  readonly operationsByUniqueKey?: Operations;
}

/** The route of the endpoint under every version, open to scripts of any origin. */
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
