import type { Random } from './random.ts';

/**
 * Chance that a seed decides (sfc32). `fork` keeps the draws for one purpose apart from all others, so that a change of
 * one does not shuffle the rest.
 */
export class Chance implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number | string) {
    [this.#a, this.#b, this.#c] = scramble(String(seed));
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** A source of its own, which depends on this one's seed and the name alone. */
  fork(name: string): Chance {
    return new Chance(`${this.#next()}/${name}`);
  }

  #next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** True in that share of cases. */
  happens(share: number): boolean {
    return this.fraction() < share;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }

  /** Each of them with that probability, in order. */
  some<T>(from: readonly T[], share: number): T[] {
    return from.filter(() => this.happens(share));
  }

  shuffled<T>(from: readonly T[]): T[] {
    const places = from.map((one) => ({ one, place: this.fraction() }));
    return places.sort((one, other) => one.place - other.place).map(({ one }) => one);
  }

  /** The wait for an event that comes once in `mean` on average. */
  wait(mean: number): number {
    return Math.ceil(-Math.log(1 - this.fraction()) * mean);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() & 0xff);
  }

  uuid(): string {
    const hex = Buffer.from(this.bytes(16)).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

function scramble(text: string): [number, number, number] {
  let hash = 0x811c9dc5;
  const word = (salt: number) => {
    hash ^= salt;
    for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    return hash | 0;
  };
  return [word(1), word(2), word(3)];
}
