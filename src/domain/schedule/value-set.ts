/** The result of `atOrAfter` if there is no such value. */
export const NONE = -1;

/** The values that one field of an expression allows: whole numbers from 0. */
export class ValueSet {
  /** Ascending, each once. */
  readonly values: readonly number[];
  readonly first: number;
  readonly last: number;
  /** For each number from `first` to `last`, the smallest value not below it. */
  readonly #next: Int16Array;

  constructor(values: Iterable<number>) {
    this.values = [...new Set(values)].sort((a, b) => a - b);
    this.first = this.values[0] ?? NONE;
    this.last = this.values.at(-1) ?? NONE;
    this.#next = new Int16Array(this.last - this.first + 1);
    let filled = 0;
    for (const value of this.values) {
      this.#next.fill(value, filled, value - this.first + 1);
      filled = value - this.first + 1;
    }
  }

  get size(): number {
    return this.values.length;
  }

  /** The smallest allowed value that is not below `value`, or NONE. */
  atOrAfter(value: number): number {
    if (value <= this.first) return this.first;
    return value > this.last ? NONE : (this.#next[value - this.first] ?? NONE);
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
