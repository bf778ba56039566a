import type { Instant } from '../lib/instant.ts';
import type { PingedCheck } from './check.ts';
import { classify } from './keyword-filter.ts';
import { filterKey, type MailReading, mailFilterOf } from './mail-filter.ts';
import type { NewPing, Signal } from './ping.ts';
import { TOLERATED_AHEAD } from './status.ts';
import { effectiveSignal, receivePing, type Transition } from './transition.ts';

/** Which check a ping is for. */
export type PingTarget =
  | { readonly uuid: string }
  /** By the project's ping key, as its digest, and the check's slug. `create` makes the check where there is none. */
  | { readonly pingKeyDigest: string; readonly slug: string; readonly create: boolean };

/** Something wrong with the ping itself, which matters only once its check is known to exist. */
export type PingFault = 'invalid_exit_status' | 'invalid_rid';

/** A ping that has arrived, from whichever door, and is not recorded yet. */
export interface IncomingPing {
  readonly target: PingTarget;
  readonly fault: PingFault | null;
  /** What the address says it means; filters of the check may see it otherwise. */
  readonly signal: Exclude<Signal, 'ign'>;
  readonly exitStatus: number | null;
  readonly rid: string | null;
  readonly scheme: string;
  /** Empty for e-mail. */
  readonly method: string;
  readonly remoteAddr: string | null;
  readonly userAgent: string;
  readonly body: Uint8Array | null;
  /** What an e-mail says; null for HTTP. */
  readonly mail: MailReading | null;
}

/** What became of an incoming ping. */
export type PingOutcome =
  | 'recorded'
  /** Recorded, on a check that it created. */
  | 'created'
  | 'not_found'
  /** Several checks have the slug; none was pinged. */
  | 'ambiguous'
  | PingFault
  /** The check filters mails otherwise than when the mail was read, which has to be read again. Nothing was recorded. */
  | 'filter_changed'
  /** A bug: this ping could not be applied. The others of its batch were. */
  | { readonly failure: unknown };

export interface RecordedPing<C extends PingedCheck> extends Transition<C> {
  readonly ping: NewPing;
}

/**
 * Applies the ping to its check: the row to store, the check after it, and the flips it caused. A mail must have been read
 * for the filter that the check has.
 */
export function recordPing<C extends PingedCheck>(
  check: C,
  incoming: IncomingPing,
  clockNow: Instant,
): RecordedPing<C> {
  // However clocks may jump, the pings of one check are in order of time.
  const receivedAt = Math.max(clockNow, check.lastReceivedAt ?? clockNow);
  // But when the last one came from a future that is none any more, its time must not put off the deadline.
  const now = receivedAt - clockNow > TOLERATED_AHEAD ? clockNow : receivedAt;
  const signal = effectiveSignal(check, filteredSignal(check, incoming), now);
  const { check: after, flips } = receivePing(check, signal, incoming.rid, now);
  const ping: NewPing = {
    checkId: check.id,
    n: after.pingCount,
    createdAt: receivedAt,
    signal,
    scheme: incoming.scheme,
    method: incoming.method,
    remoteAddr: incoming.remoteAddr,
    userAgent: incoming.userAgent,
    rid: incoming.rid,
    exitStatus: incoming.exitStatus,
    body: incoming.body,
  };
  const hasConfirmationLink = incoming.mail?.asksToConfirm ?? asksToConfirm(incoming.body);
  return { check: { ...after, lastReceivedAt: receivedAt, hasConfirmationLink }, flips, ping };
}

/** Whatever the bytes are, the letters of this word are the same in all encodings that matter. */
export function asksToConfirm(body: Uint8Array | null): boolean {
  if (body === null) return false;
  // Not by a TextDecoder: to it this is windows-1252, which takes several times as long for text that is not ASCII.
  return /confirm/i.test(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'));
}

/** Whether a mail was read for another filter than the check has now: what it means to the check is not known. */
export function isReadForOtherFilter(check: PingedCheck, { mail }: IncomingPing): boolean {
  if (mail === null) return false;
  const filter = mailFilterOf(check);
  return filter !== null && filterKey(filter) !== filterKey(mail.filter);
}

function filteredSignal(check: PingedCheck, incoming: IncomingPing): Signal {
  if (incoming.mail !== null) return mailFilterOf(check) === null ? 'success' : incoming.mail.signal;
  if (check.methods === 'POST' && incoming.method !== 'POST') return 'ign';
  if (!check.filterHttpBody) return incoming.signal;
  // Bytes that are no UTF-8, or a character cut by the limit, must not cost the ping.
  return classify(check, incoming.body === null ? '' : new TextDecoder().decode(incoming.body));
}
