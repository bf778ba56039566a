export interface FairQueueOptions {
  /** Items that may wait in all. */
  readonly maxQueued: number;
  /** Items of one owner that may wait. */
  readonly maxQueuedPerOwner: number;
  /** Items of this owner come first and are never refused. The owner bounds them itself. */
  readonly urgentOwner?: string;
}

/**
 * A bounded queue in which owners take turns: each owner's items keep their order, and an owner with many items delays
 * others by one item a round.
 */
export class FairQueue<Item> {
  readonly #options: FairQueueOptions;
  /** Owners with waiting items, the one whose turn it is first: a Map keeps insertion order. */
  readonly #byOwner = new Map<string, Item[]>();
  #length = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns false, and queues nothing, when the queue is full or the owner has too many items in it. */
  add(owner: string, item: Item): boolean {
    const { maxQueued, maxQueuedPerOwner, urgentOwner } = this.#options;
    const items = this.#byOwner.get(owner);
    const isFull = this.#length >= maxQueued || (items?.length ?? 0) >= maxQueuedPerOwner;
    if (isFull && owner !== urgentOwner) return false;
    this.addAnyway(owner, item);
    return true;
  }

  /** For items that are never refused. The caller bounds them itself. */
  addAnyway(owner: string, item: Item): void {
    const items = this.#byOwner.get(owner);
    if (items === undefined) this.#byOwner.set(owner, [item]);
    else items.push(item);
    this.#length++;
  }

  /** Takes the next item; its owner goes to the end of the round. */
  take(): Item | undefined {
    const owner = this.#nextOwner();
    if (owner === undefined) return undefined;
    const items = this.#byOwner.get(owner) ?? [];
    const item = items.shift();
    this.#byOwner.delete(owner);
    if (items.length > 0) this.#byOwner.set(owner, items);
    this.#length--;
    return item;
  }

  #nextOwner(): string | undefined {
    const { urgentOwner } = this.#options;
    if (urgentOwner !== undefined && this.#byOwner.has(urgentOwner)) return urgentOwner;
    return this.#byOwner.keys().next().value;
  }

  /** Takes out an item that nobody wants any more. Returns whether it was there. */
  remove(owner: string, item: Item): boolean {
    const items = this.#byOwner.get(owner) ?? [];
    const index = items.indexOf(item);
    if (index === -1) return false;
    items.splice(index, 1);
    if (items.length === 0) this.#byOwner.delete(owner);
    this.#length--;
    return true;
  }
}
