import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { use, useDeferredValue } from 'react';
import { read } from '../../app/read.ts';
import { PersonsTimes } from '../../ui/time.tsx';
import type { EditedPlace, Settings } from './settings.ts';

const FAR = 1e9;
/** A number that the server takes. */
export const whole = (value: number) => Math.min(FAR, Math.max(1, Math.round(value) || 1));

/**
 * The meaning of the schedule, from the server. An answer belongs to its question: a slow one does not take the place
 * of a newer one.
 */
export function usePreview(place: EditedPlace, settings: Settings) {
  const { tz: zone } = use(PersonsTimes);
  const { kind, timeout, schedule, tz, grace } = useDeferredValue(settings);
  const draft = { kind, timeout: whole(timeout), schedule, tz, grace: whole(grace), zone };
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['schedule-preview', place, draft],
    queryFn: () => read.scheduleMeaning({ ...place, ...draft }),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
  return { preview: data ?? null, isOld: isPlaceholderData };
}
