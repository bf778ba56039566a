import { TEXT_LIMITS } from '../text-limits.ts';
import { COMMON_PASSWORDS } from './common-passwords.ts';

/** Characters. There are no rules about kinds of characters, which make passwords harder to remember, not to guess. */
export const MIN_PASSWORD_LENGTH = 8;

/**
 * Why the password may not be chosen. Null if it may. `email` is the address of its account, and `siteName` the name that
 * the operator has given to the service.
 */
export function passwordFault(password: string, email: string, siteName = ''): string | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return `The password needs at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (length > TEXT_LIMITS.password) return 'The password is too long.';
  const plain = password.normalize('NFC').toLowerCase();
  if (isCommon(plain)) return 'This password is among the first that others try.';
  if (lettersOf(plain) !== '' && lettersOf(plain) === lettersOf(siteName.toLowerCase()))
    return 'The password repeats the name of the service.';
  if (plain === email || plain === email.split('@')[0]) return 'The password repeats the e-mail address.';
  return null;
}

/** A name stays a name with digits, blanks or signs in it: `Acme-Watch-2026!`. */
function lettersOf(text: string): string {
  return text.normalize('NFC').replace(/\P{L}/gu, '');
}

/** A common password stays common with digits or signs around it: `!Password2024!`. */
function isCommon(plain: string): boolean {
  const bare = plain.replace(/^\P{L}+|\P{L}+$/gu, '');
  return COMMON_PASSWORDS.has(plain) || (bare.length > 3 && COMMON_PASSWORDS.has(bare)) || isPattern(plain);
}

const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
];
const RUNS = ROWS.flatMap((row) => [row, [...row].reverse().join('')]);
/** Pieces of a row that are shorter occur in real words. */
const MIN_RUN = 4;

/** One piece again and again, or nothing but runs along the alphabet, the digits or the keyboard. */
function isPattern(plain: string): boolean {
  if (/^(.{1,3}?)\1+.{0,2}$/su.test(plain)) return true;
  let rest = plain;
  while (rest !== '') {
    const run = longestRun(rest);
    if (run < MIN_RUN) return false;
    rest = rest.slice(run);
  }
  return true;
}

/** The length of the run at the beginning of the text, forwards or backwards. */
function longestRun(text: string): number {
  let length = 0;
  while (length < text.length && RUNS.some((run) => run.includes(text.slice(0, length + 1)))) length++;
  return length;
}
