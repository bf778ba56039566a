import type { RefObject } from 'react';
import { useShortcuts } from '../../app/shortcuts.ts';
import { m } from '../../messages/index.ts';
import type { StatusFilter } from './view.ts';

interface ListKeys {
  readonly list: RefObject<HTMLElement | null>;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly isWriter: boolean;
  /** There is no place for a new check in the list over all projects. */
  readonly mayAdd: boolean;
  /** The rows in order, with their places among all items. */
  readonly rowIds: readonly { readonly key: string; readonly index: number }[];
  readonly offsetOf: (index: number) => number;
  readonly onStatus: (status: StatusFilter) => void;
  readonly onSelect: (key: string) => void;
  readonly onEdit: (key: string) => void;
  readonly onPause: (key: string) => void;
  readonly onAcknowledge: (key: string) => void;
  readonly onSnooze: (key: string) => void;
  readonly onAdd: () => void;
  readonly onEscape: () => void;
}

/** Room for what stays in place above the rows. */
const MARGIN = 120;
const DIGIT_STATUSES = ['down', 'late', 'running', 'up', 'paused', 'new'] as const satisfies StatusFilter[];

/** The key of the check whose row has the focus. */
const focusedKey = (): string | null =>
  document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset.key ?? null;

const onFocused = (act: (key: string) => void) => () => {
  const key = focusedKey();
  if (key !== null) act(key);
};

/** The list by keyboard. Returns what moves the focus to the next row or the one before. */
export function useListKeys(keys: ListKeys): (step: 1 | -1) => void {
  const { isWriter, mayAdd, search } = keys;
  const words = m.checks.keys;
  const move = (step: 1 | -1) => moveFocus(step, keys);
  const writing = [
    { keys: 'x', label: words.select, action: onFocused(keys.onSelect) },
    { keys: 'e', label: words.edit, action: onFocused(keys.onEdit) },
    { keys: 'a', label: words.acknowledge, action: onFocused(keys.onAcknowledge) },
    { keys: 's', label: words.snooze, action: onFocused(keys.onSnooze) },
    { keys: 'p', label: words.pause, action: onFocused(keys.onPause) },
  ];
  useShortcuts(m.checks.name, [
    { keys: 'j', label: words.next, action: () => move(1) },
    { keys: 'k', label: words.before, action: () => move(-1) },
    {
      keys: '/',
      label: words.search,
      action: () => {
        search.current?.focus();
        search.current?.select();
      },
    },
    {
      keys: 'f',
      label: words.filters,
      action: () => document.querySelector<HTMLElement>('.filter-chips [data-filter]')?.focus(),
    },
    ...DIGIT_STATUSES.map((status, place) => ({
      keys: String(place + 1),
      label: words.status(m.statuses[status]),
      action: () => keys.onStatus(status),
    })),
    { keys: 'Escape', label: words.none, action: keys.onEscape },
    ...(isWriter ? writing : []),
    ...(mayAdd ? [{ keys: 'c', label: words.add, action: keys.onAdd }] : []),
  ]);
  return move;
}

/** Moves the focus to another row, and brings the row into view first: it may not be drawn yet. */
function moveFocus(step: number, { list, rowIds, offsetOf }: ListKeys): void {
  const focused = focusedKey();
  const place = rowIds.findIndex(({ key }) => key === focused);
  const next = rowIds[place === -1 ? 0 : Math.max(0, Math.min(rowIds.length - 1, place + step))];
  const element = list.current;
  if (next === undefined || element === null) return;
  const top = element.getBoundingClientRect().top + offsetOf(next.index);
  if (top < MARGIN) scrollBy(0, top - MARGIN);
  else if (top > innerHeight - MARGIN) scrollBy(0, top - innerHeight + MARGIN);
  const focus = (isLast: boolean) => {
    const link = element.querySelector<HTMLElement>(`[data-key="${next.key}"] .row-link`);
    if (link !== null) link.focus({ preventScroll: true });
    else if (!isLast) requestAnimationFrame(() => focus(true));
  };
  focus(false);
}
