import { useEffect } from 'react';
import { keepInBrowser, keptInBrowser } from './kept.ts';

const KEY = 'tocsin-last-project';

/** The project whose pages this browser has shown last. */
export function lastProject(): string | null {
  const kept = keptInBrowser(KEY);
  return typeof kept === 'string' ? kept : null;
}

/** Remembers the project whose page is open. */
export function useLastProject(uuid: string | null): void {
  useEffect(() => {
    if (uuid !== null) keepInBrowser(KEY, uuid);
  }, [uuid]);
}
