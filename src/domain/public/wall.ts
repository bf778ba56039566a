import type { Instant } from '../../lib/instant.ts';

export const MAX_WALLS = 20;

/** A screen that shows a project to everybody in front of it. Its address contains a token, stored as a digest. */
export interface Wall {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: number;
  readonly name: string;
  /** Characters of the token that lists show. */
  readonly lookup: string;
  readonly digest: string;
  /** The account that made it, if it exists. */
  readonly makerId: number | null;
  readonly createdAt: Instant;
}

export type NewWall = Omit<Wall, 'id'>;
