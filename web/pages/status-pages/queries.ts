import { queryOptions } from '@tanstack/react-query';
import type { ListedStatusPageJson, StatusPageJson } from '../../../src/wire/dashboard/status-page-output.ts';
import { get } from '../../app/api.ts';

export const statusPagesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'status-pages'],
    queryFn: () =>
      get<{ readonly pages: readonly ListedStatusPageJson[] }>(`/projects/${project}/status-pages`),
  });

export const statusPageQuery = (project: string, page: string) =>
  queryOptions({
    queryKey: ['project', project, 'status-pages', page],
    queryFn: () => get<StatusPageJson>(`/projects/${project}/status-pages/${page}`),
  });
