import { queryOptions } from '@tanstack/react-query';
import type { ProjectCoverageJson } from '../../../src/wire/dashboard/coverage-output.ts';
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

/** The tags of a project and the checks that match, for badges and components. */
export const coverageQuery = (project: string, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'coverage', search],
    queryFn: () => get<ProjectCoverageJson>(`/projects/${project}/coverage?q=${encodeURIComponent(search)}`),
  });
