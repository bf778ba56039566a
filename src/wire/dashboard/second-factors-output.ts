import type { Passkey } from '../../domain/passkey.ts';
import type { Authenticator } from '../../domain/second-factor.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

export interface SecondFactorsJson {
  /** Null if there is no app. */
  readonly authenticator: { readonly created: string } | null;
  readonly recovery_codes_left: number;
}

export function secondFactorsJson({
  authenticator,
  recoveryCodesLeft,
}: {
  readonly authenticator: Authenticator | null;
  readonly recoveryCodesLeft: number;
}): SecondFactorsJson {
  return {
    authenticator: authenticator && { created: toIsoSeconds(authenticator.createdAt) },
    recovery_codes_left: recoveryCodesLeft,
  };
}

export interface PasskeyJson {
  readonly uuid: string;
  readonly name: string;
  readonly created: string;
  readonly last_used: string | null;
}

export function passkeyJson({ uuid, name, createdAt, lastUsedAt }: Passkey): PasskeyJson {
  return {
    uuid,
    name,
    created: toIsoSeconds(createdAt),
    last_used: lastUsedAt === null ? null : toIsoSeconds(lastUsedAt),
  };
}
