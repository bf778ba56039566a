import type { Instant, Micros } from '../../lib/instant.ts';
import type { PingedCheck, RunResult } from '../check/check.ts';
import type { JobDeclaration } from '../check/job-declaration.ts';
import { TOLERATED_AHEAD } from '../check/status.ts';
import type { SentNumber } from './declared-numbers.ts';
import { classify, searchedText } from './keyword-filter.ts';
import { filterKey, type MailReading, mailFilterOf } from './mail-filter.ts';
import { isLate, type NewPing, type Signal } from './ping.ts';
import { type Judgement, judgeRun } from './run-judgement.ts';
import { effectiveSignal, receivePing, startOfEnded, type Transition } from './transition.ts';

/** Which check a ping is for. */
export type PingTarget =
  | { readonly uuid: string }
  /** By the digest of the project's ping key and the check's slug. With `create` a missing check is created. */
  | { readonly pingKeyDigest: string; readonly slug: string; readonly create: boolean };

/** An address of another program. Its check is known once its alias and its project are. */
export type ForeignTarget =
  | {
      readonly dialect: 'kuma';
      readonly tokenDigest: string;
      /** Lines that come before the body of the request. */
      readonly text: string;
    }
  | {
      readonly dialect: 'cronitor';
      /** Of the project's ping key, or of a token in its place. */
      readonly keyDigest: string;
      /** Null if the name of the check cannot be a token. */
      readonly tokenDigest: string | null;
      readonly slug: string;
      readonly create: boolean;
      readonly text: string;
      /** The meaning of the address in a project that does not accept the dialect. */
      readonly usual: PingReading | PingAddressError;
    };

/** The parts of a ping that its address tells. */
export type PingReading<Target = PingTarget> = Pick<
  IncomingPing<Target>,
  'target' | 'signal' | 'exitStatus' | 'fault' | 'rid' | 'age' | 'numbers' | 'declaration'
>;

/** An address that is none. */
export type PingAddressError = 'not_found' | 'invalid_url';

/** A fault of the ping itself. It is reported only if the check exists. */
export type PingFault = 'invalid_exit_status' | 'invalid_rid' | 'invalid_age' | 'unknown_state';

/** A ping that has arrived by HTTP or mail and is not recorded yet. */
export interface IncomingPing<Target = PingTarget> {
  readonly target: Target;
  readonly fault: PingFault | null;
  /** The signal that the address names. Filters of the check may change it. */
  readonly signal: Exclude<Signal, 'ign'>;
  readonly exitStatus: number | null;
  readonly rid: string | null;
  /** The time between the event and the request. Absent: none. */
  readonly age?: Micros | undefined;
  /** Numbers of the run that it ends. Absent: none. */
  readonly numbers?: readonly SentNumber[] | undefined;
  readonly scheme: string;
  /** Empty for e-mail. */
  readonly method: string;
  readonly remoteAddr: string | null;
  readonly userAgent: string;
  /** The part that is stored, or searched for keywords. */
  readonly body: Uint8Array | null;
  /** Bytes of the body that are stored, if not all are. Always given where text may come before the body. */
  readonly keptBytes?: number | undefined;
  /** The meaning of the mail for the check. Null for HTTP. */
  readonly mail: MailReading | null;
  /** How the job declares its check. Absent if it does not. */
  readonly declaration?: JobDeclaration | undefined;
}

/** A ping whose address may be one of another program. */
export type ReceivedPing = IncomingPing<PingTarget | ForeignTarget>;

/** A ping with a declaration was recorded, and what became of the declaration. */
export interface DeclaredOutcome {
  readonly recorded: 'recorded' | 'created';
  /** `applied`, `same`, `kept; grace`, `refused; grace: …` or `off`. */
  readonly declaration: string;
  /** A bug: why the server could not apply it. */
  readonly fault?: unknown;
}

export type PingOutcome =
  | 'recorded'
  /** Recorded for a check that it created. */
  | 'created'
  | PingAddressError
  /** Several checks have the slug. None was pinged. */
  | 'ambiguous'
  | PingFault
  /** The mail filter of the check has changed since the mail was read. Nothing was recorded; the mail must be read again. */
  | 'filter_changed'
  | DeclaredOutcome
  /** A bug: this ping could not be applied. The other pings of its batch were recorded. */
  | FailedPing;

