import { useEffect, useRef, useSyncExternalStore } from 'react';
import { ShortcutKeys } from './shortcut-keys.ts';

/** A key, two keys one after the other (`g t`), a key with Ctrl or ⌘ (`mod+k`), or with Alt (`alt+arrowup`). */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  readonly action: (event: KeyboardEvent) => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const STORED_AS = 'tocsin.shortcuts';

const keys = new ShortcutKeys();
let groups: readonly ShortcutGroup[] = [];
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'))
  );
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const found = keys.find(
    {
      key: event.key,
      isMod: event.ctrlKey || event.metaKey,
      isAlt: event.altKey,
      isTyping: isTyping(event.target),
      isCovered: document.querySelector('dialog[open], [popover]:popover-open') !== null,
    },
    groups,
    performance.now(),
  );
  if (found === null) return;
  event.preventDefault();
  found.action(event);
}

let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  try {
    keys.isOff = localStorage.getItem(STORED_AS) === 'off';
  } catch {
    // Storage may be forbidden. Then shortcuts are on.
  }
  addEventListener('keydown', onKeyDown);
}

/** Shortcuts that work while the part of the page is shown that calls this. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  const names = shortcuts.map(({ keys: name, label }) => `${name} ${label}`).join('\n');
  useEffect(() => {
    listen();
    // The list is the same as long as its names are. Its actions are looked up when a key comes.
    const group = {
      title,
      shortcuts: names.split('\n').flatMap((_, place) => {
        const named = current.current[place];
        if (named === undefined) return [];
        return { ...named, action: (event: KeyboardEvent) => current.current[place]?.action(event) };
      }),
    };
    groups = [...groups, group];
    tell();
    return () => {
      groups = groups.filter((one) => one !== group);
      tell();
    };
  }, [title, names]);
}

export const useShortcutGroups = (): readonly ShortcutGroup[] =>
  useSyncExternalStore(subscribe, () => groups);

export const useShortcutsOff = (): boolean => useSyncExternalStore(subscribe, () => keys.isOff);

export function switchShortcuts(isOff: boolean): void {
  keys.isOff = isOff;
  try {
    localStorage.setItem(STORED_AS, isOff ? 'off' : 'on');
  } catch {
    // It holds until the page is left.
  }
  tell();
}

const isApple = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '');

const MODIFIERS: Readonly<Record<string, string>> = isApple
  ? { mod: '⌘', alt: '⌥' }
  : { mod: 'Ctrl', alt: 'Alt' };
const SIGNS: Readonly<Record<string, string>> = { enter: '↵', arrowup: '↑', arrowdown: '↓' };

/** The keys of a shortcut, one by one, as they stand on the keyboard. */
export function keyNames(name: string): string[] {
  const [modifier = '', key] = name.split('+');
  if (key !== undefined) return [MODIFIERS[modifier] ?? modifier, SIGNS[key] ?? key.toUpperCase()];
  return name.split(' ').map((key) => (key.length === 1 ? key.toUpperCase() : key));
}
