import type { Revision } from '../driver.ts';
import type { HeldCheck } from '../store.ts';

/** Checks that are remembered: those that are pinged again and again, not all there are. */
const MAX_KNOWN = 5_000;

/**
 * Checks as batches of pings have left them, so that the next batch need not read them again. They are true as long as
 * nobody has written checks in any other way, and forgotten otherwise, whatever it was that was written. Only a driver
 * that knows of every writer can tell: one that cannot has no revisions, and nothing is remembered.
 */
export class KnownChecks {
  readonly #checks = new Map<string, HeldCheck>();
  #trueAt: Revision | null = null;

  /** To be called in a transaction that began at this revision, before anything is asked. */
  enter(revision: Revision): void {
    if (!isSame(this.#trueAt, revision)) this.#checks.clear();
    this.#trueAt = revision;
  }

  get(uuid: string): HeldCheck | undefined {
    return this.#checks.get(uuid);
  }

  /** As the transaction that began at this revision leaves them, unless it writes more. */
  remember(checks: readonly HeldCheck[], revision: Revision): void {
    if (!isSame(this.#trueAt, revision)) this.#checks.clear();
    for (const check of checks) {
      if (this.#checks.size >= MAX_KNOWN && !this.#checks.has(check.uuid)) this.#checks.clear();
      this.#checks.set(check.uuid, check);
    }
    // If it is rolled back, none will ever begin at that revision.
    this.#trueAt = { own: revision.own + 1, others: revision.others };
  }

  /** To be called when checks are written in any other way. */
  forget(): void {
    this.#checks.clear();
    this.#trueAt = null;
  }
}

function isSame(one: Revision | null, other: Revision): boolean {
  return one?.own === other.own && one.others === other.others;
}
