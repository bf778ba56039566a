import { maskedWallToken } from '../../domain/people/api-key.ts';
import type { Wall } from '../../domain/public/wall.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A wall display in a list. Its address is shown once, when it is made. */
export interface WallJson {
  readonly uuid: string;
  readonly name: string;
  /** Its first characters. */
  readonly token: string;
  readonly created: string;
  readonly created_by: string | null;
}

export function wallJson(wall: Wall & { readonly makerEmail: string | null }): WallJson {
  const { uuid, name, lookup, createdAt, makerEmail } = wall;
  return {
    ...{ uuid, name, token: maskedWallToken(lookup) },
    created: toIsoSeconds(createdAt),
    created_by: makerEmail,
  };
}
