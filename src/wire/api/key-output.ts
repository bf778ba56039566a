import { hasExpired, maskedKey } from '../../domain/people/api-key.ts';
import type { ApiKey } from '../../domain/people/project.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';

/** A key in a list. It does not contain the key itself. */
export type KeyJson = ReturnType<typeof keyJson>;

/** A key that has just been made. */
export interface MadeKeyJson extends KeyJson {
  /** The key itself, which is never shown again. */
  secret: string;
}

export function keyJson(key: ApiKey & { readonly makerEmail: string | null }, now: Instant) {
  const { uuid, name, kind, madeBy, makerEmail } = key;
  return {
    ...{ uuid, name, kind, key: maskedKey(key) },
    created: toIsoSeconds(key.createdAt),
    created_by: makerEmail,
    made_by: madeBy,
    ...useJson(key, now),
  };
}

/** The validity of a key or a token, and its last use. */
export function useJson(
  used: {
    readonly expiresAt: Instant | null;
    readonly lastUsedAt: Instant | null;
    readonly lastUsedAddr: string | null;
  },
  now: Instant,
) {
  const { expiresAt, lastUsedAt, lastUsedAddr } = used;
  return {
    expires: toIsoSeconds(expiresAt),
    is_expired: hasExpired(used, now),
    last_used: toIsoSeconds(lastUsedAt),
    last_used_address: lastUsedAddr,
  };
}
