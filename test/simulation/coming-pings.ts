/** Lets others wait for the next ping of a check. */
export class ComingPings {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when the next ping of the check is about to be sent. */
  next(uuid: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.getOrInsertComputed(uuid, () => []).push(resolve);
    });
  }

  /** A ping is about to be sent. */
  note(uuid: string): void {
    const waiting = this.#waiting.get(uuid) ?? [];
    this.#waiting.delete(uuid);
    for (const resolve of waiting) resolve();
  }
}
