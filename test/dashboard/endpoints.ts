import { ALL_ACTS } from '../../src/acts/index.ts';
import type { AccountPermission, Permission } from '../../src/domain/people/permission.ts';
import { dashboardRoutes } from '../../src/http/dashboard/routes.ts';
import { CHECK_SEGMENT, NUMBER_SEGMENT } from '../../src/http/path-segments.ts';
import type { Field } from '../../src/lib/fields.ts';
import { ALL_VIEWS } from '../../src/views/index.ts';
import { uuidField, uuidListField } from '../../src/wire/dashboard/input.ts';
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
  /** In the project that the path names, or whose check it names. */
  readonly inProject: Permission | null;
  /** The first name in the path. */
  readonly names: 'project' | 'check';
  /** Whether the path or the input names something besides. */
  readonly namesMore: boolean;
  /** The path of that project or check. `other` is the UUID of whatever else it names. */
  of(uuid: string, other?: string): string;
  /** The fields of the input that name something, with that UUID. */
  naming(other: string): Readonly<Record<string, string | readonly string[]>>;
  /** Whether the input names several things at once. Then each of them is refused by itself. */
  readonly namesMany: boolean;
}

/** An endpoint in a project, or on a check of one. */
export type ProjectEndpoint = Endpoint & { readonly inProject: Permission };

/** All endpoints, as the routes list them. */
export function endpointsOf(app: TestApp): Endpoint[] {
  return dashboardRoutes(app.node.accounts, SITE, app.node.http).flatMap(({ path: route, operations }) => {
    const template = route.replace('/dashboard/api', '').replace(CHECK_SEGMENT, ':check(^)');
    const names = template.startsWith('/checks/:check') ? 'check' : 'project';
    const of = (uuid: string, other = UUID) =>
      template
        .replace(new RegExp(`:${names}\\([^)]*\\)`), uuid)
        .replace(NUMBER_SEGMENT, '1')
        .replaceAll(/:\w+\([^)]*\)/g, other);
    const fields = fieldsReadBy(uuidField, template);
    const lists = fieldsReadBy(uuidListField, template);
    return Object.entries(operations).map(([method, operation]) => ({
      method,
      path: of(UUID),
      permission: operation.auth === 'session' ? operation.permission : null,
      inProject:
        operation.auth === 'member' || operation.auth === 'check_member' ? operation.permission : null,
      names,
      namesMore: fields.length + lists.length > 0 || new RegExp(`:(?!${names}|n\\()\\w+\\(`).test(template),
      of,
      naming: (other) =>
        Object.fromEntries([
          ...fields.map((field) => [field, other]),
          ...lists.map((field) => [field, [other]]),
        ]),
      namesMany: lists.length > 0,
    }));
  });
}

/** The fields of an operation that are read as this one. */
function fieldsReadBy({ read: wanted }: Pick<Field<unknown>, 'read'>, path: string): string[] {
  const [, sort, name = ''] = /\/(read|do)\/(\w+)$/.exec(path) ?? [];
  const { input = {} } = (sort === 'do' ? ALL_ACTS : ALL_VIEWS).get(name) ?? {};
  return Object.entries(input).flatMap(([field, { read }]) => (read === wanted ? [field] : []));
}

export function projectEndpointsOf(app: TestApp): ProjectEndpoint[] {
  return endpointsOf(app).flatMap(({ inProject, ...rest }) =>
    inProject === null ? [] : [{ ...rest, inProject }],
  );
}
