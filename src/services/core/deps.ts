import type { AccountLimits } from '../../domain/people/account.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { Vault } from '../../lib/vault.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { Store } from '../../storage/store.ts';
import type { Reads } from './reads.ts';

/** Every service function gets these: the store, and the only sources of time, chance and secrets. */
export interface Deps {
  readonly store: Store;
  /** Answers what takes too long for the thread that answers pings. */
  readonly reads: Reads;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  /** Storage for long bodies of pings. Null keeps them in the database. */
  readonly objects: ObjectStore | null;
  /** Limits of accounts that have none of their own. */
  readonly defaultLimits: AccountLimits;
}
