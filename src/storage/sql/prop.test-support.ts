import type { Store, Writes } from '../store.ts';

/** Does the work in a transaction and rolls it back, so that the next run finds the database empty. */
export async function rolledBack(store: Store, work: (tx: Writes) => Promise<void>): Promise<void> {
  const done = new Error('rolled back');
  try {
    await store.transaction(async (tx) => {
      await work(tx);
      throw done;
    });
  } catch (error) {
    if (error !== done) throw error;
  }
}
