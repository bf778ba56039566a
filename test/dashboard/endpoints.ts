import type { AccountPermission, Permission } from '../../src/domain/permission.ts';
import { dashboardRoutes } from '../../src/http/dashboard/routes.ts';
import { SITE, type TestApp } from '../app.ts';

/** No row has this UUID. */
export const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';

/** One method of one path of the dashboard's API. */
export interface Endpoint {
  readonly method: string;
  /** Below `/dashboard/api`, with a UUID that no row has wherever the path names something. */
  readonly path: string;
  /** On the account. Null for visitors, and in a project. */
  readonly permission: AccountPermission | null;
  /** In the project that the path names. */
  readonly inProject: Permission | null;
  /** Whether the path names something besides the project. */
  readonly namesMore: boolean;
  /** The path of a project. `other` is the UUID of whatever else it names. */
  of(projectUuid: string, other?: string): string;
}

/** An endpoint in a project. */
export type ProjectEndpoint = Endpoint & { readonly inProject: Permission };

/** All endpoints, as the routes list them. */
export function endpointsOf(app: TestApp): Endpoint[] {
  return dashboardRoutes(app.node.accounts, SITE, app.node.http.instance).flatMap(
    ({ path: route, operations }) => {
      const of = (projectUuid: string, other = UUID) =>
        route
          .replace('/dashboard/api', '')
          .replace(/:project\([^)]*\)/, projectUuid)
          .replaceAll(/:\w+\([^)]*\)/g, other);
      return Object.entries(operations).map(([method, operation]) => ({
        method,
        path: of(UUID),
        permission: operation.auth === 'session' ? operation.permission : null,
        inProject: operation.auth === 'member' ? operation.permission : null,
        namesMore: /:(?!project)\w+\(/.test(route),
        of,
      }));
    },
  );
}

export function projectEndpointsOf(app: TestApp): ProjectEndpoint[] {
  return endpointsOf(app).flatMap(({ inProject, ...rest }) =>
    inProject === null ? [] : [{ ...rest, inProject }],
  );
}
