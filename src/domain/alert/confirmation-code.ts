import { type Micros, seconds } from '../../lib/instant.ts';

export const CONFIRMATION_CODE_LIFE: Micros = seconds(900);

const DIGITS = 6;

/** Bytes from which every digit is equally likely. */
const USABLE = 250;

/** A code that people read on a phone, or hear, and type: `482913`. */
export function newConfirmationCode(randomBytes: (count: number) => Uint8Array): string {
  let code = '';
  while (code.length < DIGITS) {
    for (const byte of randomBytes(DIGITS)) {
      if (byte < USABLE && code.length < DIGITS) code += String(byte % 10);
    }
  }
  return code;
}

/** The code as it is compared. People type it in groups. */
export function plainDigits(typed: string): string {
  return typed.replace(/[\s-]/g, '');
}
