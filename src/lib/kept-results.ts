import { RecentlyUsed } from './recently-used.ts';
import { SharedRuns } from './shared-runs.ts';

export interface KeptResultsOptions<Result> {
  /** What is kept together. The result used longest ago is forgotten. */
  readonly maxSize: number;
  /** Without it the size is the number of results. */
  readonly sizeOf?: (result: Result) => number;
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
  readonly #kept: RecentlyUsed<string, Result>;
  readonly #runs = new SharedRuns<Result>();

  constructor({ maxSize, sizeOf, isTrue }: KeptResultsOptions<Result>) {
    this.#isTrue = isTrue;
    this.#kept = new RecentlyUsed(maxSize, sizeOf);
  }

  /** What is kept together at this moment. */
  get size(): number {
    return this.#kept.size;
  }

  async get(key: string, make: () => Promise<Result>): Promise<Result> {
    return (
      this.#find(key) ??
      this.#runs.run(key, async () => {
        // The run before this one may have made what those who waited for it need.
        const kept = this.#find(key);
        if (kept !== undefined) return kept;
        const made = await make();
        this.#kept.set(key, made);
        return made;
      })
    );
  }

  #find(key: string): Result | undefined {
    const kept = this.#kept.find(key);
    if (kept === undefined || this.#isTrue(kept)) return kept;
    this.#kept.delete(key);
    return undefined;
  }
}
