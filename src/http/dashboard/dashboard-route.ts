import type { Method, Route, SessionOperation, VisitorOperation } from '../route.ts';

/** Apart from `/api/`, whose versions are for programs. This API belongs to the page and changes with it. */
const BASE = '/dashboard/api';

/** What people see must neither stay in a cache nor be loaded by a page of another site. */
const HEADERS = { 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' };

/** A path of the dashboard's own API. No script of another origin may call it. */
export function dashboardRoute(
  path: string,
  operations: Partial<Record<Method, SessionOperation | VisitorOperation>>,
): Route {
  return { path: BASE + path, cors: false, operations, headers: () => HEADERS };
}

/** An operation for people who are signed in. */
export function forPeople(
  permission: SessionOperation['permission'],
  handle: SessionOperation['handle'],
): SessionOperation {
  return { auth: 'session', permission, handle };
}

/** An operation for anybody. */
export function forVisitors(handle: VisitorOperation['handle']): VisitorOperation {
  return { auth: 'visitor', handle };
}
