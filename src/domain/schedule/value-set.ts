/** Where `atOrAfter` found nothing. */
export const NONE = -1;

/** The values that one field of an expression allows. None of them is negative. */
export class ValueSet {
  /** Ascending, each once. */
  readonly values: readonly number[];
  readonly first: number;
  readonly last: number;
  readonly #next: Int16Array;

  constructor(values: Iterable<number>) {
    this.values = [...new Set(values)].sort((a, b) => a - b);
    this.first = this.values[0] ?? NONE;
    this.last = this.values.at(-1) ?? NONE;
    this.#next = new Int16Array(this.last + 1);
    let from = 0;
    for (const value of this.values) {
      this.#next.fill(value, from, value + 1);
      from = value + 1;
    }
  }

  /** The smallest allowed value that is not below `value`, or NONE. */
  atOrAfter(value: number): number {
    if (value <= this.first) return this.first;
    return value > this.last ? NONE : (this.#next[value] ?? NONE);
  }

  has(value: number): boolean {
    return this.atOrAfter(value) === value;
  }
}

/** `first`, `first + step`, … up to `last`. */
export function range(first: number, last: number, step = 1): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

/** Every `step`-th of the values, the first included. */
export function everyNth(values: readonly number[], step: number): number[] {
  return values.filter((_, index) => index % step === 0);
}
