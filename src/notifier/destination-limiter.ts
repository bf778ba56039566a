/** One destination: the number of messages being sent, and the messages that wait. */
interface Destination {
  busy: number;
  readonly waiting: (() => void)[];
  /** Channels whose messages had to wait or were refused, since the queue was last empty. */
  readonly busyChannels: Set<number>;
}

/** Limits how many messages are sent to one destination at once. As many again may wait, in order. */
export class DestinationLimiter {
  readonly #maxConcurrent: number;
  readonly #destinations = new Map<string, Destination>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /**
   * Resolves when the message may be sent. Its sender calls `end` afterwards. Null if too many messages wait already.
   */
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

  /** Starts the next waiting message. Returns whether there is room for more. */
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

  /** Channels for which fetching more messages now is pointless. */
  busyChannels(): number[] {
    return [...this.#destinations.values()].flatMap(({ busyChannels }) => [...busyChannels]);
  }
}

function newDestination(): Destination {
  return { busy: 0, waiting: [], busyChannels: new Set() };
}
