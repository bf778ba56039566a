import { query } from '../../app/read.ts';

/** Projects whose pulse is shown at once. The others show their counts, and are found by searching. */
export const MAX_PULSES = 30;

/** Why these checks are in trouble, and who was told. */
export const causesQuery = (project: string, keys: readonly string[]) => ({
  ...query.checkDetails({ project, keys: [...keys] }),
  enabled: keys.length > 0,
});
