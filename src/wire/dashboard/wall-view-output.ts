import type {
  CheckDetailsJson,
  CheckHeadJson,
  CountsJson,
  LaneJson,
  SentenceJson,
} from './check-board-output.ts';

/** A check in trouble, or several that turned bad together. */
export interface WallTileJson extends Pick<LaneJson, 'name' | 'count' | 'status' | 'since' | 'next'> {
  /** Why, in words. Null for several. */
  readonly cause: SentenceJson | null;
}

/** The content of a wall display. It names checks and integrations, and contains no keys. */
export interface WallViewJson {
  readonly project: string;
  readonly now: string;
  readonly counts: CountsJson;
  /** The worst first. */
  readonly tiles: readonly WallTileJson[];
  /** Checks in trouble that have no tile. */
  readonly more: number;
  readonly pulse: CheckHeadJson['pulse'];
  /** Integrations that did not tell somebody of what is down. */
  readonly failing: readonly { readonly name: string; readonly next: string | null }[];
}

export function wallViewJson(
  project: string,
  head: CheckHeadJson,
  details: readonly Pick<CheckDetailsJson, 'key' | 'cause'>[],
): WallViewJson {
  const causes = new Map(details.map(({ key, cause }) => [key, cause]));
  const { now, counts, more, pulse, told, channels } = head;
  const failing = (told?.missing ?? []).filter(({ state }) => state === 'retrying' || state === 'given_up');
  return {
    ...{ project, now, counts, more, pulse },
    tiles: head.lanes.map(({ key, name, count, status, since, next }) => {
      const cause = key === null ? null : (causes.get(key) ?? null);
      return { name, count, status, since, next, cause: cause?.head ?? null };
    }),
    failing: failing.map(({ channel, next }) => {
      const known = channels.find(({ uuid }) => uuid === channel);
      return { name: known?.name || known?.kind || '', next };
    }),
  };
}
