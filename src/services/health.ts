import type { Deps } from './deps.ts';

/** Resolves when the database answers a query, throws when it does not. */
export async function probeDatabase(deps: Pick<Deps, 'store'>): Promise<void> {
  await deps.store.probe();
}
