import type {
  LiveChangeJson,
  LiveEventJson,
  LivePollJson,
  WatchJson,
} from '../../../src/wire/dashboard/live-output.ts';

/** The server says every five seconds that somebody watches. A stream that is silent for longer is broken. */
export const MAX_SILENCE_MS = 12_000;
/** A shorter absence is not shown. */
const UNNOTICED_MS = 5_000;
/** After this time everything is read again. */
const LONG_AWAY_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** So many streams in a row that do not begin mean that something on the way holds them back. */
const BLOCKED_AFTER = 3;
const POLL_MS = 15_000;
/** Polling goes on so long before a stream is tried again. */
const RETRY_STREAM_MS = 60_000;
/** A tab that nobody sees gives its connection back: browsers have few of them for one site. */
const REST_AFTER_MS = 30_000;

/** The freshness of the page. */
export type LiveState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'live' }
  /** There are no streams. The page is at most 15 seconds old. */
  | { readonly kind: 'polling' }
  /** The page is from that time. */
  | { readonly kind: 'away'; readonly asOf: number }
  | { readonly kind: 'signed_out' };

/** The functions of the browser that the connection needs. */
export interface LiveWorld {
  openStream(lastEventId: string | null, on: StreamHandlers): { close(): void };
  poll(lastEventId: string | null): Promise<LivePollJson>;
  /** Whether the failure says that nobody is signed in. */
  isSignedOut(error: unknown): boolean;
  now(): number;
  /** Returns a function that takes it back. */
  after(ms: number, action: () => void): () => void;
  isHidden(): boolean;
  /** Between 0 and 1. */
  random(): number;
}

export interface StreamHandlers {
  readonly onEvent: (event: LiveEventJson, id: string) => void;
  readonly onFailure: () => void;
}

export interface LiveListeners {
  readonly onChange: (change: LiveChangeJson | 'everything') => void;
  readonly onState: (state: LiveState) => void;
  readonly onWatch: (watch: WatchJson) => void;
}

/** Keeps a page informed: by a stream if there is one, else by questions. */
export class LiveConnection {
  readonly #world: LiveWorld;
  readonly #listeners: LiveListeners;
  #stream: { close(): void } | null = null;
  #state: LiveState = { kind: 'starting' };
  #lastEventId: string | null = null;
  /** When the server was last heard. */
  #heardAt: number;
  #failures = 0;
  /** Questions since a stream was last tried. */
  #polls = 0;
  #isStopped = false;
  /** One at a time: the next step, and the step after silence. */
  #cancelNext = () => {};
  #cancelWatchdog = () => {};
  #cancelRest = () => {};

  constructor(world: LiveWorld, listeners: LiveListeners) {
    this.#world = world;
    this.#listeners = listeners;
    this.#heardAt = world.now();
    this.#open();
  }

  stop(): void {
    this.#isStopped = true;
    this.#close();
    this.#cancelRest();
  }

  /** The tab was shown or hidden. */
  visibilityChanged(): void {
    this.#cancelRest();
    if (this.#world.isHidden()) {
      this.#cancelRest = this.#world.after(REST_AFTER_MS, () => this.#rest());
      return;
    }
    const isSilent = this.#world.now() - this.#heardAt > MAX_SILENCE_MS;
    if (this.#stream === null || isSilent) this.retry();
  }

  /** Tries at once, because there is reason to hope: the network is back, or the person looks. */
  retry(): void {
    if (this.#isStopped) return;
    this.#failures = 0;
    this.#close();
    this.#open();
  }

  /** The page is put aside, and the browser may show it again later. Until then it must not hold a connection. */
  leave(): void {
    this.#close();
    this.#cancelRest();
  }

  /** The network has gone. The stream would notice much later. */
  lost(): void {
    if (this.#stream !== null) this.#failed();
  }

  #open(): void {
    if (this.#isStopped) return;
    this.#close();
    this.#stream = this.#world.openStream(this.#lastEventId, {
      onEvent: (event, id) => this.#take(event, id),
      onFailure: () => this.#failed(),
    });
    this.#watchForSilence();
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#cancelNext();
    this.#cancelWatchdog();
  }

  #watchForSilence(): void {
    this.#cancelWatchdog();
    this.#cancelWatchdog = this.#world.after(MAX_SILENCE_MS, () => this.#failed());
  }

