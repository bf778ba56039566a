import { queryOptions } from '@tanstack/react-query';
import type { SavedViewJson, SavedViewsJson } from '../../src/wire/dashboard/saved-view-output.ts';
import { get } from './api.ts';

/** Views of the list of checks that the person sees in the project. */
export const viewsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'views'],
    queryFn: async () => (await get<SavedViewsJson>(`/projects/${project}/views`)).views,
  });

/** The address of the list that a view shows. */
export const searchOfView = ({ query }: Pick<SavedViewJson, 'query'>): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(query));
