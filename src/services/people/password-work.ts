import { AppError } from '../../domain/errors.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import {
  type Derive,
  derive,
  hashPassword,
  isStored,
  OWN_COST,
  type PasswordCost,
  passwordForm,
  readHash,
  remainingCost,
  type StoredPassword,
  storedNothing,
} from '../../lib/password.ts';
import type { Random } from '../../lib/random.ts';

export interface PasswordLimits {
  /** Passwords that are hashed at the same time. Each occupies a thread of Node's pool, and 19 MiB. */
  readonly maxConcurrentHashes: number;
  /** The same for hashes that other programs made. Each occupies up to 256 MiB, for seconds. */
  readonly maxConcurrentOldHashes: number;
  /** Passwords that wait for it. Each network has a share of it. */
  readonly maxQueuedHashes: number;
}

/** Node's pool has four threads. One at least is left for files and names of hosts. */
export const PASSWORD_LIMITS: PasswordLimits = {
  maxConcurrentHashes: 2,
  maxConcurrentOldHashes: 1,
  maxQueuedHashes: 100,
};

export interface Requester {
  readonly network: string;
  /** Somebody who is known here, by a session or by a device, goes before strangers. */
  readonly isKnown: boolean;
}

/** The program itself, such as a command. */
export const PROGRAM: Requester = { network: '', isKnown: true };

/** The costliest hash of each form that other programs made and accounts here may still have. */
export type OldPasswordCosts = () => Promise<readonly PasswordCost[]>;

/**
 * Hashes passwords off the main thread, a few at a time. Networks take turns, so that one that sends many passwords
 * delays others by one.
 */
export class PasswordWork {
  readonly #random: Random;
  readonly #oldCosts: OldPasswordCosts;
  readonly #derive: Derive;
  readonly #turns: Turns;
  readonly #oldTurns: Turns;

  constructor(
    random: Random,
    oldCosts: OldPasswordCosts,
    limits: PasswordLimits = PASSWORD_LIMITS,
    deriving: Derive = derive,
  ) {
    this.#random = random;
    this.#oldCosts = oldCosts;
    this.#derive = deriving;
    this.#turns = new Turns(limits.maxConcurrentHashes, limits.maxQueuedHashes);
    this.#oldTurns = new Turns(limits.maxConcurrentOldHashes, limits.maxQueuedHashes);
  }

  hash(password: string, requester: Requester): Promise<string> {
    return this.#turns.take(requester, () => hashPassword(password, this.#random));
  }

  /**
   * Whether the hash belongs to the password. A no comes after the same work whatever the hash is, and without one. While
   * accounts have hashes of other programs, that includes the work of the costliest ones.
   */
  async verify(password: string, hash: string | null, requester: Requester): Promise<boolean> {
    const stored = hash === null ? null : readHash(hash);
    const own = stored?.isOwn === true ? stored : storedNothing(OWN_COST, true);
    const old = stored?.isOwn === false ? stored : null;
    const isRight = await this.#turns.take(requester, () => isStored(password, own, this.#derive));
    if (isRight && own === stored) return true;
    const costs = await this.#oldCosts();
    if (costs.length === 0 && old === null) return false;
    return this.#oldTurns.take(requester, () => this.#isOld(password, old, costs));
  }

  async #isOld(
    password: string,
    old: StoredPassword | null,
    costs: readonly PasswordCost[],
  ): Promise<boolean> {
    if (old !== null && (await isStored(password, old, this.#derive))) return true;
    for (const whole of costs) {
      const isDone = old !== null && passwordForm(old.cost) === passwordForm(whole);
      const left = isDone ? remainingCost(whole, old.cost) : whole;
      if (left !== null) await isStored(password, storedNothing(left), this.#derive);
    }
    return false;
  }
}

/** Some work at a time. Networks take turns, and those of known people go first. */
class Turns {
  readonly #most: number;
  readonly #known: FairQueue<() => void>;
  readonly #strangers: FairQueue<() => void>;
  #running = 0;

  constructor(most: number, maxQueued: number) {
    this.#most = most;
    this.#known = new FairQueue({ maxQueued });
    this.#strangers = new FairQueue({ maxQueued });
  }

  async take<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    await this.#turn(requester);
    try {
      return await work();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  /** Resolves when the requester may begin. */
  #turn({ network, isKnown }: Requester): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = isKnown ? this.#known : this.#strangers;
    if (!queue.add(network, resolve)) throw new AppError('overloaded', undefined, { retryAfterSeconds: 1 });
    this.#startNext();
    return promise;
  }

  #startNext(): void {
    while (this.#running < this.#most) {
      const start = this.#known.take() ?? this.#strangers.take();
      if (start === undefined) return;
      this.#running++;
      start();
    }
  }
}
