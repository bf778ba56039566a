const LAST_LETTER = 'z'.charCodeAt(0);
const LETTER_OF_ZERO = 'j'.charCodeAt(0);

/** The keys of all objects of a check, and only those, begin with this. */
export function checkPrefix(checkUuid: string): string {
  return `${checkUuid}/`;
}

/**
 * The key under which the body of a ping is stored. In lexical order a check's pings run from the newest to the oldest,
 * so one listing finds all pings up to a number. The first letter falls as the number gets longer; each further letter
 * stands for a digit and falls as the digit rises. Ping 10 is `yij-10`. The reference uses the same keys, so a bucket
 * that it filled can be read.
 */
export function objectKey(checkUuid: string, n: number): string {
  const digits = String(n);
  const letters = [
    String.fromCharCode(LAST_LETTER - (digits.length - 1)),
    ...Array.from(digits, (digit) => String.fromCharCode(LETTER_OF_ZERO - Number(digit))),
  ];
  return `${checkPrefix(checkUuid)}${letters.join('')}-${digits}`;
}

/** The number of the ping whose body the key names. Returns null for a key that does not belong to the check. */
export function pingNumberOf(key: string, checkUuid: string): number | null {
  const n = Number(/-(\d{1,16})$/.exec(key)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(n) && objectKey(checkUuid, n) === key ? n : null;
}
