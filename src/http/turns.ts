/** The most requests that are answered in one turn. A turn is to take about a millisecond, and pings come in between. */
export const MAX_TOGETHER = 32;

/**
 * Lets requests that the loop receives in one turn be answered together, some at a time: they read one state of the
 * database, and their answers are written one right after the other, so that a client that receives several wakes up
 * once.
 */
export class Turns {
  readonly #shareState: () => void;
  readonly #waiting: (() => void)[] = [];
  #sending: Promise<void> | undefined;

  /** `shareState` lets all reads of one turn see one state of the database. */
  constructor(shareState: () => void) {
    this.#shareState = shareState;
  }

  /** Calls `answer` at the end of this turn, or of a later one. */
  atEnd(answer: () => void): void {
    this.#waiting.push(answer);
    if (this.#waiting.length === 1) setImmediate(() => this.#answerWaiting());
  }

  /** Resolves when all answers of this turn are there that do not wait for anything. */
  readyToSend(): Promise<void> {
    this.#sending ??= new Promise((resolve) => {
      process.nextTick(() => {
        this.#sending = undefined;
        resolve();
      });
    });
    return this.#sending;
  }

  #answerWaiting(): void {
    const waiting = this.#waiting.splice(0, MAX_TOGETHER);
    if (this.#waiting.length > 0) setImmediate(() => this.#answerWaiting());
    if (waiting.length > 1) this.#shareState();
    for (const answer of waiting) answer();
  }
}
