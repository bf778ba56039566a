import type { Revision } from '../driver.ts';
import type { HeldCheck } from '../store.ts';

/** Checks that are remembered: those that are pinged again and again, not all there are. */
const MOST_KNOWN = 5_000;

/**
 * Checks as batches of pings have read and left them, so that the next batch need not read them again. They are true
 * as long as nobody else has written to the database, and forgotten otherwise, whatever it was that was written. Only a
 * driver that knows of every writer can tell: one that cannot has no revisions, and nothing is remembered.
 */
export class KnownChecks {
  readonly #checks = new Map<string, HeldCheck>();
  #trueAt: Revision | null = null;

  /** To be called in a transaction, before anything is asked. */
  enter(revision: Revision): void {
    const isTrue = this.#trueAt?.own === revision.own && this.#trueAt.others === revision.others;
    if (!isTrue) this.#checks.clear();
    // If this transaction is rolled back, none will ever begin at that revision.
    this.#trueAt = { own: revision.own + 1, others: revision.others };
  }

  get(uuid: string): HeldCheck | undefined {
    return this.#checks.get(uuid);
  }

  remember(check: HeldCheck): void {
    if (this.#checks.size >= MOST_KNOWN && !this.#checks.has(check.uuid)) this.#checks.clear();
    this.#checks.set(check.uuid, check);
  }
}
