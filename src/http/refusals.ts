import type { Logger } from 'pino';

/** Counts refusals for lack of room and logs them from time to time: a line for each would be too many. */
export class Refusals {
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  add(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** Logs one line for each reason since the last time. */
  tell(): void {
    for (const [reason, count] of this.#counts) this.#log.warn({ event: 'http.refused', reason, count });
    this.#counts.clear();
  }
}
