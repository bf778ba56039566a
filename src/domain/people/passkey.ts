import { type Instant, type Micros, seconds } from '../../lib/instant.ts';

/**
 * `passkey`: signs in alone, since the device knows whose it is and verifies the person. `security_key`: proves, beside
 * another proof, that the person has it.
 */
export const PASSKEY_KINDS = ['passkey', 'security_key'] as const;

export type PasskeyKind = (typeof PASSKEY_KINDS)[number];

/** A key that a person keeps in a device, and signs in with. */
export interface Passkey {
  id: number;
  /** Names it in lists. */
  uuid: string;
  accountId: number;
  kind: PasskeyKind;
  /** Both in base64url. */
  credentialId: string;
  publicKey: string;
  /** The number of signatures by the device; 0 if it does not count. */
  counter: number;
  name: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

export type NewPasskey = Omit<Passkey, 'id'>;

export const MAX_PASSKEYS = 20;
/** Time for a person to answer. */
export const CHALLENGE_SPAN: Micros = seconds(300);
