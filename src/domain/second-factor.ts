import { type Instant, type Micros, seconds } from '../lib/instant.ts';

/** An app that shows codes. Its secret is sealed. */
export interface Authenticator {
  accountId: number;
  sealedSecret: string;
  createdAt: Instant;
}

/** What proves, besides the first proof, who signs in. */
export type SecondFactor = 'totp' | 'recovery_code';

/** How long a person may take between the first proof and the second. */
export const SECOND_FACTOR_SPAN: Micros = seconds(300);
/** How long the secret that a page shows may wait for its first code. */
export const AUTHENTICATOR_SETUP_SPAN: Micros = seconds(1_800);

export const RECOVERY_CODE_COUNT = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;
// Without letters and digits that look alike.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A code such as `abcd-efgh-jkmn-pqrs`: too random to be guessed, even by somebody who has its digest. */
export function newRecoveryCode(randomBytes: (count: number) => Uint8Array): string {
  const usable = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < GROUPS * GROUP_LENGTH) {
    for (const byte of randomBytes(GROUPS * GROUP_LENGTH)) {
      if (byte < usable && text.length < GROUPS * GROUP_LENGTH) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text.replace(/(.{4})(?!$)/g, '$1-');
}

/** The code as it is compared: people leave out dashes, and write capitals. */
export function plainCode(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '');
}

/** Whether it looks like a code of an app, and not like a recovery code. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(plainCode(code));
}
