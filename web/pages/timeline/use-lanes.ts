import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { LaneJson } from '../../../src/views/timeline-json.ts';
import { query } from '../../app/read.ts';
import type { Shown } from './axis.ts';

const byKey = (lanes: readonly LaneJson[]) => new Map(lanes.map((lane) => [lane.key, lane]));

/** Past and expected runs of these checks, by their keys. They are read while somebody sees them. */
export function useLanes(
  project: string,
  keys: readonly string[],
  { from, until }: Shown,
  isSeen: boolean,
): ReadonlyMap<string, LaneJson> | undefined {
  return useQuery({
    ...query.timelineLanes({ project, from, until, keys: [...keys] }),
    select: byKey,
    placeholderData: keepPreviousData,
    enabled: isSeen && keys.length > 0,
  }).data;
}
