import { queryOptions } from '@tanstack/react-query';
import type { AccountJson } from '../../src/wire/dashboard/account-output.ts';
import type { CheckHeadJson } from '../../src/wire/dashboard/check-board-output.ts';
import type { EntranceJson } from '../../src/wire/dashboard/entrance-output.ts';
import type { OfferJson, ProjectJson, ProjectListJson } from '../../src/wire/dashboard/project-output.ts';
import type { SignedInJson } from '../../src/wire/dashboard/session-output.ts';
import { get } from './api.ts';

/*
 * The first word of a key says what it is about, and an id follows: ['project', uuid, …] for what belongs to a project,
 * ['check', uuid, …] for what belongs to a check. Live updates and changes make stale what begins with such a key;
 * live/queries.ts says which.
 */

/** Which ways to sign in there are. */
export const entranceQuery = queryOptions({
  queryKey: ['entrance'],
  queryFn: () => get<EntranceJson>('/entrance'),
});

/** Who is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => get<SignedInJson>('/session'),
});

/** The account of the person, with what they prefer. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => get<AccountJson>('/account'),
});

/** All projects of the person, with counts of their checks. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: () => get<ProjectListJson>('/projects'),
  meta: { isTitle: true },
  // Checks become late by time alone, of which nobody tells.
  refetchInterval: 60_000,
});

/** One project, and what the person may do in it. */
export const projectQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['project', uuid],
    queryFn: () => get<ProjectJson & { readonly offer: OfferJson | null }>(`/projects/${uuid}`),
  });

/** The pulse and the troubles of a project, as they stand above its list of checks. */
export const headQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'checks', 'head'],
    queryFn: () => get<CheckHeadJson>(`/projects/${project}/checks/head`),
  });
