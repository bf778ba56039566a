/** A span of time, in milliseconds. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** Where a span stands on an axis, in percent of its length. Null if it is outside. */
export interface Place {
  readonly left: string;
  readonly width: string;
}

export function placeOn(axis: Stretch, { from, until }: Stretch): Place | null {
  const [start, end] = [Math.max(from, axis.from), Math.min(until, axis.until)];
  if (start >= end) return null;
  const share = (time: number) => `${((time / (axis.until - axis.from)) * 100).toFixed(2)}%`;
  return { left: share(start - axis.from), width: share(end - start) };
}

/** The spans that a pulse counts: `places` of them, `step` seconds each, from the one with the number `first` on. */
export function spansOf(
  { from, step }: { readonly from: string; readonly step: number },
  first: number,
  places: number,
): Stretch[] {
  const start = Date.parse(from);
  const at = (place: number) => start + place * step * 1_000;
  return Array.from({ length: places }, (_, place) => ({
    from: at(first + place),
    until: at(first + place + 1),
  }));
}
