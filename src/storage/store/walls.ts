import type { NewWall, Wall } from '../../domain/public/wall.ts';

export interface ListedWall extends Wall {
  /** Of the account that made it, if it exists. */
  readonly makerEmail: string | null;
}

export interface WallReads {
  /** The wall of a project that is not deleted. */
  byDigest(digest: string): Promise<Wall | null>;
  /** In order of creation. */
  ofProject(projectId: number): Promise<ListedWall[]>;
}

export interface WallWrites extends WallReads {
  insert(wall: NewWall): Promise<Wall>;
  delete(projectId: number, id: number): Promise<void>;
  /** Deletes the walls that the account has made, in all projects. Returns their number. */
  deleteOfMaker(makerId: number): Promise<number>;
}
