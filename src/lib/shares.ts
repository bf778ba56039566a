/**
 * Divides a number of places among owners. An owner may take one more place while more places are free than it holds. So
 * one owner gets half of the places at the most. With two busy owners each gets a third, and so on: an owner that holds
 * nothing finds a place, or gets the next one that is given back.
 */
export class Shares<Owner> {
  readonly #total: number;
  readonly #held = new Map<Owner, number>();
  #free: number;

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#total - this.#free;
  }

  /** The number of places that the owner may still take now. */
  roomFor(owner: Owner): number {
    return Math.max(0, Math.ceil((this.#free - this.heldBy(owner)) / 2));
  }

  heldBy(owner: Owner): number {
    return this.#held.get(owner) ?? 0;
  }

  /** The owners that hold places and may not take another one now. */
  fullOwners(): Owner[] {
    return [...this.#held.keys()].filter((owner) => this.roomFor(owner) === 0);
  }

  /** The number of places for each of these owners if they took them in turn, `limit` in all. Nothing is taken. */
  allot(owners: readonly Owner[], limit: number): Map<Owner, number> {
    const allotted = new Map<Owner, number>();
    const leftFree = Math.max(0, this.#free - limit);
    let free = this.#free;
    for (let waiting = owners; waiting.length > 0; ) {
      waiting = waiting.filter((owner) => {
        const given = allotted.get(owner) ?? 0;
        if (free === leftFree || this.heldBy(owner) + given >= free) return false;
        allotted.set(owner, given + 1);
        free--;
        return true;
      });
    }
    return allotted;
  }

  /** Returns false, and takes nothing, if that is more than the owner's share. */
  take(owner: Owner, places = 1): boolean {
    if (this.roomFor(owner) < places) return false;
    this.#held.set(owner, this.heldBy(owner) + places);
    this.#free -= places;
    return true;
  }

  giveBack(owner: Owner, places = 1): void {
    const held = this.heldBy(owner);
    const given = Math.min(held, places);
    if (held === given) this.#held.delete(owner);
    else this.#held.set(owner, held - given);
    this.#free += given;
  }
}
