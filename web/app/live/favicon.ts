import { useEffect } from 'react';
import { ROOT } from '../api.ts';

const MAX_NUMBER = 9;

/** The picture of the tab: how many checks are down, else whether one is late. */
export function faviconOf({ down, late }: { readonly down: number; readonly late: number }): string {
  if (down > MAX_NUMBER) return 'down-9plus.svg';
  if (down > 0) return `down-${down}.svg`;
  return late > 0 ? 'bell-late.svg' : 'bell.svg';
}

export function useFavicon(counts: { readonly down: number; readonly late: number }): void {
  const file = faviconOf(counts);
  useEffect(() => {
    document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', `${ROOT}/${file}`);
  }, [file]);
}
