import { useEffect } from 'react';
import { ROOT } from '../api.ts';

const MAX_NUMBER = 9;

/** The picture of the tab: how many checks are down, else whether one is late. */
export function faviconOf({ down, late }: { readonly down: number; readonly late: number }): string {
  if (down > MAX_NUMBER) return 'down-9plus.svg';
  if (down > 0) return `down-${down}.svg`;
  return late > 0 ? 'bell-late.svg' : 'bell.svg';
}

/** Shows the counts on the tab of the page, and what is down on the icon of the installed app. */
export function useFavicon(counts: { readonly down: number; readonly late: number }): void {
  const file = faviconOf(counts);
  const { down } = counts;
  useEffect(() => {
    // A browser in which the page is not installed may refuse.
    void navigator.setAppBadge?.(down).catch(() => {});
  }, [down]);
  useEffect(() => {
    document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', `${ROOT}/${file}`);
  }, [file]);
}
