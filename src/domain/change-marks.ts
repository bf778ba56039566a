import { type Micros, seconds } from '../lib/instant.ts';
import { SharedCounters } from '../lib/shared-counters.ts';
import type { Changes } from './change.ts';

/** Both change with every change of that sort. Equal marks prove that the checks are unchanged. */
export interface ProjectMarks {
  /** Any check of the project was written. */
  readonly checks: number;
  /** A check of the project may have another status, or its outage another answer, for another reason than time. */
  readonly statuses: number;
}

/**
 * Results are computed again after this time, even if the marks are equal: writes of other processes may not be
 * announced.
 */
export const MAX_KEPT_AGE: Micros = seconds(1);

/** Projects whose ids differ by a multiple of this share their marks. Then a change of one counts for the other, too. */
const SLOTS = 4_096;
const MARKS_OF_SLOT = 3;
/** One more counter, for changes of any project. */
const EVERYTHING = SLOTS * MARKS_OF_SLOT;

/**
 * Tells whether a project has changed, in memory that all threads of a node share. A change is noted after its commit
 * and before the commit is acknowledged. So a reader who finds the marks unchanged has missed no acknowledged change.
 */
export class ChangeMarks {
  readonly buffer: SharedArrayBuffer;
  readonly #counters: SharedCounters;

  constructor(buffer = SharedCounters.bufferFor(EVERYTHING + 1)) {
    this.buffer = buffer;
    this.#counters = new SharedCounters(buffer);
  }

  /** The marks at this moment. Read them before the checks. */
  of(projectId: number): ProjectMarks {
    const slot = slotOf(projectId);
    const everything = this.#counters.read(EVERYTHING);
    // All counters only grow, so a sum stays the same only if both do.
    return {
      checks: this.#counters.read(slot) + everything,
      statuses: this.#counters.read(slot + 1) + everything,
    };
  }

  /** Changes with every check and channel of the project that is written. */
  rowsOf(projectId: number): number {
    return this.#counters.read(slotOf(projectId) + 2) + this.#counters.read(EVERYTHING);
  }

  note(changes: Changes): void {
    if (changes === 'everything') {
      this.#counters.raise(EVERYTHING);
      return;
    }
    for (const { projectId, checkIds, touchesStatus } of changes) {
      const slot = slotOf(projectId);
      if (checkIds.length > 0) this.#counters.raise(slot);
      if (touchesStatus) this.#counters.raise(slot + 1);
      this.#counters.raise(slot + 2);
    }
  }
}

function slotOf(projectId: number): number {
  return (projectId % SLOTS) * MARKS_OF_SLOT;
}
