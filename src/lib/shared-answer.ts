import type { Clock } from './clock.ts';
import type { Micros } from './instant.ts';

/**
 * Computes an answer at most once at a time. Callers that ask during the computation, or soon after it, share its result or
 * its failure. So anybody may ask as often as they like.
 */
export class SharedAnswer<T> {
  readonly #find: () => Promise<T>;
  readonly #freshFor: Micros;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #answer: Promise<T> | null = null;
  /** When the answer was found, by the monotonic clock. Null while it is being computed. */
  #foundAt: Micros | null = null;

  constructor(find: () => Promise<T>, freshFor: Micros, clock: Pick<Clock, 'monotonic'>) {
    this.#find = find;
    this.#freshFor = freshFor;
    this.#clock = clock;
  }

  get(): Promise<T> {
    if (this.#answer !== null && this.#isFresh()) return this.#answer;
    this.#foundAt = null;
    this.#answer = this.#find().finally(() => {
      this.#foundAt = this.#clock.monotonic();
    });
    return this.#answer;
  }

  #isFresh(): boolean {
    return this.#foundAt === null || this.#clock.monotonic() - this.#foundAt < this.#freshFor;
  }
}

/** The answer, or a failure if it takes longer than this. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} milliseconds`)), ms);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
