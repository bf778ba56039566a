import { type Instant, MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import type { Converters } from './tables.ts';

const TIME = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})\d*)?(?:Z|([+-])(\d\d):?(\d\d)?)?$/;
const DURATION = /^(?:(\d{1,6}) )?(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/;
const UUID_DIGITS = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
const NO_BYTES = new Uint8Array();

/** Converters for values of any type, as SQLite and JSON may contain them. */
export const ANY_VALUES: Converters = {
  integer: readInteger,
  text: readText,
  flag: (found) => found === true || found === 1 || found === 1n,
  uuid: readUuid,
  time: (found) => (typeof found === 'string' ? readTime(found) : null),
  duration: (found) => readInteger(found),
  bytes: (found) => (found instanceof Uint8Array ? found : NO_BYTES),
};

function readInteger(found: unknown): number | null {
  const number = typeof found === 'bigint' ? Number(found) : found;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

function readText(found: unknown): string {
  if (typeof found === 'string') return found;
  if (found instanceof Uint8Array) return new TextDecoder().decode(found);
  return typeof found === 'number' || typeof found === 'bigint' ? String(found) : '';
}

/** The pattern builds a text in one piece. A hundred thousand concatenated ones would take four times as much memory. */
function readUuid(found: unknown): string | null {
  if (typeof found !== 'string') return null;
  const digits = found.replaceAll('-', '').toLowerCase();
  return UUID_DIGITS.test(digits) ? digits.replace(UUID_DIGITS, '$1-$2-$3-$4-$5') : null;
}

/** `2026-11-09 05:59:00.123456` in UTC, or the form of ISO 8601. */
export function readTime(text: string): Instant | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', sign, hours = 0, minutes = 0] = match;
  const millis = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const utc = sign === undefined ? millis : sign === '+' ? millis - offset : millis + offset;
  return utc * 1000 + Number(fraction.padEnd(6, '0'));
}

/** `[D ]HH:MM:SS[.f]`, as Django writes it. */
export function readDuration(text: string): Micros | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const [, days = 0, hours, minutes, seconds, fraction = ''] = match;
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return total * MICROS_PER_SECOND + Number(fraction.padEnd(6, '0'));
}
