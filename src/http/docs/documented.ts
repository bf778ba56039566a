import { isGranted } from '../../domain/permission.ts';
import { API_VERSIONS } from '../../wire/api/version.ts';
import type { DocumentedOperation } from '../../wire/openapi/document.ts';
import type { Endpoint, Method, Operation } from '../api/endpoint.ts';
import { CHECK_SEGMENT } from '../path-segments.ts';

/** The version that the document describes; what is different in the others, it says in words. */
export const DOCUMENTED_BASE = `/api/v${Math.max(...API_VERSIONS)}`;

/** The endpoint's operations as the document has them. */
export function documentedEndpoint({
  path,
  operations,
  operationsByUniqueKey = operations,
}: Endpoint): DocumentedOperation[] {
  return (Object.entries(operations) as [Method, Operation][]).map(([method, { permission, doc }]) => ({
    method,
    path: DOCUMENTED_BASE + templateOf(path),
    access: isGranted('read_only_key', permission) ? 'read' : 'write',
    takesUniqueKey: path.includes(CHECK_SEGMENT) && operationsByUniqueKey[method] !== undefined,
    doc,
  }));
}

/** `/checks/:check(^…$)/pings/` as OpenAPI writes it: `/checks/{check}/pings/`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)(?:\(\^.*?\$\))?/g, '{$1}');
}
