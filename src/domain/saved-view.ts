import type { Instant } from '../lib/instant.ts';

/** Views that one person keeps in a project. */
export const MAX_OWN_VIEWS = 50;
/** Views of a project that everybody in it sees. */
export const MAX_SHARED_VIEWS = 100;
/** Characters of a view's filter. */
export const MAX_VIEW_QUERY = 1_000;

/** Filters and order of a list of checks, under a name. */
export interface SavedView {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: number;
  /** The account that keeps it. */
  readonly accountId: number;
  readonly name: string;
  /** The query of the address of the list. */
  readonly query: string;
  /** Whether everybody in the project sees it. */
  readonly isShared: boolean;
  readonly createdAt: Instant;
}

export type NewSavedView = Omit<SavedView, 'id'>;
