import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { LaneJson, LaneListJson } from '../../../src/wire/dashboard/timeline-output.ts';
import { get } from '../../app/api.ts';
import type { Shown } from './axis.ts';

/** What ran and what comes of these checks, by their keys. It is read while somebody sees it. */
export function useLanes(
  project: string,
  keys: readonly string[],
  { from, until }: Shown,
  isSeen: boolean,
): ReadonlyMap<string, LaneJson> | undefined {
  return useQuery({
    queryKey: ['project', project, 'timeline', 'lanes', from, until, keys],
    queryFn: async () => {
      const { lanes } = await get<LaneListJson>(
        `/projects/${project}/timeline?from=${from}&until=${until}&checks=${keys.join(',')}`,
      );
      return new Map(lanes.map((lane) => [lane.key, lane]));
    },
    placeholderData: keepPreviousData,
    enabled: isSeen && keys.length > 0,
  }).data;
}
