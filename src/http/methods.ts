import type { IncomingMessage } from 'node:http';
import type { Route, RouteOperation, RouteOperations } from './route.ts';

/** Stands for all methods that no path answers. */
const OTHER_METHOD = 'TRACE';

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'];

/**
 * The method under which the router knows each path: a path refuses methods by itself, so that the router must find it by
 * any of them. With five more the router takes three times as long at the start.
 */
export const ROUTED_METHOD = 'GET';

const OWN_METHOD = Symbol('method of the request');

type RoutedRequest = IncomingMessage & { [OWN_METHOD]?: string };

/** Before a request is routed. */
export function hideMethod(request: RoutedRequest): void {
  const { method = OTHER_METHOD } = request;
  request[OWN_METHOD] = METHODS.includes(method) ? method : OTHER_METHOD;
  request.method = ROUTED_METHOD;
}

/** After it was routed, or could not be. */
export function showMethod(request: RoutedRequest): void {
  const method = request[OWN_METHOD];
  if (method !== undefined) request.method = method;
}

/** The operations of a path by method. */
export function operationsByMethod(
  { likeGet = [] }: Route,
  operations: RouteOperations,
): Map<string, RouteOperation> {
  const byMethod = new Map<string, RouteOperation>(Object.entries(operations));
  if (operations.GET !== undefined) for (const method of likeGet) byMethod.set(method, operations.GET);
  return byMethod;
}

/** The methods that a path answers. */
export function allowedMethods({ cors }: Route, byMethod: ReadonlyMap<string, RouteOperation>): string[] {
  return [...byMethod.keys(), ...(cors ? ['OPTIONS'] : [])];
}

/** The headers that let scripts of any origin call the path. */
export function corsHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'X-Api-Key',
    'access-control-allow-methods': methods.join(', '),
    'access-control-max-age': '600',
  };
}
