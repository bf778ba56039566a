import type { Clock } from './clock.ts';
import type { Micros } from './instant.ts';

/**
 * The answer to a question that anybody may ask as often as they like. Whoever asks while it is being found out, or soon
 * after, gets the same, failures included: never are two under way.
 */
export class SharedAnswer<T> {
  readonly #find: () => Promise<T>;
  readonly #freshFor: Micros;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #answer: Promise<T> | null = null;
  /** By the monotonic clock; null as long as it is being found out. */
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

/** The same, but a failure once it has taken so long. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} milliseconds`)), ms);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
