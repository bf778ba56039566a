import { LATEST_VERSION } from '../../wire/api/version.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import type { AccountTokenOperation, Method, ProjectTokenOperation, Route } from '../route.ts';

/** A path for programs with a token of an account. Older versions of the API have none. */
export function accountRoute(
  path: string,
  operations: Partial<Record<Method, AccountTokenOperation | ProjectTokenOperation>>,
): Route {
  return { path, versions: [LATEST_VERSION], cors: true, operations };
}

/** An operation that concerns no single project. */
export function forTokens(
  doc: OperationDoc,
  permission: AccountTokenOperation['permission'],
  handle: AccountTokenOperation['handle'],
): AccountTokenOperation {
  return { auth: 'account_token', doc, permission, handle };
}

/** An operation in the project that the path names. */
export function inProject(
  doc: OperationDoc,
  permission: ProjectTokenOperation['permission'],
  handle: ProjectTokenOperation['handle'],
): ProjectTokenOperation {
  return { auth: 'project_token', doc, permission, handle };
}
