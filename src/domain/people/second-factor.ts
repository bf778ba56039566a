import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { plainCode } from './typed-code.ts';

/** An app that shows codes. Its secret is sealed. */
export interface Authenticator {
  accountId: number;
  sealedSecret: string;
  createdAt: Instant;
}

/** The second proof of identity at sign-in. */
export type SecondFactor = 'totp' | 'security_key' | 'recovery_code';

/** Time between the first proof and the second. */
export const SECOND_FACTOR_SPAN: Micros = seconds(300);
/** Time until the first code for a secret that a page shows. */
export const AUTHENTICATOR_SETUP_SPAN: Micros = seconds(1_800);

export const RECOVERY_CODE_COUNT = 10;
/** Six groups have about 119 random bits: too many to be guessed, even by somebody who has the digest. */
export const RECOVERY_CODE_GROUPS = 6;

/** Whether it looks like a code of an app, and not like a recovery code. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(plainCode(code));
}
