import { Secret, TOTP } from 'otpauth';
import type { Instant } from './instant.ts';
import type { Random } from './random.ts';

// Every app understands these (RFC 6238 with the defaults of the key URI format).
const RULES = { algorithm: 'SHA1', digits: 6, period: 30 };
const SECRET_BYTES = 20;
/** Codes of the step before and after are accepted: the clocks of phones differ. */
const WINDOW = 1;

/** A secret for an app, in base 32. */
export function newTotpSecret({ bytes }: Pick<Random, 'bytes'>): string {
  return new Secret({ buffer: Uint8Array.from(bytes(SECRET_BYTES)).buffer }).base32;
}

/** The time step of the code. Null if the code is wrong. */
export function totpStep(code: string, secret: string, now: Instant): number | null {
  // The library fails on a text of as many characters and more bytes.
  if (!/^[0-9]{6}$/.test(code)) return null;
  const timestamp = Math.floor(now / 1000);
  const delta = TOTP.validate({
    ...RULES,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp,
    window: WINDOW,
  });
  return delta === null ? null : TOTP.counter({ period: RULES.period, timestamp }) + delta;
}

/** The code that an app shows. */
export function totpCode(secret: string, now: Instant): string {
  return TOTP.generate({ ...RULES, secret: Secret.fromBase32(secret), timestamp: Math.floor(now / 1000) });
}

/** The address in the QR code that apps read. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new TOTP({ ...RULES, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}
