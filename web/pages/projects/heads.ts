import { queryOptions } from '@tanstack/react-query';
import type { CheckDetailListJson } from '../../../src/wire/dashboard/check-board-output.ts';
import { get } from '../../app/api.ts';

/** Projects whose pulse is shown at once. The others show their counts, and are found by searching. */
export const MAX_PULSES = 30;

/** Why these checks are in trouble, and who was told. */
export const causesQuery = (project: string, keys: readonly string[]) =>
  queryOptions({
    queryKey: ['project', project, 'checks', 'causes', keys],
    queryFn: () => get<CheckDetailListJson>(`/projects/${project}/checks/details?checks=${keys.join(',')}`),
    enabled: keys.length > 0,
  });
