import { maskedWallToken } from '../../domain/people/api-key.ts';
import type { Wall } from '../../domain/public/wall.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A wall display in a list. Its address is shown once, when it is made. */
export type WallJson = ReturnType<typeof wallJson>;

export function wallJson(wall: Wall & { readonly makerEmail: string | null }) {
  const { uuid, name, lookup, createdAt, makerEmail } = wall;
  return {
    ...{ uuid, name, token: maskedWallToken(lookup) },
    created: toIsoSeconds(createdAt),
    created_by: makerEmail,
  };
}
