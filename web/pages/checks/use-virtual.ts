import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';

/** Rows that are drawn above and below the visible ones. */
const OVERSCAN = 10;

export interface VirtualItem {
  readonly id: string;
  /** In pixels, until it was measured. */
  readonly estimate: number;
}

interface Range {
  readonly first: number;
  /** The first that is not drawn. */
  readonly end: number;
}

/**
 * Draws only rows near the visible part of the window. Heights are measured when a row is drawn, so rows may differ and
 * change. `list` is the element whose rows these are.
 */
export function useVirtual(items: readonly VirtualItem[], list: RefObject<HTMLElement | null>) {
  const measured = useRef(new Map<string, number>());
  const [heightsVersion, setHeightsVersion] = useState(0);
  const [range, setRange] = useState<Range>({ first: 0, end: 30 });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for what was measured
  const offsets = useMemo(() => {
    const sums = new Float64Array(items.length + 1);
    for (const [index, { id, estimate }] of items.entries())
      sums[index + 1] = (sums[index] ?? 0) + (measured.current.get(id) ?? estimate);
    return sums;
  }, [items, heightsVersion]);

  const look = useCallback(() => {
    const element = list.current;
    if (element === null) return;
    const top = -element.getBoundingClientRect().top;
    const first = Math.max(0, placeOf(offsets, top) - OVERSCAN);
    const end = Math.min(offsets.length - 1, placeOf(offsets, top + innerHeight) + 1 + OVERSCAN);
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }));
  }, [offsets, list]);

  useLayoutEffect(() => {
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [look]);

  // After each drawing, since any row may have become higher.
  useLayoutEffect(() => {
    let hasChanged = false;
    for (const row of list.current?.querySelectorAll<HTMLElement>('[data-item]') ?? []) {
      const id = row.dataset.item ?? '';
      const height = row.offsetHeight;
      if (height === 0 || measured.current.get(id) === height) continue;
      measured.current.set(id, height);
      hasChanged = true;
    }
    if (hasChanged) setHeightsVersion((version) => version + 1);
  });

  const first = Math.min(range.first, items.length);
  const end = Math.min(range.end, items.length);
  return {
    first,
    end,
    before: offsets[first] ?? 0,
    after: (offsets[items.length] ?? 0) - (offsets[end] ?? 0),
    /** The top of an item, from the top of the list. */
    offsetOf: (index: number) => offsets[index] ?? 0,
  };
}

/** The item at that distance from the top. */
function placeOf(offsets: Float64Array, distance: number): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= distance) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
