import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  AssignableCheckJson,
  ChannelDeliveryJson,
  ChannelDetailsJson,
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
interface KindsJson {
  readonly kinds: readonly ChannelKindJson[];
  /** The public key to which a browser subscribes that is to be told. */
  readonly push_key: string;
}

export const kindsQuery = (project: string) =>
  queryOptions({
    queryKey: [...keyOf(project), 'kinds'],
    queryFn: () => get<KindsJson>(`${channelsPath(project)}/kinds`),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: 'never' },
  });

export const channelPath = (project: string, channel: string) => `${channelsPath(project)}/${channel}`;

/** An integration with its settings. Secrets are masked. */
export const channelQuery = (project: string, channel: string) =>
  queryOptions({
    queryKey: [...keyOf(project), channel],
    queryFn: () => get<ChannelDetailsJson>(channelPath(project, channel)),
  });

/** The latest deliveries, the newest first. */
export const deliveriesQuery = (project: string, channel: string) =>
  queryOptions({
    queryKey: [...keyOf(project), channel, 'deliveries'],
    queryFn: () =>
      get<{ readonly deliveries: readonly ChannelDeliveryJson[] }>(
        `${channelPath(project, channel)}/deliveries`,
      ),
  });

/** All checks of the project, and which of them tell the integration. */
export const channelChecksQuery = (project: string, channel: string) =>
  queryOptions({
    queryKey: [...keyOf(project), channel, 'checks'],
    queryFn: () =>
      get<{ readonly checks: readonly AssignableCheckJson[] }>(`${channelPath(project, channel)}/checks`),
  });

/** Everything that is known of the integrations is asked for again. */
export const refreshChannels = (queries: QueryClient, project: string) =>
  queries.invalidateQueries({ queryKey: keyOf(project) });

/** Sends a test message through a saved integration. */
export function useChannelTest(project: string, channel: string) {
  return useChannelAct(project, () => post<ChannelTestJson>(`${channelPath(project, channel)}/test`));
}

/** Something that is done to a saved integration. */
export function useChannelAct<Answer, Given = void>(
  project: string,
  act: (given: Given) => Promise<Answer>,
  done?: (answer: Answer) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    ...(done && { onSuccess: done }),
    onSettled: () => refreshChannels(queries, project),
  });
}
