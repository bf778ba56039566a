import { FairQueue } from '../lib/fair-queue.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import { Shares } from '../lib/shares.ts';

/** After so many tries in a row that timed out, an account has one message at a time under way to the destination. */
const TIMEOUTS_IN_A_ROW = 3;
/** The number of pairs of account and destination whose time-outs are counted. */
const MAX_COUNTED_PAIRS = 10_000;

interface Waiting {
  readonly accountId: number;
  readonly start: () => void;
}

/** An account's use of a destination. */
interface AccountState {
  waiting: number;
  /** Channels whose messages had to wait or were refused, until none of the account waits. */
  readonly busyChannels: Set<number>;
}

interface Destination {
  readonly places: Shares<number>;
  readonly queue: FairQueue<Waiting>;
  readonly accounts: Map<number, AccountState>;
}

/**
 * Limits how many messages are sent to one destination at once. As many again may wait, in order. Accounts have shares of
 * both. A destination that never answers an account has one message of it at a time.
 */
export class DestinationLimiter {
  readonly #maxConcurrent: number;
  readonly #destinations = new Map<string, Destination>();
  /** Tries in a row that timed out, by destination and account. */
  readonly #timeouts = new RecentlyUsed<string, number>(MAX_COUNTED_PAIRS);

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /**
   * Resolves when the message may be sent. Its sender calls `end` afterwards. `busy`: too many messages wait already.
   * `silent`: the destination does not answer, and another message tries it.
   */
  take(destination: string, accountId: number, channelId: number): Promise<void> | 'busy' | 'silent' {
    const state = this.#destinations.getOrInsertComputed(destination, () =>
      newDestination(this.#maxConcurrent),
    );
    if (this.#mayStart(destination, state, accountId)) {
      state.places.take(accountId);
      return Promise.resolve();
    }
    if (this.#isSilent(destination, accountId)) return 'silent';
    const { promise, resolve } = Promise.withResolvers<void>();
    const isQueued = state.queue.add(String(accountId), { accountId, start: resolve });
    // An account that has nothing here is not told when there is room again.
    if (isQueued || state.places.heldBy(accountId) > 0) {
      const own = state.accounts.getOrInsertComputed(accountId, newAccountState);
      own.busyChannels.add(channelId);
      if (isQueued) own.waiting++;
    }
    return isQueued ? promise : 'busy';
  }

  /** Starts waiting messages. Returns whether there is room for more of the account. */
  end(destination: string, accountId: number, hasTimedOut: boolean): boolean {
    this.#count(destination, accountId, hasTimedOut);
    const state = this.#destinations.get(destination);
    if (state === undefined) return true;
    state.places.giveBack(accountId);
    const mayStart = (owner: string) => this.#mayStart(destination, state, Number(owner));
    for (let next = state.queue.take(mayStart); next !== undefined; next = state.queue.take(mayStart)) {
      state.places.take(next.accountId);
      const own = state.accounts.get(next.accountId);
      if (own !== undefined) own.waiting--;
      next.start();
    }
    if (state.places.taken === 0) this.#destinations.delete(destination);
    const isDone = (state.accounts.get(accountId)?.waiting ?? 0) === 0;
    if (isDone) state.accounts.delete(accountId);
    return isDone;
  }

  /** Channels for which fetching more messages now is pointless. */
  busyChannels(): number[] {
    return [...this.#destinations.values()].flatMap(({ accounts }) =>
      [...accounts.values()].flatMap(({ busyChannels }) => [...busyChannels]),
    );
  }

  #mayStart(destination: string, { places }: Destination, accountId: number): boolean {
    if (this.#isSilent(destination, accountId) && places.heldBy(accountId) > 0) return false;
    return places.roomFor(accountId) > 0;
  }

  #isSilent(destination: string, accountId: number): boolean {
    return (this.#timeouts.find(pairKey(destination, accountId)) ?? 0) >= TIMEOUTS_IN_A_ROW;
  }

  #count(destination: string, accountId: number, hasTimedOut: boolean): void {
    const pair = pairKey(destination, accountId);
    if (hasTimedOut) this.#timeouts.set(pair, (this.#timeouts.find(pair) ?? 0) + 1);
    else this.#timeouts.delete(pair);
  }
}

function pairKey(destination: string, accountId: number): string {
  return `${accountId} ${destination}`;
}

function newDestination(maxConcurrent: number): Destination {
  return {
    places: new Shares(maxConcurrent),
    queue: new FairQueue({ maxQueued: maxConcurrent }),
    accounts: new Map(),
  };
}

function newAccountState(): AccountState {
  return { waiting: 0, busyChannels: new Set() };
}
