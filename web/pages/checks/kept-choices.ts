import { GROUPINGS, SORTS, type View } from './view.ts';

/* What the person chose last about lists. It stays in the browser, also when they sign out. */

const CHOICE = 'tocsin-check-list';
const COLLAPSED = 'tocsin-check-groups';
/** Groups that are remembered. */
const MAX_GROUPS = 200;

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage it is forgotten, and nothing else is lost.
  }
}

export function keptChoice(): Partial<Pick<View, 'sort' | 'group'>> {
  const kept = read(CHOICE);
  if (typeof kept !== 'object' || kept === null) return {};
  const sort = SORTS.find((one) => 'sort' in kept && kept.sort === one);
  const group = GROUPINGS.find((one) => 'group' in kept && kept.group === one);
  return { ...(sort && { sort }), ...(group && { group }) };
}

export function keepChoice({ sort, group }: View): void {
  write(CHOICE, { sort, group });
}

/** Which groups are closed, or opened against the usual. */
export function keptCollapsed(): ReadonlyMap<string, boolean> {
  const kept = read(COLLAPSED);
  if (!Array.isArray(kept)) return new Map();
  return new Map(kept.filter((pair) => Array.isArray(pair) && typeof pair[0] === 'string'));
}

export function keepCollapsed(collapsed: ReadonlyMap<string, boolean>): void {
  write(COLLAPSED, [...collapsed].slice(-MAX_GROUPS));
}
