/** Who is served at one destination, and who waits there. */
interface Desk {
  busy: number;
  readonly waiting: (() => void)[];
  /** The channels that had to wait, or were turned away, since the last time that nobody waited. */
  readonly crowded: Set<number>;
}

/** Lets so many messages at once to each destination; as many again may wait for their turn, in order. */
export class Turns {
  readonly #most: number;
  readonly #desks = new Map<string, Desk>();

  constructor(mostAtOnce: number) {
    this.#most = mostAtOnce;
  }

  /** Resolves when it is the message's turn, which ends with `end`; null where too many wait already. */
  take(destination: string, channelId: number): Promise<void> | null {
    const desk = this.#desks.getOrInsertComputed(destination, newDesk);
    if (desk.busy < this.#most) {
      desk.busy++;
      return Promise.resolve();
    }
    desk.crowded.add(channelId);
    if (desk.waiting.length >= this.#most) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    desk.waiting.push(resolve);
    return promise;
  }

  /** Passes the turn on. Says whether there is room for more. */
  end(destination: string): boolean {
    const desk = this.#desks.get(destination);
    if (desk === undefined) return true;
    const next = desk.waiting.shift();
    if (next !== undefined) next();
    else desk.busy--;
    if (desk.busy === 0) this.#desks.delete(destination);
    if (desk.waiting.length > 0) return false;
    desk.crowded.clear();
    return true;
  }

  /** The channels for which there is no point in fetching more now. */
  crowdedChannels(): number[] {
    return [...this.#desks.values()].flatMap(({ crowded }) => [...crowded]);
  }
}

function newDesk(): Desk {
  return { busy: 0, waiting: [], crowded: new Set() };
}
