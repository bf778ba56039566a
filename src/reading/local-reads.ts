import type { PiecewiseAnswer } from '../lib/answering-threads.ts';
import type { Clock } from '../lib/clock.ts';
import type { Read, Reads } from '../services/core/reads.ts';
import { answer, questionOf, type ReadingDeps } from './answer.ts';
import type { CheckListsOptions } from './check-list.ts';
import { type Keeper, keepersOf } from './keepers.ts';

/** Answers on the calling thread. For a node whose clock or database exists only on that thread. */
export class LocalReads implements Reads {
  readonly #deps: ReadingDeps;
  readonly #clock: Clock;

  constructor(deps: Omit<ReadingDeps, Keeper> & CheckListsOptions, clock: Clock) {
    this.#deps = { ...deps, ...keepersOf(deps, deps) };
    this.#clock = clock;
  }

  async ask<Asked, Head>(read: Read<Asked, Head>, asked: Asked): Promise<PiecewiseAnswer<Head>> {
    let made = await answer(this.#deps, questionOf(read, asked, this.#clock));
    while ('next' in made) made = await made.next();
    const { head, first, rest } = made;
    async function* pieces() {
      yield first;
      if (rest !== null) yield* { [Symbol.asyncIterator]: () => rest };
    }
    // The read determines the type of the head.
    return { head: head as Head, pieces: pieces() };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
