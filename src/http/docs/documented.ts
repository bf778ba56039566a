import { isGranted } from '../../domain/people/permission.ts';
import { basePath, LATEST_VERSION } from '../../wire/api/version.ts';
import type { Access, DocumentedOperation } from '../../wire/openapi/document.ts';
import { CHECK_SEGMENT } from '../path-segments.ts';
import type { Method, Route, RouteOperation } from '../route.ts';

/**
 * The route's operations as the document shows them: in the latest version. It describes differences of other versions
 * in words.
 */
export function documentedRoute(route: Route): DocumentedOperation[] {
  const { path, versions, operations, operationsByUniqueKey = operations } = route;
  const base = versions === undefined ? '' : basePath(LATEST_VERSION);
  return (Object.entries(operations) as [Method, RouteOperation][]).flatMap(([method, operation]) =>
    operation.doc === undefined
      ? []
      : {
          method,
          path: route.documentedPath ?? base + templateOf(path),
          access: accessOf(operation),
          takesUniqueKey: path.includes(CHECK_SEGMENT) && operationsByUniqueKey[method] !== undefined,
          isUnlimited: 'isUnlimited' in operation && operation.isUnlimited === true,
          doc: operation.doc,
        },
  );
}

/** Converts `/checks/:check(^…$)/pings/` to the syntax of OpenAPI: `/checks/{check}/pings/`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)(?:\(\^.*?\$\))?/g, '{$1}');
}

function accessOf(operation: RouteOperation): Access {
  switch (operation.auth) {
    case 'api_key':
      return isGranted('read_only_key', operation.permission) ? 'read' : 'write';
    case 'account_token':
    case 'project_token':
      return 'token';
    case 'bearer_key':
      return 'bearer';
    case 'metrics_key':
      return 'metrics_key';
    // For a program the secret in a path is a part of the address.
    case 'path_key':
    case 'public_token':
    case 'none':
      return 'open';
    case 'session':
    case 'member':
    case 'check_member':
    case 'visitor':
      throw new Error('the API of the dashboard is not documented');
    default:
      return operation satisfies never;
  }
}
