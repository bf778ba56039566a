import { useEffect } from 'react';
import { ROOT } from '../api.ts';

const MAX_NUMBER = 9;

/** Checks that are down are counted if nobody has them. The others are `answered`. */
interface TabCounts {
  readonly down: number;
  readonly answered: number;
  readonly late: number;
}

/** The picture of the tab: how many checks are down, else whether somebody has all that are, or one is late. */
export function faviconOf({ down, answered, late }: TabCounts): string {
  if (down > MAX_NUMBER) return 'down-9plus.svg';
  if (down > 0) return `down-${down}.svg`;
  return answered + late > 0 ? 'bell-late.svg' : 'bell.svg';
}

/** Shows the counts on the tab of the page. */
export function useFavicon(counts: TabCounts): void {
  const file = faviconOf(counts);
  useEffect(() => {
    document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', `${ROOT}/${file}`);
  }, [file]);
}

/** The number on the icon of the installed app, which has one for all projects: the checks that somebody should look at. */
export function badgeOf(projects: readonly { readonly checks: { readonly down: number } }[]): number {
  return projects.reduce((sum, { checks }) => sum + checks.down, 0);
}

/** Shows the number on the icon of the installed app. Zero removes it. */
export function useBadge(count: number): void {
  useEffect(() => {
    // A browser in which the page is not installed may refuse.
    void navigator.setAppBadge?.(count).catch(() => {});
  }, [count]);
}
