/** How values of options are written. Each reader returns null for a text that it does not understand. */

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;
const MULTIPLES = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 } as const;
const LONGEST_MS = 366 * UNITS_MS.d;

/** `90` (seconds), `90s`, `15m`, `2h24m`, `1.5s` → milliseconds. */
export function readDuration(text: string): number | null {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  const ms = seconds === null ? readUnits(text) : seconds * UNITS_MS.s;
  return ms === null || ms > LONGEST_MS ? null : Math.round(ms);
}

function readUnits(text: string): number | null {
  const match = /^(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s)?$/.exec(text);
  if (match === null || text === '') return null;
  const [, d = '0', h = '0', m = '0', s = '0'] = match;
  const parts = [
    Number(d) * UNITS_MS.d,
    Number(h) * UNITS_MS.h,
    Number(m) * UNITS_MS.m,
    Number(s) * UNITS_MS.s,
  ];
  const sum = parts.reduce((one, two) => one + two);
  return Number.isFinite(sum) ? sum : null;
}

/** `4000`, `4k`, `1M`, `1G`, `1T` → bytes. */
export function readSize(text: string): number | null {
  const [, digits, unit] = /^(\d{1,12})(|k|M|G|T)$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * MULTIPLES[unit as keyof typeof MULTIPLES];
}

/** `50%`, `50` → 50. */
export function readPercent(text: string): number | null {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,6})?)%?$/.exec(text) ?? [];
  const percent = digits === undefined ? null : Number(digits);
  return percent !== null && percent <= 100 ? percent : null;
}

export function readCount(text: string): number | null {
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** `0,24` → exit codes. */
export function readCodes(text: string): readonly number[] | null {
  const codes = text.split(',').map((one) => readCount(one.trim()));
  return codes.some((code) => code === null || code > 255) ? null : codes.filter((code) => code !== null);
}

export function readSwitch(text: string): boolean | null {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : null;
}

/** `A,B` → names. */
export function readNames(text: string): readonly string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** A regular expression of JavaScript that finds all places. */
export function readPattern(source: string): RegExp | null {
  try {
    return new RegExp(source, 'gu');
  } catch {
    return null;
  }
}
