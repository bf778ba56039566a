import { useEffect, useRef, useState } from 'react';

/** The list keeps its order so long after the pointer and the focus have gone. */
const CALM_MS = 2_000;

/**
 * Whether somebody has the pointer or the focus in the list. Rows must not move under them. The handlers belong on the
 * list.
 */
export function useBusy() {
  const [isBusy, setIsBusy] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const enter = () => {
    clearTimeout(timer.current);
    setIsBusy(true);
  };
  const leave = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsBusy(false), CALM_MS);
  };
  return {
    isBusy,
    handlers: { onPointerEnter: enter, onPointerLeave: leave, onFocus: enter, onBlur: leave },
  };
}

/** Something with a place in the list, and the row it shows. */
export interface Placed {
  readonly id: string;
}

/**
 * The items in the order in which they are shown. While the list is busy they keep their places, and only their contents
 * change; `moved` says how many would stand elsewhere. Another view is shown at once.
 */
export function useSettledOrder<Item extends Placed>(
  items: readonly Item[],
  view: unknown,
  isBusy: boolean,
): { readonly shown: readonly Item[]; readonly moved: number; readonly settle: () => void } {
  const held = useRef({ view, items });
  const [, drawAgain] = useState(0);
  const isHeld = isBusy && held.current.view === view;
  const shown = isHeld ? inPlaces(held.current.items, items) : items;
  const isSame =
    shown === items ||
    (shown.length === items.length && shown.every(({ id }, place) => items[place]?.id === id));
  const hold = () => {
    held.current = { view, items };
  };
  useEffect(() => {
    if (!isHeld) hold();
  });
  const settle = () => {
    hold();
    drawAgain((times) => times + 1);
  };
  return { shown: isSame ? items : shown, moved: isSame ? 0 : movedCount(shown, items), settle };
}

function inPlaces<Item extends Placed>(places: readonly Placed[], items: readonly Item[]): readonly Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return places.flatMap(({ id }) => byId.get(id) ?? []);
}

function movedCount(shown: readonly Placed[], items: readonly Placed[]): number {
  const ids = new Set(shown.map(({ id }) => id));
  const added = items.filter(({ id }) => !ids.has(id)).length;
  const staying = items.filter(({ id }) => ids.has(id));
  return added + Math.ceil(staying.filter(({ id }, place) => shown[place]?.id !== id).length / 2);
}
