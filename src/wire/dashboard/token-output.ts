import type { AccountToken } from '../../domain/people/account-token.ts';
import { maskedToken } from '../../domain/people/api-key.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { type KeyJson, useJson } from '../api/key-output.ts';

/** A token in a list. It does not contain the token itself. */
export interface TokenJson
  extends Pick<
    KeyJson,
    'uuid' | 'name' | 'created' | 'expires' | 'is_expired' | 'last_used' | 'last_used_address'
  > {
  readonly token: string;
  readonly scopes: readonly string[];
  /** UUIDs of the projects in which it works. Null: all. */
  readonly projects: readonly string[] | null;
}

/** A token that has just been made. */
export interface MadeTokenJson extends TokenJson {
  /** The token itself, which is never shown again. */
  readonly secret: string;
}

export interface TokenData {
  readonly token: AccountToken;
  readonly projects: readonly string[] | null;
}

export function tokenJson({ token, projects }: TokenData, now: Instant): TokenJson {
  const { uuid, name, scopes, lookup, createdAt } = token;
  return {
    ...{ uuid, name, token: maskedToken(lookup), scopes, projects },
    created: toIsoSeconds(createdAt),
    ...useJson(token, now),
  };
}
