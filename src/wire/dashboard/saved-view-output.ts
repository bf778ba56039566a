import type { SavedView } from '../../domain/saved-view.ts';

/** Filters and order of a list of checks, under a name. */
export interface SavedViewJson {
  readonly uuid: string;
  readonly name: string;
  /** The query of the address of the list, without the question mark. */
  readonly query: string;
  readonly shared: boolean;
  /** Whether the person keeps it themselves. */
  readonly own: boolean;
  /** The address of whoever keeps it. */
  readonly by: string;
}

export interface SavedViewsJson {
  /** In order of creation. */
  readonly views: readonly SavedViewJson[];
}

export function savedViewJson(view: SavedView, accountId: number, keeper: string): SavedViewJson {
  const { uuid, name, query, isShared } = view;
  return { uuid, name, query, shared: isShared, own: view.accountId === accountId, by: keeper };
}
