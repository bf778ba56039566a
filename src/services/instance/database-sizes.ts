import { isSizeDue, type MeasuredSize, withSize } from '../../domain/growth.ts';
import type { Deps } from '../core/deps.ts';

const ROW = 'database_sizes';

/** Keeps the size of the database, once a day. If several nodes do so at the same time, one of their sizes is kept. */
export async function keepDatabaseSize({ store, clock }: Pick<Deps, 'store' | 'clock'>): Promise<false> {
  const at = clock.now();
  if (!isSizeDue(await readDatabaseSizes({ store }), at)) return false;
  const bytes = await store.instance.databaseBytes();
  await store.transaction(async (tx) => {
    const sizes = withSize(sizesIn(await tx.instance.get(ROW)), { at, bytes });
    await tx.instance.set(ROW, JSON.stringify(sizes));
  });
  return false;
}

/** The sizes of the last days, the oldest first. */
export async function readDatabaseSizes({ store }: Pick<Deps, 'store'>): Promise<MeasuredSize[]> {
  return sizesIn(await store.instance.get(ROW));
}

function sizesIn(row: string | null): MeasuredSize[] {
  // Only the function above writes this row.
  return row === null ? [] : (JSON.parse(row) as MeasuredSize[]);
}
