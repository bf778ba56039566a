/** Statements of a transaction that were sent and whose answers have not been awaited yet. */
export class Sent {
  /** Null for a statement that succeeded or has no answer yet. */
  readonly #failures: ({ readonly error: unknown } | null)[] = [];
  readonly #answers: Promise<void>[] = [];

  /** The known failure of the statement that was sent first. */
  get failure(): { readonly error: unknown } | null {
    return this.#failures.find((failure) => failure !== null) ?? null;
  }

  add(answer: Promise<unknown>): void {
    const index = this.#failures.push(null) - 1;
    this.#answers.push(
      answer.then(
        () => undefined,
        (error: unknown) => {
          this.#failures[index] = { error };
        },
      ),
    );
  }

  async haveSucceeded(): Promise<void> {
    await Promise.all(this.#answers);
    if (this.failure !== null) throw this.failure.error;
  }
}
