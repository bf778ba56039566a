import { maskedKey, maskedWallToken } from '../domain/people/api-key.ts';
import type { MadeAccess } from '../services/project/member-access.ts';

/** Keys and wall displays that a person has made. They open the project even after the person's own role has ended. */
export function shownAccess({ keys, walls }: MadeAccess) {
  return {
    keys: keys.map((key) => ({ uuid: key.uuid, name: key.name, key: maskedKey(key) })),
    walls: walls.map(({ uuid, name, lookup }) => ({ uuid, name, token: maskedWallToken(lookup) })),
  };
}
