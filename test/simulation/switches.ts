import type { Instant } from '../../src/lib/instant.ts';

interface Span {
  readonly from: Instant;
  until: Instant;
}

/** When channels were off. A switch that nobody answered may or may not have been made: from then on nothing is sure. */
export class Switches {
  readonly #possibly = new Map<number, Span[]>();
  readonly #surely = new Map<number, Span[]>();
  readonly #off = new Set<number>();
  readonly #unsure = new Set<number>();
  readonly #busy = new Set<number>();

  /** Whether the next switch is to be on. */
  isOff(channelId: number): boolean {
    return this.#off.has(channelId);
  }

  /** Somebody is about to switch or to edit the channel. False: somebody else is at it. Ends when it is noted. */
  begin(channelId: number): boolean {
    if (this.#busy.has(channelId)) return false;
    this.#busy.add(channelId);
    return true;
  }

  /** It was edited, which switches it on. */
  noteEdit(channelId: number, from: Instant, now: Instant, isAnswered: boolean): void {
    if (this.isOff(channelId)) this.note(channelId, from, now, isAnswered);
    else this.#busy.delete(channelId);
  }

  /** A switch was asked for at `from`, and answered by now unless `isAnswered` is false. */
  note(channelId: number, from: Instant, now: Instant, isAnswered: boolean): void {
    this.#busy.delete(channelId);
    const isOn = this.#off.has(channelId);
    for (const span of this.#surely.get(channelId) ?? []) span.until = Math.min(span.until, from);
    if (!isAnswered) this.#unsure.add(channelId);
    if (isOn) {
      this.#off.delete(channelId);
      if (!this.#unsure.has(channelId)) this.#close(channelId, now);
      return;
    }
    this.#off.add(channelId);
    this.#add(this.#possibly, channelId, from);
    if (!this.#unsure.has(channelId)) this.#add(this.#surely, channelId, now);
  }

  wasPossiblyOff(channelId: number, from: Instant, until: Instant): boolean {
    return (this.#possibly.get(channelId) ?? []).some((span) => span.from <= until && from <= span.until);
  }

  wasSurelyOff(channelId: number, from: Instant, until: Instant): boolean {
    return (this.#surely.get(channelId) ?? []).some((span) => span.from <= from && until <= span.until);
  }

  #close(channelId: number, at: Instant): void {
    for (const span of this.#possibly.get(channelId) ?? []) span.until = Math.min(span.until, at);
  }

  #add(spans: Map<number, Span[]>, channelId: number, from: Instant): void {
    spans.getOrInsertComputed(channelId, () => []).push({ from, until: Number.POSITIVE_INFINITY });
  }
}
