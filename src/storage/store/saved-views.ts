import type { NewSavedView, SavedView } from '../../domain/saved-view.ts';

export interface ListedView extends SavedView {
  /** The address of the account that keeps it. */
  readonly keeperEmail: string;
}

export interface SavedViewReads {
  /** Views of the project that the account keeps, or that everybody sees, in order of creation. */
  seenBy(projectId: number, accountId: number): Promise<ListedView[]>;
}

export interface SavedViewWrites extends SavedViewReads {
  insert(view: NewSavedView): Promise<SavedView>;
  /** Saves its name, what it shows, and whether it is shared. */
  update(view: SavedView): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}
