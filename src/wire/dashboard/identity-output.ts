import type { Identity } from '../../domain/people/identity.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A person of a provider to whom the account belongs. */
export interface IdentityJson {
  readonly uuid: string;
  readonly issuer: string;
  /** The address that the provider named last. */
  readonly email: string;
  readonly created: string;
  readonly last_used: string;
}

export interface IdentitiesJson {
  readonly identities: readonly IdentityJson[];
  /** Whether only the provider signs the person in. Then none can be removed. */
  readonly is_last_way_in: boolean;
}

export function identityJson({ uuid, issuer, email, createdAt, lastUsedAt }: Identity): IdentityJson {
  return { uuid, issuer, email, created: toIsoSeconds(createdAt), last_used: toIsoSeconds(lastUsedAt) };
}
