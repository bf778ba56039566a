import { queryOptions } from '@tanstack/react-query';
import type { CheckPageJson } from '../../../src/wire/dashboard/check-page-output.ts';
import type { EventPageJson } from '../../../src/wire/dashboard/event-output.ts';
import type { PingPageJson } from '../../../src/wire/dashboard/ping-output.ts';
import { get } from '../../app/api.ts';

/** `ref` is the UUID of the check, or its unique key. */
export const checkQuery = (ref: string) =>
  queryOptions({ queryKey: ['check', ref, 'page'], queryFn: () => get<CheckPageJson>(`/checks/${ref}`) });

/** The newest events. `filter` is the query of the address. */
export const eventsQuery = (ref: string, filter: string) =>
  queryOptions({
    queryKey: ['check', ref, 'events', filter],
    queryFn: () => get<EventPageJson>(`/checks/${ref}/events?${filter}`),
  });

/** One ping. It does not change any more, and an open sheet must not change under the reader. */
export const pingQuery = (ref: string, n: number, isWhole = false) =>
  queryOptions({
    queryKey: ['check', ref, 'ping', n, isWhole],
    queryFn: () => get<PingPageJson>(`/checks/${ref}/pings/${n}${isWhole ? '?whole' : ''}`),
    meta: { live: 'never' },
    staleTime: Number.POSITIVE_INFINITY,
  });
