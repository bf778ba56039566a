import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ChannelKindJson,
  ChannelListJson,
  ChannelTestJson,
} from '../../../src/wire/dashboard/channel-output.ts';
import { get, post } from '../../app/api.ts';

const keyOf = (project: string) => ['project', project, 'integrations'] as const;

export const channelsPath = (project: string) => `/projects/${project}/channels`;

export const channelsQuery = (project: string) =>
  queryOptions({
    queryKey: [...keyOf(project), 'list'],
    queryFn: () => get<ChannelListJson>(channelsPath(project)),
  });

/** They stay the same for as long as the service runs. */
export const kindsQuery = (project: string) =>
  queryOptions({
    queryKey: [...keyOf(project), 'kinds'],
    queryFn: () => get<{ readonly kinds: readonly ChannelKindJson[] }>(`${channelsPath(project)}/kinds`),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: 'never' },
  });

/** Everything that is known of the integrations is asked for again. */
export const refreshChannels = (queries: QueryClient, project: string) =>
  queries.invalidateQueries({ queryKey: keyOf(project) });

/** Sends a test message through a saved integration. */
export function useChannelTest(project: string, channel: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => post<ChannelTestJson>(`${channelsPath(project)}/${channel}/test`),
    onSettled: () => refreshChannels(queries, project),
  });
}