export interface FailedPing {
  readonly failure: unknown;
}

export function isFailure(outcome: PingOutcome): outcome is FailedPing {
  return typeof outcome === 'object' && 'failure' in outcome;
}

export interface RecordedPing<C extends PingedCheck> extends Transition<C> {
  readonly ping: NewPing;
}

/**
 * Applies the ping to its check. Returns the row to store, the check after the ping, and the flips. A mail must have been
 * read for the current filter of the check.
 */
export function recordPing<C extends PingedCheck>(
  check: C,
  incoming: IncomingPing,
  clockNow: Instant,
): RecordedPing<C> {
  // The pings of one check stay in order of time, even if the clock is set back.
  const receivedAt = Math.max(clockNow, check.lastReceivedAt ?? clockNow);
  // But if the last ping was dated far in the future by a wrong clock, the deadline must not follow that date.
  const now = receivedAt - clockNow > TOLERATED_AHEAD ? clockNow : receivedAt;
  const meant = effectiveSignal(check, filteredSignal(check, incoming));
  const occurredAt = isLate(incoming.age) ? now - incoming.age : null;
  const at = occurredAt ?? now;
  const body = storedBody(incoming);
  const startedAt = isEnd(meant) ? startOfEnded(check, incoming.rid, at, now) : null;
  const verdict = check.runRules === '' ? undefined : judge(check, incoming, meant, startedAt, at, body);
  const signal = verdict?.signal ?? meant;
  const { check: after, flips } = receivePing(check, signal, incoming.rid, now, at, verdict);
  const ping: NewPing = {
    checkId: check.id,
    n: after.pingCount,
    createdAt: receivedAt,
    occurredAt,
    signal,
    scheme: incoming.scheme,
    method: incoming.method,
    remoteAddr: incoming.remoteAddr,
    userAgent: incoming.userAgent,
    rid: incoming.rid,
    exitStatus: incoming.exitStatus,
    runStartedAt: startedAt,
    runFlags: verdict === undefined || verdict.flags === 0 ? null : verdict.flags,
    runNumbers: verdict?.numbers ?? null,
    body,
  };
  const hasConfirmationLink = incoming.mail?.asksToConfirm ?? asksToConfirm(body);
  return { check: { ...after, lastReceivedAt: receivedAt, hasConfirmationLink }, flips, ping };
}

function isEnd(signal: Signal): signal is RunResult {
  return signal === 'success' || signal === 'fail';
}

/** Keywords in a body decide about the exit status, too. Other signals than ends are not judged. */
function judge(
  check: PingedCheck,
  { exitStatus, mail, numbers = [] }: IncomingPing,
  signal: Signal,
  startedAt: Instant | null,
  endedAt: Instant,
  body: Uint8Array | null,
): Judgement | undefined {
  if (!isEnd(signal)) return undefined;
  const mapped = mail === null && !check.filterHttpBody ? exitStatus : null;
  return judgeRun(check, { signal, exitStatus: mapped, startedAt, endedAt, body, sent: numbers });
}

function storedBody({ body, keptBytes }: IncomingPing): Uint8Array | null {
  if (body === null || keptBytes === undefined) return body;
  return keptBytes === 0 ? null : body.slice(0, keptBytes);
}

/** Whether the body contains `confirm`. Its letters have the same bytes in all encodings that matter. */
export function asksToConfirm(body: Uint8Array | null): boolean {
  if (body === null) return false;
  // A TextDecoder reads latin1 as windows-1252, which is several times slower for text that is not ASCII.
  return /confirm/i.test(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'));
}

/** Whether the mail was read for another filter than the check has now, so that its meaning is unknown. */
export function isReadForOtherFilter(check: PingedCheck, { mail }: IncomingPing): boolean {
  if (mail === null) return false;
  const filter = mailFilterOf(check);
  return filter !== null && filterKey(filter) !== filterKey(mail.filter);
}

function filteredSignal(check: PingedCheck, incoming: IncomingPing): Signal {
  if (incoming.mail !== null) return mailFilterOf(check) === null ? 'success' : incoming.mail.signal;
  if (check.methods === 'POST' && incoming.method !== 'POST') return 'ign';
  if (!check.filterHttpBody) return incoming.signal;
  return classify(check, incoming.body === null ? '' : searchedText(incoming.body));
}
