import type { Deps } from '../core/deps.ts';

/** More are not counted but estimated: the start must not take longer the more there are. */
const MAX_COUNTED = 10_000;

export interface Count {
  readonly count: number;
  readonly isEstimate: boolean;
}

/** How many checks or projects there are. */
export async function countWatched(
  { store }: Pick<Deps, 'store'>,
  table: 'checks' | 'projects',
): Promise<Count> {
  const count = await store[table].count(MAX_COUNTED);
  if (count < MAX_COUNTED) return { count, isEstimate: false };
  return { count: Math.max(count, await store.instance.estimatedRows(table)), isEstimate: true };
}
