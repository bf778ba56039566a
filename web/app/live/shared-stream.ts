import type { LiveEventJson } from '../../../src/wire/dashboard/live-output.ts';
import { type LiveWorld, MAX_SILENCE_MS, type StreamHandlers } from './connection.ts';

/** A tab that listens. */
export interface Listener extends StreamHandlers {
  /** The last event that it knows. Null if its page has just been read. */
  readonly lastEventId: string | null;
}

/** One stream for all tabs of a browser, which has few connections for one site. It is open while somebody listens. */
export class SharedStream {
  readonly #world: Pick<LiveWorld, 'openStream' | 'after'>;
  readonly #listeners = new Set<Listener>();
  #stream: { close(): void } | null = null;
  /** The last event, or before the first one the event from which on the stream was asked for. */
  #lastEventId: string | null = null;
  #hasBegun = false;
  #watch: LiveEventJson | null = null;
  #cancelWatchdog = () => {};

  constructor(world: Pick<LiveWorld, 'openStream' | 'after'>) {
    this.#world = world;
  }

  join(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#stream === null) this.#open(listener.lastEventId);
    else if (this.#hasBegun) {
      this.#greet(listener, 'nothing');
      if (this.#watch !== null) listener.onEvent(this.#watch, '');
    }
  }

  leave(listener: Listener): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#close();
  }

  #open(lastEventId: string | null): void {
    this.#lastEventId = lastEventId;
    this.#stream = this.#world.openStream(lastEventId, {
      onEvent: (event, id) => this.#take(event, id),
      onFailure: () => this.#failed(),
    });
    this.#watchForSilence();
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#hasBegun = false;
    this.#cancelWatchdog();
  }

  #take(event: LiveEventJson, id: string): void {
    this.#watchForSilence();
    if (event.kind === 'watch') this.#watch = event;
    if (event.kind === 'hello') {
      for (const listener of this.#listeners) this.#greet(listener, event.missed, id);
      this.#hasBegun = true;
    } else for (const { onEvent } of this.#listeners) onEvent(event, id);
    if (id !== '') this.#lastEventId = id;
  }

  /** A listener that was away from another event on than the stream may have missed something. */
  #greet({ lastEventId, onEvent }: Listener, missed: 'nothing' | 'everything', id = this.#lastEventId): void {
    const isBehind = lastEventId !== null && lastEventId !== this.#lastEventId;
    onEvent({ kind: 'hello', missed: isBehind ? 'everything' : missed }, id ?? '');
  }

  /** All are told. They come again, or ask. */
  #failed(): void {
    this.#close();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const { onFailure } of listeners) onFailure();
  }

  /** A tab that was thrown away does not say so. It must not keep a broken stream. */
  #watchForSilence(): void {
    this.#cancelWatchdog();
    this.#cancelWatchdog = this.#world.after(MAX_SILENCE_MS, () => this.#failed());
  }
}
