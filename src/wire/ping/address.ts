import { HIGHEST_EXIT_STATUS } from '../../domain/check/exit-map.ts';
import { readSentNumber, type SentNumber } from '../../domain/ping/declared-numbers.ts';
import type { IncomingPing, PingAddressError, PingFault } from '../../domain/ping/incoming-ping.ts';
import { MAX_NUMBERS } from '../../domain/ping/numbers.ts';
import { MAX_PING_AGE } from '../../domain/ping/ping.ts';
import { SLUG_MAX_LENGTH } from '../../domain/slug.ts';
import { MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';

/** The meaning of a ping's path. */
export interface PingAddress {
  readonly target: { readonly uuid: string } | { readonly pingKey: string; readonly slug: string };
  readonly signal: IncomingPing['signal'];
  readonly exitStatus: number | null;
  readonly fault: PingFault | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SEGMENT = /^[A-Za-z0-9_-]+$/;

type Action = Pick<PingAddress, 'signal' | 'exitStatus' | 'fault'>;

const SUCCESS: Action = { signal: 'success', exitStatus: null, fault: null };

/** Reads the percent-decoded path after `/ping/`. */
export function parsePingPath(path: string): PingAddress | PingAddressError {
  const segments = path.split('/');
  const [first = '', second, third] = segments;
  if (UUID.test(first)) {
    // Only this form may end in a slash.
    const isPlain = second === undefined || (second === '' && segments.length === 2);
    const action = isPlain ? SUCCESS : segments.length === 2 ? readAction(second) : null;
    if (action !== null) return addressOf({ uuid: first }, action);
  }
  if (second === undefined || !SEGMENT.test(first) || !SEGMENT.test(second)) return 'not_found';
  if (segments.length > 3) return 'not_found';
  const action = third === undefined ? SUCCESS : readAction(third);
  if (action === null) return 'not_found';
  // Checked before any look-up, so the answer is the same for unknown keys.
  if (/[A-Z]/.test(second) || second.length > SLUG_MAX_LENGTH) return 'invalid_url';
  return addressOf({ pingKey: first, slug: second }, action);
}

function addressOf(target: PingAddress['target'], { signal, exitStatus, fault }: Action): PingAddress {
  return { target, signal, exitStatus, fault };
}

function isWord(segment: string): segment is Exclude<PingAddress['signal'], 'success'> {
  return segment === 'start' || segment === 'fail' || segment === 'log' || segment === 'progress';
}

function readAction(segment: string): Action | null {
  if (isWord(segment)) return { ...SUCCESS, signal: segment };
  if (!/^[0-9]+$/.test(segment)) return null;
  const exitStatus = Number(segment);
  if (exitStatus > HIGHEST_EXIT_STATUS) return { ...SUCCESS, fault: 'invalid_exit_status' };
  return { signal: exitStatus === 0 ? 'success' : 'fail', exitStatus, fault: null };
}

const RID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isRid(text: string): boolean {
  return RID.test(text);
}

/** The run id of a query in lower case. Null if absent, a fault if not a UUID. If repeated, the last one counts. */
export function parseRid(query: URLSearchParams): string | null | 'invalid_rid' {
  const rid = query.getAll('rid').at(-1);
  if (rid === undefined) return null;
  return isRid(rid) ? rid.toLowerCase() : 'invalid_rid';
}

const AGE = /^[0-9]+(\.[0-9]{1,6})?$/;

/** How long before the request the thing happened that it reports. If repeated, the last one counts. */
export function parseAge(query: URLSearchParams): Micros | undefined | 'invalid_age' {
  const text = query.getAll('age').at(-1);
  if (text === undefined) return undefined;
  const age = Math.round(Number(text) * MICROS_PER_SECOND);
  return AGE.test(text) && age <= MAX_PING_AGE ? age : 'invalid_age';
}

/** Numbers of the run that the ping ends, such as `number=rows:5`, the first ten. What is none is left out. */
export function parseNumbers(query: URLSearchParams): readonly SentNumber[] | undefined {
  if (!query.has('number')) return undefined;
  const sent = query.getAll('number').slice(0, MAX_NUMBERS);
  return sent.map(readSentNumber).filter((number) => number !== null);
}
