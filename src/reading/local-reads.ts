import type { PiecewiseAnswer } from '../lib/answering-threads.ts';
import type { Clock } from '../lib/clock.ts';
import type { QuestionOf, ReadHeads, ReadQuestion, Reads } from '../services/core/reads.ts';
import { answer, type ReadingDeps } from './answer.ts';
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

  async ask<Kind extends ReadQuestion['kind']>(
    question: QuestionOf<Kind>,
  ): Promise<PiecewiseAnswer<ReadHeads[Kind]>> {
    let made = await answer(this.#deps, {
      question,
      now: this.#clock.now(),
      monotonic: this.#clock.monotonic(),
    });
    while ('next' in made) made = await made.next();
    const { head, first, rest } = made;
    async function* pieces() {
      yield first;
      if (rest !== null) yield* { [Symbol.asyncIterator]: () => rest };
    }
    // The kind of the question determines the type of the head.
    return { head: head as ReadHeads[Kind], pieces: pieces() };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
