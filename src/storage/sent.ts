/** Statements of a transaction that are on their way, and whose answers nobody has waited for yet. */
export class Sent {
  /** Null for one that succeeded, or is not answered yet. */
  readonly #failures: ({ readonly error: unknown } | null)[] = [];
  readonly #answers: Promise<void>[] = [];

  /** Of those that are known, that of the statement which was sent first. */
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
