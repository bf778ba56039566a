import { DASHBOARD_API as BASE } from '../../wire/dashboard/addresses.ts';
import { CHECK_SEGMENT, UUID_PATTERN } from '../path-segments.ts';
import type {
  CheckOperation,
  MemberOperation,
  Method,
  Route,
  SessionOperation,
  VisitorOperation,
} from '../route.ts';

/** Private data must neither stay in a cache nor be loaded by a page of another site. */
const HEADERS = { 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' };

export const PROJECT_PATH = `/projects/:project(${UUID_PATTERN})`;

/** A path of the dashboard's own API. No script of another origin may call it. */
export function dashboardRoute(
  path: string,
  operations: Partial<Record<Method, SessionOperation | VisitorOperation>>,
): Route {
  return { path: BASE + path, cors: false, operations, headers: () => HEADERS };
}

/** A path of a project. `path` follows the project's own. */
export function projectRoute(path: string, operations: Partial<Record<Method, MemberOperation>>): Route {
  return { path: BASE + PROJECT_PATH + path, cors: false, operations, headers: () => HEADERS };
}

/**
 * A path of a check. `path` follows the check's own. A check is named by its UUID, or by its unique key where people
 * must not know the UUID, with which one can ping.
 */
export function checkRoute(path: string, operations: Partial<Record<Method, CheckOperation>>): Route {
  return { path: `${BASE}/checks/${CHECK_SEGMENT}${path}`, cors: false, operations, headers: () => HEADERS };
}

/** An operation for people with a role in the project. */
export function forMembers(
  permission: MemberOperation['permission'],
  handle: MemberOperation['handle'],
): MemberOperation {
  return { auth: 'member', permission, handle };
}

/** An operation on a check, for people with a role in its project. */
export function onCheck(
  permission: CheckOperation['permission'],
  handle: CheckOperation['handle'],
): CheckOperation {
  return { auth: 'check_member', permission, handle };
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
