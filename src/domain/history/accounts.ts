import { type Instant, seconds } from '../../lib/instant.ts';
import {
  closeGap,
  countedAt,
  type Expecting,
  lastEndOf,
  type NoShows,
  openGap,
  type Unwatched,
} from '../check/occurrences.ts';
import { beginLimit, type Timed } from '../check/status.ts';

/** The end of a run. */
export interface AccountedEnd<R> {
  readonly run: R;
  readonly at: Instant;
  readonly startedAt: Instant | null;
  readonly aliveAt: Instant | null;
  /** When the check went down because nothing came, if the end is the first sign since. */
  readonly fellAt: Instant | null;
}

/** What an end stands for. */
interface ClaimedEnd<R> {
  readonly run: R;
  readonly claimed: Instant | null;
  /** Whether the check was already down because of what it claims. */
  readonly isLate: boolean;
}

/** Occurrences that no run came for, and when the deadline of the first of them passed. */
type PlacedNoShows = NoShows & { readonly at: Instant };

type Event<R> =
  | { readonly at: Instant; readonly kind: 'fall' }
  | { readonly at: Instant; readonly kind: 'pause'; readonly open: OpenSince | null }
  | { readonly at: Instant; readonly kind: 'end'; readonly end: AccountedEnd<R> };

interface OpenSince {
  readonly startedAt: Instant;
  readonly aliveAt: Instant;
}

/** Accounts for all occurrences in the history of a check, whatever the order in which it was reported. */
export class Accounts<R = unknown> {
  readonly #check: Timed & Expecting;
  readonly #unwatched: Unwatched;
  readonly #events: Event<R>[] = [];
  readonly #ends: ClaimedEnd<R>[] = [];
  readonly #noShows: PlacedNoShows[] = [];
  /** The last end. Null if nothing is expected, or if it is not known. */
  #from: Instant | null = null;

  constructor(check: Timed & Expecting, unwatched: Unwatched) {
    this.#check = check;
    this.#unwatched = unwatched;
  }

  /** The check went down because nothing came. */
  fall(at: Instant): void {
    this.#events.push({ at, kind: 'fall' });
  }

  /** The check was paused, or resumed: nothing is expected any more. */
  pause(at: Instant, open: OpenSince | null): void {
    this.#events.push({ at, kind: 'pause', open });
  }

  end(end: AccountedEnd<R>): void {
    this.#events.push({ at: end.at, kind: 'end', end });
  }

  close(now: Instant): {
    readonly ends: readonly ClaimedEnd<R>[];
    readonly noShows: readonly PlacedNoShows[];
  } {
    for (const event of this.#events.sort((one, other) => one.at - other.at)) {
      if (event.kind === 'fall') this.#noteFall(event.at);
      else if (event.kind === 'end') this.#noteEnd(event.end);
      else {
        this.#leaveOpen(event.open, event.at);
        this.#from = null;
      }
    }
    const last = lastEndOf(this.#check);
    // Later ends than those of the history may be known.
    this.#from = last === null ? this.#from : Math.max(last, this.#from ?? last);
    this.#takeOpen(this.#check, now);
    return { ends: this.#ends, noShows: this.#noShows };
  }

  /** Before the timing was changed, a fall is all that is known. */
  #noteFall(at: Instant): void {
    const { kind, timeoutSeconds, timedAt } = this.#check;
    const due = at - beginLimit(this.#check);
    if (timedAt !== null && due <= timedAt)
      this.#noShows.push({ result: 'missed', count: 1, first: due, listed: [due], at });
    else this.#from ??= due - (kind === 'simple' ? seconds(timeoutSeconds) : 1);
  }

  #noteEnd({ run, at, startedAt, aliveAt, fellAt }: AccountedEnd<R>): void {
    const from = this.#from;
    this.#from = Math.max(countedAt(this.#check, at), from ?? at);
    if (from === null || at <= from) return;
    const gap = { from, startedAt, aliveAt, endedAt: at };
    const { claimed, noShows } = closeGap(this.#check, gap, this.#unwatched);
    this.#add(noShows, at);
    const isLate = claimed !== null && fellAt !== null && fellAt >= claimed + beginLimit(this.#check);
    this.#ends.push({ run, claimed, isLate });
  }

  #leaveOpen(open: OpenSince | null, at: Instant): void {
    const { startedAt = null, aliveAt = null } = open ?? {};
    // As it was then: the last end is known, and nothing was put off.
    const then = {
      lastStartAt: startedAt,
      lastAliveAt: aliveAt,
      excusedUntilAt: null,
      status: 'up',
    } as const;
    this.#takeOpen({ ...this.#check, ...then }, at);
  }

  #takeOpen(check: Timed & Expecting, now: Instant): void {
    this.#add(openGap(check, this.#from, this.#unwatched, now), now);
  }

  #add(noShows: readonly NoShows[], until: Instant): void {
    const limit = beginLimit(this.#check);
    for (const some of noShows)
      this.#noShows.push({ ...some, at: Math.min(some.first + limit, Math.max(some.first, until)) });
  }
}
