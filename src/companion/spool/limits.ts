import type { Waiting } from './entry.ts';

/** How much may wait. */
export interface SpoolLimits {
  readonly files: number;
  readonly bytes: number;
  readonly ageMs: number;
}

/** The greatest age is an option. */
export const SPOOL_LIMITS: Omit<SpoolLimits, 'ageMs'> = { files: 1_000, bytes: 20_000_000 };

export interface Sized extends Waiting {
  readonly bytes: number;
}

/** Bodies of this length or less are not worth taking: what says that one was taken is as long. */
const SHORT_BODY_BYTES = 200;

/** What has to go, of pings in their order: the oldest bodies, then the oldest logs and starts, then the oldest. */
export function tooMany(
  waiting: readonly Sized[],
  limits: SpoolLimits,
): { readonly bodies: readonly Sized[]; readonly whole: readonly Sized[] } {
  let bytes = waiting.reduce((sum, one) => sum + one.bytes, 0);
  let files = waiting.length;
  const bodies = new Set<Sized>();
  for (const one of waiting) {
    if (bytes <= limits.bytes) break;
    if (one.head.bodyBytes <= SHORT_BODY_BYTES) continue;
    bytes -= one.head.bodyBytes - SHORT_BODY_BYTES;
    bodies.add(one);
  }
  const isMinor = ({ head }: Sized) => head.signal === 'log' || head.signal === 'start';
  const whole: Sized[] = [];
  for (const one of [...waiting.filter(isMinor), ...waiting.filter((other) => !isMinor(other))]) {
    if (files <= limits.files && bytes <= limits.bytes) break;
    bytes -= bodies.delete(one) ? one.bytes - one.head.bodyBytes + SHORT_BODY_BYTES : one.bytes;
    files -= 1;
    whole.push(one);
  }
  return { bodies: [...bodies], whole };
}

export function textOfTakenBody(bytes: number): string {
  return `[tocsin] ${bytes} bytes left out: too much was waiting to be sent`;
}

export function inPings(count: number): string {
  return count === 1 ? '1 ping was' : `${count} pings were`;
}
