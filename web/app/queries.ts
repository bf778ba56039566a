import { queryOptions } from '@tanstack/react-query';
import type { CheckHeadJson } from '../../src/wire/dashboard/check-board-output.ts';
import { get } from './api.ts';

/*
 * The first word of a key says what it is about, and an id follows: ['project', uuid, …] for what belongs to a project,
 * ['check', uuid, …] for what belongs to a check. Live updates and changes make stale what begins with such a key;
 * live/queries.ts says which.
 */

/** The pulse and the troubles of a project, as they stand above its list of checks. */
export const headQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'checks', 'head'],
    queryFn: () => get<CheckHeadJson>(`/projects/${project}/checks/head`),
  });
