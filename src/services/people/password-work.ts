import { AppError } from '../../domain/errors.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { HASH_OF_NOTHING, hashPassword, isPassword } from '../../lib/password.ts';
import type { Random } from '../../lib/random.ts';

export interface PasswordLimits {
  /** Passwords that are hashed at the same time. Each occupies a thread of Node's pool, and 19 MiB. */
  readonly maxConcurrentHashes: number;
  /** Passwords that wait for it. Each network has a share of it. */
  readonly maxQueuedHashes: number;
}

/** Node's pool has four threads. Two are left for files and names of hosts. */
export const PASSWORD_LIMITS: PasswordLimits = {
  maxConcurrentHashes: 2,
  maxQueuedHashes: 100,
};

export interface Requester {
  readonly network: string;
  /** Somebody who is known here, by a session or by a device, goes before strangers. */
  readonly isKnown: boolean;
}

/** The program itself, such as a command. */
export const PROGRAM: Requester = { network: '', isKnown: true };

/**
 * Hashes passwords off the main thread, a few at a time. Networks take turns, so that one that sends many passwords
 * delays others by one.
 */
export class PasswordWork {
  readonly #random: Random;
  readonly #limits: PasswordLimits;
  readonly #known: FairQueue<() => void>;
  readonly #strangers: FairQueue<() => void>;
  #running = 0;

  constructor(random: Random, limits: PasswordLimits = PASSWORD_LIMITS) {
    this.#random = random;
    this.#limits = limits;
    this.#known = new FairQueue({ maxQueued: limits.maxQueuedHashes });
    this.#strangers = new FairQueue({ maxQueued: limits.maxQueuedHashes });
  }

  hash(password: string, requester: Requester): Promise<string> {
    return this.#inTurn(requester, () => hashPassword(password, this.#random));
  }

  /** Whether the hash belongs to the password. Without a hash the answer is no, after the same work. */
  verify(password: string, hash: string | null, requester: Requester): Promise<boolean> {
    return this.#inTurn(requester, async () => {
      const isRight = await isPassword(password, hash ?? HASH_OF_NOTHING);
      return isRight && hash !== null;
    });
  }

  async #inTurn<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
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
    while (this.#running < this.#limits.maxConcurrentHashes) {
      const start = this.#known.take() ?? this.#strangers.take();
      if (start === undefined) return;
      this.#running++;
      start();
    }
  }
}
