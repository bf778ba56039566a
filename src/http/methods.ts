import type { Route, RouteOperation, RouteOperations } from './route.ts';

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
