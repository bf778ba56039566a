import { type Instant, type Micros, seconds } from '../../lib/instant.ts';

/**
 * Says that an account belongs to a person of a provider. Issuer and subject together name the person for good. An address
 * does not: the provider may give it to somebody else.
 */
export interface Identity {
  id: number;
  uuid: string;
  accountId: number;
  issuer: string;
  subject: string;
  /** The address that the provider named last. The account may have another one. */
  email: string;
  createdAt: Instant;
  lastUsedAt: Instant;
}

export type NewIdentity = Omit<Identity, 'id'>;

/** The facts about a person from a provider or a proxy. */
export interface ProvidedPerson {
  /** In lower case. */
  readonly email: string;
  /** May be empty. */
  readonly name: string;
  /** Empty if groups are missing: a person who leaves the last group must lose its role. */
  readonly groups: readonly string[];
}

/** Time for signing in at the provider. */
export const PROVIDER_SIGN_IN_SECONDS = 600;
export const PROVIDER_SIGN_IN_SPAN: Micros = seconds(PROVIDER_SIGN_IN_SECONDS);
/** OpenID Connect Core, section 2: a subject has no more than 255 characters. */
export const MAX_SUBJECT_LENGTH = 255;
export const MAX_ISSUER_LENGTH = 2_000;
