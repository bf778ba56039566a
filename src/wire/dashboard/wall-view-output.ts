import type { CheckDetailsJson, CheckHeadJson } from './check-board-output.ts';

export type WallViewJson = Readonly<ReturnType<typeof wallViewJson>>;

/** A check in trouble, or several that turned bad together. */
export type WallTileJson = WallViewJson['tiles'][number];

/** The content of a wall display. It names checks and integrations, and contains no keys. */
export function wallViewJson(
  project: string,
  head: CheckHeadJson,
  details: readonly Pick<CheckDetailsJson, 'key' | 'cause'>[],
) {
  const causes = new Map(details.map(({ key, cause }) => [key, cause]));
  const { now, counts, more, pulse, told, channels } = head;
  const failing = (told?.missing ?? []).filter(({ state }) => state === 'retrying' || state === 'given_up');
  return {
    ...{ project, now, counts, more, pulse },
    /** The worst first. */
    tiles: head.lanes.map(({ key, name, count, status, since, next }) => {
      const cause = key === null ? null : (causes.get(key) ?? null);
      // Why, in words. Null for several.
      return { name, count, status, since, next, cause: cause?.head ?? null };
    }),
    /** Integrations that failed to tell about checks that are down. */
    failing: failing.map(({ channel, next }) => {
      const known = channels.find(({ uuid }) => uuid === channel);
      return { name: known?.name || known?.kind || '', next };
    }),
  };
}
