import type { PingedCheck } from '../../domain/check/check.ts';
import type { DeclarationMode } from '../../domain/check/job-declaration.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Revision } from '../driver.ts';

/** A check as `lockMany` finds it. */
export interface HeldCheck extends PingedCheck {
  /** The time at which its deadline is looked at. It is never later than the deadline. */
  readonly alarmAt: Instant | null;
  /** How far its job may declare it. Absent if no ping has asked. */
  readonly declarationMode?: DeclarationMode;
  /** The last declaration, as `answerSeen` reads it. */
  readonly declarationSeen?: string | null;
}

/** The largest number of remembered checks. It is enough for frequently pinged checks, not for all. */
const MAX_KNOWN = 5_000;

/**
 * Remembers checks as batches of pings have left them, so that the next batch does not read them again. They are
 * forgotten as soon as anybody writes checks in another way. This needs a driver that knows of every writer. Other
 * drivers have no revisions, and nothing is remembered.
 */
export class KnownChecks {
  readonly #checks = new Map<string, HeldCheck>();
  #trueAt: Revision | null = null;

  /** Called at the start of a transaction, with its revision, before any check is requested. */
  enter(revision: Revision): void {
    if (!isSame(this.#trueAt, revision)) this.#checks.clear();
    this.#trueAt = revision;
  }

  get(uuid: string): HeldCheck | undefined {
    return this.#checks.get(uuid);
  }

  /** Remembers the checks as this transaction leaves them. Later writes of the transaction make them void. */
  remember(checks: readonly HeldCheck[], revision: Revision): void {
    if (!isSame(this.#trueAt, revision)) this.#checks.clear();
    for (const check of checks) {
      if (this.#checks.size >= MAX_KNOWN && !this.#checks.has(check.uuid)) this.#checks.clear();
      this.#checks.set(check.uuid, check);
    }
    // If the transaction is rolled back, no later one begins at that revision.
    this.#trueAt = { own: revision.own + 1, others: revision.others };
  }

  /** Called when checks are written in any other way. */
  forget(): void {
    this.#checks.clear();
    this.#trueAt = null;
  }
}

function isSame(one: Revision | null, other: Revision): boolean {
  return one?.own === other.own && one.others === other.others;
}
