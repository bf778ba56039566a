import { keepInBrowser, keptInBrowser } from '../../app/kept.ts';
import { GROUPINGS, SORTS, type View } from './view.ts';

/* The person's last choices about lists. */

const CHOICE = 'tocsin-check-list';
const DURATIONS = 'tocsin-check-durations';
/** Screens on which durations are shown until somebody says otherwise. */
const WIDE = '(min-width: 1600px)';
const COLLAPSED = 'tocsin-check-groups';
/** Groups that are remembered. */
const MAX_GROUPS = 200;

export function keptChoice(): Partial<Pick<View, 'sort' | 'group'>> {
  const kept = keptInBrowser(CHOICE);
  if (typeof kept !== 'object' || kept === null) return {};
  const sort = SORTS.find((one) => 'sort' in kept && kept.sort === one);
  const group = GROUPINGS.find((one) => 'group' in kept && kept.group === one);
  return { ...(sort && { sort }), ...(group && { group }) };
}

export function keepChoice({ sort, group }: View): void {
  keepInBrowser(CHOICE, { sort, group });
}

/** Which groups are closed, or opened against the usual. */
export function keptCollapsed(): ReadonlyMap<string, boolean> {
  const kept = keptInBrowser(COLLAPSED);
  if (!Array.isArray(kept)) return new Map();
  return new Map(kept.filter((pair) => Array.isArray(pair) && typeof pair[0] === 'string'));
}

export function keepCollapsed(collapsed: ReadonlyMap<string, boolean>): void {
  keepInBrowser(COLLAPSED, [...collapsed].slice(-MAX_GROUPS));
}

/** Whether rows show how long runs took. */
export function keptDurations(): boolean {
  const kept = keptInBrowser(DURATIONS);
  return typeof kept === 'boolean' ? kept : matchMedia(WIDE).matches;
}

export function keepDurations(areShown: boolean): void {
  keepInBrowser(DURATIONS, areShown);
}
