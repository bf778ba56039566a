import { ChangeCollector, type Changes, type ProjectChange, wholeProject } from '../domain/change.ts';

/** Is told what was touched in its project. What was touched is to be read anew: a change does not say how. */
export type Subscriber = (change: ProjectChange) => void;

/** Tells other nodes. Rejects when it cannot. */
export type Publish = (changes: Changes) => Promise<void>;

/** The way to other nodes and from them. */
export interface ChangeExchange extends AsyncDisposable {
  /** Whether there is a connection to publish through. */
  readonly isConnected: boolean;
  readonly publish: Publish;
  /** Keeps the connection. Returns after how many milliseconds it is to be called again. */
  tick(): Promise<number>;
}

export interface ChangeExchangeHandlers {
  /** Called with what other nodes have changed. */
  readonly onChanges: (changes: Changes) => void;
  /** Called when the connection is lost. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Tells whoever wants to know which checks and channels of a project were touched, by this node or by another one. What
 * is touched between two ticks is told together. Best effort: it is told after the commit and kept in memory alone, so
 * that a node that dies, or a commit whose answer is lost, may leave something untold. What must not miss anything
 * reads the database.
 */
export class ChangeFeed {
  readonly #subscribers = new Map<number, Set<Subscriber>>();
  readonly #onError: (error: unknown) => void;
  /** Touched by this node or by others, and not told here yet. */
  readonly #untold = new ChangeCollector();
  /** Touched by this node, and not told to others yet. */
  readonly #unpublished = new ChangeCollector();
  #publish: Publish | null = null;
  #canPublish = () => true;
  #publishing: Promise<void> | null = null;

  /** `onError` is told of what a subscriber throws. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** This node has committed this. */
  announce(changes: Changes): void {
    this.receive(changes);
    this.#unpublished.add(changes);
  }

  /** Another node has committed this. */
  receive(changes: Changes): void {
    // Whoever subscribes later reads later, too.
    if (this.#subscribers.size > 0) this.#untold.add(changes);
  }

  /**
   * From now on other nodes are told, too, of what was announced before as well. While `canPublish` says no, that is left
   * where it is: to take it out and put it back at each tick would cost time, as it may be much after hours.
   */
  publishThrough(publish: Publish, canPublish: () => boolean = () => true): void {
    this.#publish = publish;
    this.#canPublish = canPublish;
  }

  /** Disposing of what it returns ends the subscription. */
  subscribe(projectId: number, subscriber: Subscriber): Disposable {
    // The same function may subscribe twice.
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

  /** Tells what has come since the last tick. Waits for nobody. */
  tick(): void {
    if (!this.#untold.isEmpty) this.#tell(this.#untold.take());
    if (this.#publish === null || this.#publishing !== null || this.#unpublished.isEmpty) return;
    if (this.#canPublish())
      this.#publishing = this.#publishWith(this.#publish, this.#unpublished.take()).finally(() => {
        this.#publishing = null;
      });
  }

  /** Tells the rest, before the node ends. */
  async finish(): Promise<void> {
    await this.#publishing;
    this.tick();
    await this.#publishing;
  }

  #tell(changes: Changes): void {
    const told = changes === 'everything' ? Array.from(this.#subscribers.keys(), wholeProject) : changes;
    for (const change of told) {
      for (const subscriber of this.#subscribers.get(change.projectId) ?? []) {
        // One that fails, at once or later, must not harm the others.
        Promise.try(subscriber, change).catch(this.#onError);
      }
    }
  }

  /** What could not be told is told together with what comes next. */
  async #publishWith(publish: Publish, changes: Changes): Promise<void> {
    try {
      await publish(changes);
    } catch {
      this.#unpublished.add(changes);
    }
  }
}
