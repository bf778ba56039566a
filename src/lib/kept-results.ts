import { SharedCache } from './shared-cache.ts';
import { SharedRuns } from './shared-runs.ts';

export interface KeptResultsOptions<Result> {
  readonly maxSize: number;
  /** Without it the size is the number of results. */
  readonly sizeOf?: (result: Result) => number;
  /** When too much is kept, the owner of the most loses a result. Without it all have the same owner. */
  readonly ownerOf?: (result: Result) => number | null;
  /** Whether the result is what making it now would give. */
  readonly isTrue: (result: Result) => boolean;
}

/**
 * Keeps results for as long as they are true. A result that is not there is made once for all who ask at the same time,
 * and only one is made for each key at a time. Nobody gets a result that was made before they asked, unless it is still
 * true.
 */
export class KeptResults<Result> {
  readonly #isTrue: (result: Result) => boolean;
  readonly #kept: SharedCache<string, Result, number | null>;
  readonly #runs = new SharedRuns<Result>();

  constructor({ ownerOf = () => null, isTrue, ...sizes }: KeptResultsOptions<Result>) {
    this.#isTrue = isTrue;
    this.#kept = new SharedCache({ ...sizes, ownerOf });
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `make` is given the result that was kept and is not true any more. */
  async get(key: string, make: (outdated: Result | undefined) => Promise<Result>): Promise<Result> {
    const kept = this.#kept.find(key);
    if (kept !== undefined && this.#isTrue(kept)) return kept;
    return this.#runs.run(key, async () => {
      // The run before this one may have made the result for those who waited for it.
      const latest = this.#kept.find(key);
      if (latest !== undefined && this.#isTrue(latest)) return latest;
      this.#kept.delete(key);
      const made = await make(latest);
      this.#kept.set(key, made);
      return made;
    });
  }
}
