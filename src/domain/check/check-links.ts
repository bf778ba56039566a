/** The checks without which a check cannot work, at most. */
export const MAX_PARENTS = 10;

/** The parts of a stored list: unique keys of parents, or UUIDs of integrations. */
export function listed(stored: string): string[] {
  return stored === '' ? [] : stored.split(',');
}

/** The stored form of such a list, the same for any order. */
export function asList(parts: readonly string[]): string {
  return [...new Set(parts)].sort().join(',');
}

/** That a check cannot work without another one, by their ids. */
export interface ParentLink {
  readonly checkId: number;
  readonly parentId: number;
}

/** The way from the check over these parents back to itself: its id first and last. Null if there is none. */
export function circleOf(
  checkId: number,
  parentIds: readonly number[],
  links: readonly ParentLink[],
): number[] | null {
  const parentsOf = Map.groupBy(links, (link) => link.checkId);
  const seen = new Set<number>();
  const ways = parentIds.map((id) => [checkId, id]);
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const last = way.at(-1) ?? checkId;
    if (last === checkId) return way;
    if (seen.has(last)) continue;
    seen.add(last);
    for (const { parentId } of parentsOf.get(last) ?? []) ways.push([...way, parentId]);
  }
  return null;
}
