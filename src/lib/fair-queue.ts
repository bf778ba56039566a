import { Shares } from './shares.ts';

export interface FairQueueOptions {
  /** Items that may wait in all. Each owner has a share of it. */
  readonly maxQueued: number;
  /** Items of this owner come first and are never refused. The owner bounds them itself. */
  readonly urgentOwner?: string;
}

interface Entry<Item> {
  readonly item: Item;
  /** False for an item that was added without regard to the shares. */
  readonly hasPlace: boolean;
}

/**
 * A bounded queue in which owners take turns: each owner's items keep their order, and an owner with many items delays
 * others by one item a round.
 */
export class FairQueue<Item> {
  readonly #urgentOwner: string | undefined;
  readonly #places: Shares<string>;
  /** Owners with waiting items, the one whose turn it is first: a Map keeps insertion order. */
  readonly #byOwner = new Map<string, Entry<Item>[]>();
  #length = 0;

  constructor({ maxQueued, urgentOwner }: FairQueueOptions) {
    this.#urgentOwner = urgentOwner;
    this.#places = new Shares(maxQueued);
  }

  get length(): number {
    return this.#length;
  }

  /** Returns false, and queues nothing, when the owner has its share of the queue. */
  add(owner: string, item: Item): boolean {
    if (owner === this.#urgentOwner) this.addAnyway(owner, item);
    else if (this.#places.take(owner)) this.#push(owner, { item, hasPlace: true });
    else return false;
    return true;
  }

  /** For items that are never refused. The caller bounds them itself. */
  addAnyway(owner: string, item: Item): void {
    this.#push(owner, { item, hasPlace: false });
  }

  #push(owner: string, entry: Entry<Item>): void {
    const entries = this.#byOwner.get(owner);
    if (entries === undefined) this.#byOwner.set(owner, [entry]);
    else entries.push(entry);
    this.#length++;
  }

  /** Takes the next item of an owner that may have one; the owner goes to the end of the round. */
  take(mayTake: (owner: string) => boolean = () => true): Item | undefined {
    const owner = this.#nextOwner(mayTake);
    if (owner === undefined) return undefined;
    const entries = this.#byOwner.get(owner) ?? [];
    const entry = entries.shift();
    this.#byOwner.delete(owner);
    if (entries.length > 0) this.#byOwner.set(owner, entries);
    if (entry?.hasPlace === true) this.#places.giveBack(owner);
    this.#length--;
    return entry?.item;
  }

  #nextOwner(mayTake: (owner: string) => boolean): string | undefined {
    const urgentOwner = this.#urgentOwner;
    if (urgentOwner !== undefined && this.#byOwner.has(urgentOwner)) return urgentOwner;
    return this.#byOwner.keys().find(mayTake);
  }
}
