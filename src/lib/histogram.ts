/** The number of values in each of several ranges. */
export interface HistogramReading {
  /** Ascending. */
  readonly bounds: readonly number[];
  /** For each bound, the number of values up to it and above the previous one. The last entry is for values above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Counts values by size. Adding a value takes one comparison for each bound that it exceeds, and no memory. */
export class Histogram implements HistogramReading {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    let index = 0;
    while (index < this.bounds.length && value > (this.bounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}
