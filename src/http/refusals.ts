import type { Logger } from 'pino';

/** Counts what is refused for lack of room, to tell of it now and then: a line for each would be a flood of its own. */
export class Refusals {
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  add(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** One line for each reason since the last time. */
  tell(): void {
    for (const [reason, count] of this.#counts) this.#log.warn({ event: 'http.refused', reason, count });
    this.#counts.clear();
  }
}
