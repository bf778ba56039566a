import type { Instant } from '../../src/lib/instant.ts';
import type { Timeline } from './timeline.ts';

/** Ends the transaction that a dying node had open. */
export class NodeDied extends Error {}

/**
 * One life of a node, from its start to its crash. Promises of a dead node never settle; promises of a node that is
 * held up settle late.
 */
export class Life {
  readonly #timeline: Timeline;
  #isOver = false;
  #heldUpUntil: Instant = Number.NEGATIVE_INFINITY;
  readonly #death = Promise.withResolvers<never>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#death.promise.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isHeldUp(): boolean {
    return this.#heldUpUntil > this.#timeline.now;
  }

  end(): void {
    this.#isOver = true;
    this.#death.reject(new NodeDied());
    this.#timeline.forget(this);
  }

  /** The promise, unless the node dies before: then it fails. For what must not hang with the node. */
  untilDeath<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#death.promise]);
  }

  /** Like a sleeping machine: everything that the node waits for comes after that instant. */
  holdUp(until: Instant): void {
    this.#heldUpUntil = Math.max(this.#heldUpUntil, until);
  }

  /** The promise in the node's time. */
  lived<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#whenAwake(() => resolve(value)),
        (error: unknown) => this.#whenAwake(() => reject(error)),
      );
    });
  }

  /** Resolves as soon as the node can do something. */
  awake(): Promise<void> {
    return this.lived(Promise.resolve());
  }

  async rest(ms: number, signal: AbortSignal): Promise<void> {
    await this.lived(this.#timeline.rest(this, ms, signal));
  }

  #whenAwake(next: () => void): void {
    this.#timeline.noteActivity();
    if (this.#isOver) return;
    if (this.isHeldUp) this.#timeline.at(this.#heldUpUntil, () => this.#whenAwake(next));
    else next();
  }
}
