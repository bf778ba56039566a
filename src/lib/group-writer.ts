interface Waiting<Item> extends PromiseWithResolvers<void> {
  readonly item: Item;
}

/**
 * Writes items in groups, one transaction for each group. Items that arrive during a write form the next group. There is no
 * timer to wait for.
 */
export class GroupWriter<Item> {
  readonly #writeAll: (items: readonly Item[]) => Promise<void>;
  #waiting: Waiting<Item>[] = [];
  #isWriting = false;

  constructor(writeAll: (items: readonly Item[]) => Promise<void>) {
    this.#writeAll = writeAll;
  }

  /** Resolves when the item is written. */
  write(item: Item): Promise<void> {
    const waiting = { item, ...Promise.withResolvers<void>() };
    this.#waiting.push(waiting);
    if (!this.#isWriting) void this.#run();
    return waiting.promise;
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#writeGroup(group);
    }
    this.#isWriting = false;
  }

  async #writeGroup(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#writeAll(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const [first, ...others] = group;
      if (others.length === 0) return first?.reject(error);
      // One bad item must not fail the others: each is written alone.
      for (const waiting of group) await this.#writeGroup([waiting]);
    }
  }
}
