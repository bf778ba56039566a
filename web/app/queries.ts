import { queryOptions } from '@tanstack/react-query';
import type { EntranceJson } from '../../src/wire/dashboard/entrance-output.ts';
import type { ProjectJson } from '../../src/wire/dashboard/project-output.ts';
import type { SignedInJson } from '../../src/wire/dashboard/session-output.ts';
import { get } from './api.ts';

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

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: () => get<{ readonly projects: readonly ProjectJson[] }>('/projects'),
});
