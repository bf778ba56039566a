import type { Instant } from '../../lib/instant.ts';
import type { DayDowntime } from '../history/uptime.ts';
import {
  type ComponentState,
  type NoticeUpdate,
  noticePhase,
  type PageState,
  pageState,
  type StatusComponent,
  type StatusPage,
  type ToldNotice,
} from './status-page.ts';

/** A component as outsiders see it. */
export interface ViewedComponent extends Pick<StatusComponent, 'id' | 'name' | 'group'> {
  readonly state: ComponentState;
  /** Since when it is late or down. Null if it is not, or nobody knows. */
  readonly since: Instant | null;
  /** For each day, the oldest first, how long it was down. */
  readonly days: readonly DayDowntime[];
  /** The share of the time in which it was not down, from 0 to 1. */
  readonly uptime: number | null;
  /** The number of checks that it covers, hidden from the public. */
  readonly checks: number;
}

/** A notice as the page tells it. An editor also sees an update that is not published. */
export interface ViewedNotice extends Omit<ToldNotice, 'updates'> {
  readonly updates: readonly (NoticeUpdate & { readonly isDraft?: boolean })[];
}

/** All that a status page shows at one moment. */
export interface StatusView {
  readonly page: Pick<StatusPage, 'title' | 'about' | 'tz' | 'slug'>;
  readonly now: Instant;
  /** When each of the days began. */
  readonly dayStarts: readonly Instant[];
  readonly components: readonly ViewedComponent[];
  /** The latest first. */
  readonly notices: readonly ViewedNotice[];
}

export function stateOf({ components }: StatusView): PageState {
  return pageState(components.map(({ state }) => state));
}

/** Components that stand together, in the order of the page. A group is where its first component is. */
export function groupsOf<T extends Pick<StatusComponent, 'group'>>(
  components: readonly T[],
): { readonly name: string; readonly components: readonly T[] }[] {
  return Array.from(
    Map.groupBy(components, ({ group }) => group),
    ([name, ones]) => ({
      name,
      components: ones,
    }),
  );
}

/** The notices by phase. Open ones come first where both are shown. */
export function noticesByPhase({ notices, now }: StatusView): {
  readonly open: readonly ViewedNotice[];
  readonly planned: readonly ViewedNotice[];
  readonly over: readonly ViewedNotice[];
} {
  const {
    open = [],
    planned = [],
    over = [],
  } = Object.groupBy(notices, (notice) => noticePhase(notice, now));
  return { open, planned: planned.toReversed(), over };
}
