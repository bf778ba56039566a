import type { Passkey } from '../../domain/people/passkey.ts';
import { type Authenticator, RECOVERY_CODE_COUNT } from '../../domain/people/second-factor.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

export interface SecondFactorsJson {
  /** Null if there is no app. */
  readonly authenticator: { readonly created: string } | null;
  readonly passkeys: number;
  readonly security_keys: number;
  /** All of them together. Whoever has only one is locked out when it is lost, and has no recovery code left. */
  readonly count: number;
  readonly recovery_codes_left: number;
  /** As many are made at once. */
  readonly recovery_codes_made: number;
}

export interface SecondFactorsData {
  readonly authenticator: Authenticator | null;
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodesLeft: number;
}

export function secondFactorsJson({
  authenticator,
  passkeys,
  recoveryCodesLeft,
}: SecondFactorsData): SecondFactorsJson {
  return {
    authenticator: authenticator && { created: toIsoSeconds(authenticator.createdAt) },
    passkeys: passkeys.filter(({ kind }) => kind === 'passkey').length,
    security_keys: passkeys.filter(({ kind }) => kind === 'security_key').length,
    count: passkeys.length + (authenticator === null ? 0 : 1),
    recovery_codes_left: recoveryCodesLeft,
    recovery_codes_made: RECOVERY_CODE_COUNT,
  };
}

export interface PasskeyJson {
  readonly uuid: string;
  readonly kind: string;
  readonly name: string;
  readonly created: string;
  readonly last_used: string | null;
}

export interface PasskeysJson {
  readonly passkeys: readonly PasskeyJson[];
  /** The UUID of the one without which the person could not sign in. It cannot be removed. */
  readonly last_way_in: string | null;
}

export function passkeyJson({ uuid, kind, name, createdAt, lastUsedAt }: Passkey): PasskeyJson {
  return {
    uuid,
    kind,
    name,
    created: toIsoSeconds(createdAt),
    last_used: toIsoSeconds(lastUsedAt),
  };
}
