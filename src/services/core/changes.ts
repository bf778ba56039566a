import { ChangeCollector, type Changes, type ProjectChange, wholeProject } from '../../domain/change.ts';

/** Receives the changes of its project. A change names the things to read again; it does not contain the new values. */
export type Subscriber = (change: ProjectChange) => void;

/** Sends changes to other nodes. Rejects when it cannot. */
export type Publish = (changes: Changes) => Promise<void>;

/** Exchanges changes with other nodes. */
export interface ChangeExchange extends AsyncDisposable {
  /** Whether there is a connection to publish through. */
  readonly isConnected: boolean;
  readonly publish: Publish;
  /** Keeps the connection open. Returns the milliseconds until the next call. */
  tick(): Promise<number>;
}

export interface ChangeExchangeHandlers {
  /** Called with the changes of other nodes. */
  readonly onChanges: (changes: Changes) => void;
  /** Called when the connection is lost. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Tells subscribers which checks and channels of a project were touched, by this node or by another. Changes between
 * two ticks are sent together. Delivery is best effort: changes are sent after the commit and are kept only in memory.
 * A change is lost when the node dies, or when the answer to its commit is lost. Code that must not miss a change reads
 * the database.
 */
export class ChangeFeed {
  readonly #subscribers = new Map<number, Set<Subscriber>>();
  readonly #onError: (error: unknown) => void;
  /** Touched by this node or by others; subscribers are not told yet. */
  readonly #untold = new ChangeCollector();
  /** Touched by this node; other nodes are not told yet. */
  readonly #unpublished = new ChangeCollector();
  #publish: Publish | null = null;
  #canPublish = () => true;
  #publishing: Promise<void> | null = null;

  /** `onError` receives errors of subscribers. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Takes changes that this node has committed. */
  announce(changes: Changes): void {
    this.receive(changes);
    this.#unpublished.add(changes);
  }

  /** Takes changes that another node has committed. */
  receive(changes: Changes): void {
    // Without subscribers there is nobody to tell: a later subscriber reads the database first.
    if (this.#subscribers.size > 0) this.#untold.add(changes);
  }

  /**
   * From now on other nodes are told, too, about earlier changes as well. While `canPublish` says no, changes are left
   * where they are: to take them out and put them back at each tick would cost time, as they may be many after hours.
   */
  publishThrough(publish: Publish, canPublish: () => boolean = () => true): void {
    this.#publish = publish;
    this.#canPublish = canPublish;
  }

  /** Dispose of the result to end the subscription. */
  subscribe(projectId: number, subscriber: Subscriber): Disposable {
    // The wrapper lets the same function subscribe twice.
    const own: Subscriber = (change) => subscriber(change);
    const subscribers = this.#subscribers.getOrInsertComputed(projectId, () => new Set());
    subscribers.add(own);
    return {
      [Symbol.dispose]: () => {
        subscribers.delete(own);
        if (subscribers.size === 0 && this.#subscribers.get(projectId) === subscribers)
          this.#subscribers.delete(projectId);
      },
    };
  }

  /** Sends the changes since the last tick. Does not wait for the answer of other nodes. */
  tick(): void {
    if (!this.#untold.isEmpty) this.#tell(this.#untold.take());
    if (this.#publish === null || this.#publishing !== null || this.#unpublished.isEmpty) return;
    if (this.#canPublish())
      this.#publishing = this.#publishWith(this.#publish, this.#unpublished.take()).finally(() => {
        this.#publishing = null;
      });
  }

  /** Sends the rest before the node ends. */
  async finish(): Promise<void> {
    await this.#publishing;
    this.tick();
    await this.#publishing;
  }

  #tell(changes: Changes): void {
    const told = changes === 'everything' ? Array.from(this.#subscribers.keys(), wholeProject) : changes;
    for (const change of told) {
      for (const subscriber of this.#subscribers.get(change.projectId) ?? []) {
        // A subscriber that throws or rejects must not affect the others.
        Promise.try(subscriber, change).catch(this.#onError);
      }
    }
  }

  /** Changes that could not be sent are sent with the next ones. */
  async #publishWith(publish: Publish, changes: Changes): Promise<void> {
    try {
      await publish(changes);
    } catch {
      this.#unpublished.add(changes);
    }
  }
}
