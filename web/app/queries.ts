import { queryOptions } from '@tanstack/react-query';
import type { AccountJson } from '../../src/wire/dashboard/account-output.ts';
import type { CheckHeadJson } from '../../src/wire/dashboard/check-board-output.ts';
import type { EntranceJson } from '../../src/wire/dashboard/entrance-output.ts';
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

/** The pulse and the troubles of a project, as they stand above its list of checks. */
export const headQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'checks', 'head'],
    queryFn: () => get<CheckHeadJson>(`/projects/${project}/checks/head`),
  });
