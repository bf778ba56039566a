import { type Instant, seconds } from '../../lib/instant.ts';
import {
  closeGap,
  countedAt,
  type Expecting,
  firstDue,
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

/** That the check went down because nothing came, by a timing which is not known any more. */
interface EarlierFall {
  readonly at: Instant;
  readonly due: Instant;
  /** The last end before, or when the check was resumed. Null if that is not known. */
  readonly from: Instant | null;
}

/** Accounts for all occurrences in the history of a check, whatever the order in which it was reported. */
export class Accounts<R = unknown> {
  readonly #check: Timed & Expecting;
  readonly #unwatched: Unwatched;
  readonly #events: Event<R>[] = [];
  readonly #ends: ClaimedEnd<R>[] = [];
  /** The first signs since the check went down that claim nothing by today's timing. */
  readonly #unclaimed: AccountedEnd<R>[] = [];
  readonly #earlierFalls: EarlierFall[] = [];
  readonly #noShows: PlacedNoShows[] = [];
  /** The last end. Null if nothing is expected, or if it is not known. */
  #from: Instant | null = null;
  /** When the check was paused or resumed, if that is known. */
  #pausedAt: Instant | null = null;
  /** When the check went down because nothing came since the last end. Null if it did not. */
  #fellAt: Instant | null = null;

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
      else this.#notePause(event.open, event.at);
    }
    const last = lastEndOf(this.#check);
    // Later ends than those of the history may be known.
    this.#from = last === null ? this.#from : Math.max(last, this.#from ?? last);
    this.#takeOpen(this.#check, now);
    for (const fall of this.#earlierFalls) this.#settle(fall);
    return { ends: this.#ends, noShows: this.#noShows };
  }

  #noteFall(at: Instant): void {
    const { kind, timeoutSeconds, timedAt } = this.#check;
    const due = at - beginLimit(this.#check);
    const from = this.#from ?? this.#pausedAt;
    const isEarlier = timedAt !== null && due <= timedAt && !this.#isDueSince(from, at);
    if (isEarlier) this.#earlierFalls.push({ at, due, from });
    else {
      // A check that was resumed waits for its next ping before it expects a run.
      this.#from ??= due - (kind === 'simple' ? seconds(timeoutSeconds) : 1);
      this.#fellAt = at;
    }
  }

  /** Whether a run was due by today's timing. */
  #isDueSince(from: Instant | null, until: Instant): boolean {
    const due = from === null ? null : firstDue(this.#check, from);
    return due !== null && due <= until;
  }

  #noteEnd(end: AccountedEnd<R>): void {
    const { run, at, startedAt, aliveAt, fellAt } = end;
    const from = this.#from;
    this.#from = Math.max(countedAt(this.#check, at), from ?? at);
    const gap = { from: from ?? at, startedAt, aliveAt, endedAt: at };
    const { claimed, noShows } = at <= gap.from ? NOTHING : closeGap(this.#check, gap, this.#unwatched);
    this.#add(noShows, at);
    this.#fellAt = null;
    if (claimed !== null) this.#ends.push({ run, claimed, isLate: this.#isLate(claimed, noShows, fellAt) });
    else if (fellAt !== null) this.#unclaimed.push(end);
  }

  /** A check goes down because of the first run that does not come, and of others if its deadline was put off beyond theirs. */
  #isLate(claimed: Instant, noShows: readonly NoShows[], fellAt: Instant | null): boolean {
    if (fellAt === null || fellAt < claimed) return false;
    const first = noShows.find(({ result, first }) => result !== 'skipped' && first < claimed)?.first;
    if (first === undefined) return true;
    const { quiet, blind } = this.#unwatched;
    const isPutOff = [...quiet, ...blind].some((span) => span.from < fellAt && span.until > first);
    return isPutOff && fellAt >= claimed + beginLimit(this.#check);
  }

  #notePause(open: OpenSince | null, at: Instant): void {
    const { startedAt = null, aliveAt = null } = open ?? {};
    // As it was then: the last end is known, and nothing was put off.
    const then = {
      lastStartAt: startedAt,
      lastAliveAt: aliveAt,
      excusedUntilAt: null,
      status: 'up',
    } as const;
    this.#takeOpen({ ...this.#check, ...then }, at);
    this.#from = null;
    this.#fellAt = null;
    this.#pausedAt = at;
  }

  #takeOpen(check: Timed & Expecting, now: Instant): void {
    this.#add(openGap(check, this.#from, this.#unwatched, now, this.#fellAt), now);
  }

  /**
   * Before the timing was changed, a fall is all that is known. The run came late if its end is nearer to it than the next could
   * have been due: after as long a time as had passed since the end before.
   */
  #settle({ at, due, from }: EarlierFall): void {
    const next = from === null ? due : due + Math.max(0, due - from);
    const end = this.#unclaimed.find((one) => one.fellAt === at && one.at < next);
    if (end !== undefined) this.#ends.push({ run: end.run, claimed: due, isLate: true });
    else this.#noShows.push({ result: 'missed', count: 1, first: due, listed: [due], at });
  }

  #add(noShows: readonly NoShows[], until: Instant): void {
    const limit = beginLimit(this.#check);
    const fellAt = this.#fellAt;
    for (const some of noShows) {
      const { result, first } = some;
      // The deadline may have been put off, or the limit may have been another.
      const hasFallen = result === 'missed' && fellAt !== null && first <= fellAt;
      this.#noShows.push({
        ...some,
        at: hasFallen ? fellAt : Math.min(first + limit, Math.max(first, until)),
      });
    }
  }
}

const NOTHING = { claimed: null, noShows: [] } as const;