  #take(event: LiveEventJson, id: string): void {
    if (id !== '') this.#lastEventId = id;
    const away = this.#heard();
    this.#watchForSilence();
    if (event.kind === 'hello') {
      this.#failures = 0;
      this.#setState({ kind: 'live' });
      if (event.missed === 'everything' || away > LONG_AWAY_MS) this.#listeners.onChange('everything');
    } else if (event.kind === 'change') this.#listeners.onChange(event);
    else if (event.kind === 'everything') this.#listeners.onChange('everything');
    else if (event.kind === 'watch') this.#listeners.onWatch(event);
    // The session may have got another name. Whether it is over is asked.
    else if (event.kind === 'end') this.#failed();
  }

  /** Returns for how long nothing had been heard. */
  #heard(): number {
    const now = this.#world.now();
    const silence = now - this.#heardAt;
    this.#heardAt = now;
    return silence;
  }

  #failed(): void {
    this.#close();
    if (this.#isStopped) return;
    this.#failures++;
    this.#sayAwayLater();
    if (this.#failures > 1) void this.#poll();
    else this.#next(this.#pause(), () => this.#open());
  }

  /** A moment without a connection is not worth a word. */
  #sayAwayLater(): void {
    const asOf = this.#heardAt;
    if (this.#state.kind === 'polling' || this.#state.kind === 'away') return;
    this.#world.after(UNNOTICED_MS, () => {
      const isStill = !this.#isStopped && this.#state.kind !== 'signed_out' && this.#heardAt === asOf;
      if (isStill) this.#setState({ kind: 'away', asOf });
    });
  }

  #pause(): number {
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS);
    return longest * (0.5 + this.#world.random() / 2);
  }

  #next(ms: number, action: () => void): void {
    this.#cancelNext();
    this.#cancelNext = this.#world.after(ms, action);
  }

  /** Tells a server that is away from one whose streams do not come through, and from a session that has ended. */
  async #poll(): Promise<void> {
    try {
      this.#takeAnswer(await this.#world.poll(this.#lastEventId));
    } catch (error) {
      if (this.#isStopped || this.#stream !== null) return;
      if (this.#world.isSignedOut(error)) {
        this.#close();
        this.#setState({ kind: 'signed_out' });
        return;
      }
      this.#failures++;
      this.#sayAwayLater();
      if (this.#state.kind === 'polling') this.#setState({ kind: 'away', asOf: this.#heardAt });
      this.#next(this.#pause(), () => this.#open());
    }
  }

  #takeAnswer({ last_event_id, changes, watch }: LivePollJson): void {
    if (this.#isStopped || this.#stream !== null) return;
    this.#lastEventId = last_event_id;
    const away = this.#heard();
    if (changes === 'everything' || away > LONG_AWAY_MS) this.#listeners.onChange('everything');
    else for (const change of changes) this.#listeners.onChange(change);
    this.#listeners.onWatch(watch);
    const isBlocked = this.#failures >= BLOCKED_AFTER || this.#isResting;
    if (!isBlocked) {
      this.#next(this.#pause(), () => this.#open());
      return;
    }
    this.#setState(this.#isResting ? { kind: 'live' } : { kind: 'polling' });
    this.#pollOn();
  }

  #pollOn(): void {
    this.#polls++;
    if (!this.#isResting && this.#polls * POLL_MS >= RETRY_STREAM_MS) {
      this.#polls = 0;
      this.#failures = BLOCKED_AFTER - 1;
      this.#next(POLL_MS, () => this.#open());
    } else this.#next(POLL_MS, () => void this.#poll());
  }

  get #isResting(): boolean {
    return this.#world.isHidden();
  }

  #rest(): void {
    if (this.#isStopped || this.#state.kind === 'signed_out') return;
    this.#close();
    this.#next(POLL_MS, () => void this.#poll());
  }

  #setState(state: LiveState): void {
    if (state.kind === this.#state.kind && state.kind !== 'away') return;
    this.#state = state;
    this.#listeners.onState(state);
  }
}
