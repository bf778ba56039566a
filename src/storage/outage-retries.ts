import { isOutage } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { MICROS_PER_SECOND, type Micros, seconds } from '../lib/instant.ts';
import { pause, type Timers } from '../lib/timers.ts';
import type { StorageProgress } from './progress.ts';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
/** People are told this often that the program still waits. */
const TELL_EVERY: Micros = seconds(5);

export interface OutageRetriesOptions {
  /** The database as people know it. */
  readonly database: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'callAfter'>;
  readonly tell: (progress: StorageProgress) => void;
  /** When an outage has lasted this long, its failure is thrown. */
  readonly maxSeconds: number;
  /** When it is aborted, the failure of an outage is thrown at once. */
  readonly signal?: AbortSignal | undefined;
}

interface Outage {
  readonly since: Micros;
  toldAt: Micros;
  pauseMs: number;
}

/**
 * Repeats the work of a starting program while the database cannot be used. A start has no client that could come
 * again, and a database that starts together with the program, or a busy machine, only needs time. A permanent fault,
 * such as a wrong password, is thrown at once.
 */
export class OutageRetries {
  readonly #options: OutageRetriesOptions;
  #outage: Outage | null = null;

  constructor(options: OutageRetriesOptions) {
    this.#options = options;
  }

  /** `work` must be repeatable. `isRetried` can exclude outages that the caller handles itself. */
  async run<T>(work: () => Promise<T>, isRetried: (error: unknown) => boolean = () => true): Promise<T> {
    for (;;) {
      const begunAt = this.#options.clock.monotonic();
      try {
        const result = await work();
        this.#end();
        return result;
      } catch (error) {
        if (!isOutage(error) || !isRetried(error)) throw error;
        await this.#waitAfter(error, begunAt);
      }
    }
  }

  async #waitAfter(error: Error, begunAt: Micros): Promise<void> {
    const { clock, timers, tell, database, maxSeconds, signal } = this.#options;
    this.#outage ??= { since: begunAt, toldAt: Number.NEGATIVE_INFINITY, pauseMs: FIRST_PAUSE_MS };
    const outage = this.#outage;
    const now = clock.monotonic();
    if (this.#isStopping || now - outage.since >= seconds(maxSeconds)) throw error;
    if (now - outage.toldAt >= TELL_EVERY) {
      outage.toldAt = now;
      tell({ event: 'database.waiting', database, seconds: this.#lasted(outage), reason: error.message });
    }
    const pauseMs = outage.pauseMs;
    outage.pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    await pause(timers, pauseMs, signal);
    if (this.#isStopping) throw error;
  }

  get #isStopping(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  #end(): void {
    if (this.#outage === null) return;
    const { tell, database } = this.#options;
    tell({ event: 'database.answering', database, seconds: this.#lasted(this.#outage) });
    this.#outage = null;
  }

  #lasted({ since }: Outage): number {
    return Math.round((this.#options.clock.monotonic() - since) / MICROS_PER_SECOND);
  }
}
