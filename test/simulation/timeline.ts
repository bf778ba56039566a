import { setImmediate as turn } from 'node:timers/promises';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';

interface Event {
  readonly at: Instant;
  readonly sequence: number;
  readonly happen: () => void;
}

/** A loop that has found nothing to do and looks again later. */
interface Resting {
  readonly owner: object;
  readonly due: Instant;
  readonly end: () => void;
}

/** Rests are not skipped for less. */
const MIN_SKIP: Micros = seconds(2);

/**
 * Virtual time. Nothing passes by itself: whatever waits is on this list, and when all that could be done at one
 * instant has been done, time moves on to the next. A month takes as long as what happens in it.
 */
export class Timeline {
  #now: Instant;
  #sequence = 0;
  #activity = 0;
  readonly #events: Event[] = [];
  #resting: Resting[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  get now(): Instant {
    return this.#now;
  }

  /** Something was done, so that more may follow from it at the same instant. */
  noteActivity(): void {
    this.#activity++;
  }

  at(at: Instant, happen: () => void): void {
    this.#activity++;
    push(this.#events, { at: Math.max(at, this.#now), sequence: this.#sequence++, happen });
  }

  after(span: Micros, happen: () => void): void {
    this.at(this.#now + Math.max(0, Math.round(span)), happen);
  }

  sleep(span: Micros): Promise<void> {
    return new Promise((resolve) => this.after(span, resolve));
  }

  /** Lets everything happen that the present instant holds. */
  async settle(): Promise<void> {
    for (let quiet = 0, seen = this.#activity; quiet < 2; ) {
      await turn();
      quiet = seen === this.#activity ? quiet + 1 : 0;
      seen = this.#activity;
    }
  }

  /** A rest of a loop: unlike other waiting it may be skipped while there is nothing to find. */
  rest(owner: object, ms: number, signal: AbortSignal): Promise<void> {
    this.#activity++;
    return new Promise((resolve) => {
      const resting: Resting = {
        owner,
        due: this.#now + Math.round(ms * 1000),
        end: () => {
          this.#activity++;
          this.#resting = this.#resting.filter((other) => other !== resting);
          resolve();
        },
      };
      this.#resting.push(resting);
      signal.addEventListener('abort', resting.end, { once: true });
    });
  }

  /** A dead owner rests no more. */
  forget(owner: object): void {
    this.#resting = this.#resting.filter((resting) => resting.owner !== owner);
  }

  /**
   * Moves on to what comes next. Loops that would look in vain until `quietUntil` rest until then, after `beforeSkip`
   * was told.
   */
  async advance(quietUntil: Instant, beforeSkip: (to: Instant) => Promise<void>): Promise<void> {
    const eventAt = this.#events[0]?.at ?? Number.POSITIVE_INFINITY;
    const restEnd = Math.min(...this.#resting.map(({ due }) => due));
    const restAt = quietUntil - restEnd >= MIN_SKIP ? quietUntil : restEnd;
    const next = Math.min(eventAt, restAt);
    if (next === Number.POSITIVE_INFINITY) throw new Error('nothing is left to happen');
    if (next - restEnd >= MIN_SKIP) await beforeSkip(next);
    if (eventAt < restAt) return this.#happen();
    this.#now = Math.max(this.#now, restAt);
    for (const { due, end } of this.#resting) if (due <= this.#now) end();
  }

  #happen(): void {
    const event = pop(this.#events);
    if (event === undefined) return;
    this.#now = Math.max(this.#now, event.at);
    event.happen();
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at === other.at ? one.sequence < other.sequence : one.at < other.at;
}

/** A binary heap: the next event is the first. */
function push(heap: Event[], event: Event): void {
  let index = heap.length;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || isBefore(parent, event)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    const one = heap[left];
    if (one === undefined) break;
    const other = heap[right];
    const child = other !== undefined && isBefore(other, one) ? right : left;
    const next = heap[child];
    if (next === undefined || isBefore(last, next)) break;
    heap[index] = next;
    index = child;
  }
  heap[index] = last;
  return first;
}
