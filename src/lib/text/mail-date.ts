import type { Instant } from '../instant.ts';
import { inZone } from '../zone.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Tue, 24 Mar 2020 16:02:03 +0200`: the form of RFC 2822, section 3.3. An unknown zone counts as UTC. */
export function mailDate(at: Instant, timeZone: string): string {
  const local = inZone(at, timeZone);
  const time = [local.hour, local.minute, local.second].map(twoDigits).join(':');
  // The format has no seconds in an offset; no zone has any today.
  const offset = local.offset.slice(0, 6).replace(':', '');
  const day = `${DAYS[local.dayOfWeek - 1]}, ${local.day} ${MONTHS[local.month - 1]} ${local.year}`;
  return `${day} ${time} ${offset}`;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}
