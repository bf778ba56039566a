/** Who is served at one destination, and who waits there. */
interface Destination {
  busy: number;
  readonly waiting: (() => void)[];
  /** The channels that had to wait, or were turned away, since the last time that nobody waited. */
  readonly busyChannels: Set<number>;
}

/** Lets so many messages at once to each destination; as many again may wait for their turn, in order. */
export class DestinationLimiter {
  readonly #maxConcurrent: number;
  readonly #destinations = new Map<string, Destination>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Resolves when it is the message's turn, which ends with `end`; null where too many wait already. */
  take(destination: string, channelId: number): Promise<void> | null {
    const state = this.#destinations.getOrInsertComputed(destination, newDestination);
    if (state.busy < this.#maxConcurrent) {
      state.busy++;
      return Promise.resolve();
    }
    state.busyChannels.add(channelId);
    if (state.waiting.length >= this.#maxConcurrent) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    state.waiting.push(resolve);
    return promise;
  }

  /** Passes the turn on. Says whether there is room for more. */
  end(destination: string): boolean {
    const state = this.#destinations.get(destination);
    if (state === undefined) return true;
    const next = state.waiting.shift();
    if (next !== undefined) next();
    else state.busy--;
    if (state.busy === 0) this.#destinations.delete(destination);
    if (state.waiting.length > 0) return false;
    state.busyChannels.clear();
    return true;
  }

  /** The channels for which there is no point in fetching more now. */
  busyChannels(): number[] {
    return [...this.#destinations.values()].flatMap(({ busyChannels }) => [...busyChannels]);
  }
}

function newDestination(): Destination {
  return { busy: 0, waiting: [], busyChannels: new Set() };
}
