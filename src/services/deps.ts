import type { AccountLimits } from '../domain/account.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Vault } from '../lib/vault.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Store } from '../storage/store.ts';

/** What every verb is handed: the store, and the only sources of time, chance and secrets. */
export interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  /** Where long bodies of pings are kept; null: in the database, with all the others. */
  readonly objects: ObjectStore | null;
  /** Limits of accounts for which none are given. */
  readonly defaultLimits: AccountLimits;
}
