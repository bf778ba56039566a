import type { Instant, Micros } from '../../lib/instant.ts';
import type { Queued } from '../alert/delivery.ts';
import type { Check } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { ALWAYS_WATCHED, type Unwatched } from '../check/occurrences.ts';
import { expectedAt } from '../check/status.ts';
import { personOfAgent } from '../ping/hand-ping.ts';
import { happenedAt, type Ping } from '../ping/ping.ts';
import type { Answer } from './answer.ts';
import { missedAmong, nextDue, type Run, type RunResult, runsOf } from './run.ts';
import { type Cause, type SentencePart, type StatusStory, tellStatus } from './status-sentence.ts';

/** Runs that a message shows. */
const SHOWN_RUNS = 20;

/**
 * The content of an alert, as of the change of status. It is plain data without words, so that it can be kept, and
 * every reader gets their own times.
 */
export interface AlertStory {
  readonly about: AlertSubject;
  readonly sentence: readonly SentencePart[];
  readonly cause: Cause | null;
  /** When the run was due that did not come. Null if that is not why the status changed. */
  readonly dueAt: Instant | null;
  /** When the check is due next. Null if it is not known. */
  readonly nextDueAt: Instant | null;
  readonly lastPing: LastPing | null;
  /** The results of the last runs, oldest first. */
  readonly runs: readonly RunResult[];
  /** The outage that ends now. Null if none does. */
  readonly outage: PastOutage | null;
  /** The last lines of the last ping's body. Null if there are none. */
  readonly output: readonly string[] | null;
  /** The channels that get this alert. */
  readonly told: readonly string[];
  /** Of a further failure: how many runs have failed in the outage by then. Absent: it is none, or that is not known. */
  readonly failures?: number;
}

/** The check as it was called then. */
export interface AlertSubject {
  /** May be empty. */
  readonly name: string;
  readonly description: string;
  readonly projectName: string;
  readonly graceSeconds: number;
  /** The zone of its schedule. Null if it has none. */
  readonly tz: string | null;
}

export interface LastPing extends Pick<Ping, 'n' | 'createdAt' | 'signal' | 'exitStatus' | 'remoteAddr'> {
  /** When the thing happened that it reports. Absent if it came in time. */
  readonly occurredAt?: Instant;
  /** The duration of the run that it ended. Null if no start came. */
  readonly duration: Micros | null;
  /** The person who sent it from a page. Absent for a ping of a job. */
  readonly sentBy?: string;
}

export interface PastOutage {
  readonly from: Instant;
  /** Runs that were due and never came. */
  readonly missed: number;
  readonly cause: Cause | null;
}

/** The history around a change. The check is as it is now. */
export interface ChangeHistory {
  readonly check: Check;
  readonly flip: Pick<Flip, 'createdAt' | 'newStatus' | 'reason'>;
  /** The change before, if the check went down by it. */
  readonly fall: Pick<Flip, 'createdAt' | 'newStatus' | 'reason'> | null;
  /** The last ping until the change. */
  readonly ping: Ping | null;
  /** The last pings until the change, in ascending order. */
  readonly pings: readonly Ping[];
  /** The flips since the oldest of these pings, until the change. */
  readonly flips: readonly Pick<Flip, 'createdAt' | 'newStatus' | 'reason'>[];
  /** Times since the oldest of these pings in which nobody watched. Absent: none. */
  readonly unwatched?: Unwatched;
  /** The quiet time in which it was, by its name. */
  readonly quietTime?: string | null;
  /** When the outage began, if the change is a further failure in it. */
  readonly outageFrom?: Instant | null;
}

/** Tells the change as of its time, without later events. */
export function tellChange({
  check,
  flip,
  fall,
  ping,
  pings,
  flips,
  unwatched = ALWAYS_WATCHED,
  quietTime = null,
  outageFrom = null,
}: ChangeHistory): Omit<AlertStory, 'about' | 'output' | 'told'> {
  const then = checkAt(check, flip, pings);
  const runs = runsOf({ check: then, pings, flips, now: flip.createdAt, unwatched });
  const { sentence, cause } = tellThen(then, flip, runs, quietTime);
  const isSilence = cause?.kind === 'silence' && then.lastPingAt !== null;
  return {
    sentence,
    cause,
    dueAt: isSilence ? nextDue(then, then.lastPingAt as Instant) : null,
    nextDueAt: flip.newStatus === 'up' ? expectedAt(then) : dueAgain(then, flip.createdAt),
    lastPing: ping && lastPingOf(ping, runs),
    runs: runs.slice(-SHOWN_RUNS).flatMap(eachResult).slice(-SHOWN_RUNS),
    outage: fall && outageOf(check, fall, flip.createdAt, pings, flips, runs),
    ...(outageFrom !== null && failuresSince(outageFrom, pings, runs)),
  };
}

/** Nothing if there are more than the pings tell that were read. */
function failuresSince(from: Instant, pings: readonly Ping[], runs: readonly Run[]): { failures?: number } {
  const [first] = pings;
  if (first === undefined || (first.createdAt > from && first.n > 1)) return {};
  return {
    failures: runs.filter(({ result, endedAt }) => result === 'failed' && (endedAt ?? 0) >= from).length,
  };
}

/** Each of the runs that did not come one after the other, as far as they are shown. */
function eachResult({ result, count }: Run): RunResult[] {
  return Array<RunResult>(Math.max(1, Math.min(count, SHOWN_RUNS))).fill(result);
}

function tellThen(
  check: Check,
  flip: ChangeHistory['flip'],
  runs: readonly Run[],
  quietTime: string | null,
): Pick<StatusStory, 'sentence' | 'cause'> {
  return tellStatus({ check, flip, runs, now: flip.createdAt, quietTime });
}

/** The check as it was right after the change. If it has changed since, its pings tell its earlier state. */
function checkAt(
  check: Check,
  { createdAt, newStatus }: ChangeHistory['flip'],
  pings: readonly Ping[],
): Check {
  const wasThere = (at: Instant | null) => at !== null && at <= createdAt;
  const ends = pings.filter(
    ({ signal, createdAt: at }) => (signal === 'success' || signal === 'fail') && at <= createdAt,
  );
  // The last end of the check may have happened before the change and have come after it.
  const lastEnd = ends.length > 0 ? Math.max(...ends.map(happenedAt)) : null;
  return {
    ...check,
    status: newStatus,
    lastFlipAt: createdAt,
    lastPingAt: lastEnd ?? (wasThere(check.lastPingAt) ? check.lastPingAt : null),
    lastStartAt: wasThere(check.lastStartAt) ? check.lastStartAt : null,
  };
}

/** A check with a period is due at any time once it is down. */
function dueAgain(check: Check, now: Instant): Instant | null {
  return check.kind === 'simple' ? null : nextDue(check, now);
}

function lastPingOf(ping: Ping, runs: readonly Run[]): LastPing {
  const { n, createdAt, occurredAt, signal, exitStatus, remoteAddr } = ping;
  const duration = runs.find(({ endN }) => endN === n)?.duration ?? null;
  const sentBy = personOfAgent(ping.userAgent);
  return {
    ...{ n, createdAt, signal, exitStatus, remoteAddr, duration },
    ...(occurredAt !== null && { occurredAt }),
    ...(sentBy !== null && { sentBy }),
  };
}

function outageOf(
  check: Check,
  fall: ChangeHistory['flip'],
  until: Instant,
  pings: readonly Ping[],
  flips: ChangeHistory['flips'],
  runs: readonly Run[],
): PastOutage {
  const from = fall.createdAt;
  const earlier = pings.filter(({ createdAt }) => createdAt <= from);
  const then = checkAt(check, fall, earlier);
  const runsThen = runsOf({
    check: then,
    pings: earlier,
    flips: flips.filter(({ createdAt }) => createdAt <= from),
    now: from,
  });
  const during = runs.filter(({ at }) => at >= from && at <= until);
  const missed = missedAmong(during);
  return { from, missed, cause: tellThen(then, fall, runsThen, null).cause };
}

/** A change that channels are told about. */
export interface ToldChange {
  readonly check: Check;
  readonly projectName: string;
  /** Its id is null if it is only imagined. */
  readonly flip: Omit<Flip, 'id'> & { readonly id: number | null };
  readonly channelId: number;
  /** As the message was queued. Null if it is only imagined. */
  readonly queued: Queued | null;
  /** The last ping until the change. */
  readonly ping: Ping | null;
  /** The body of that ping, or its end. */
  readonly body: Uint8Array | null;
  /** The story that was told before. It is told again. */
  readonly kept: AlertStory | null;
}

/** The other checks of the project that are down when the message is sent. */
export interface OtherChecks {
  readonly at: Instant;
  /** The number of other checks that are down. */
  readonly down: number;
  /** Of these: those that nobody is told of, since they depend on the check. */
  readonly held: number;
  /** The number of checks in the project. */
  readonly total: number;
  /** The last ones to go down, newest first, at most ten. */
  readonly checks: readonly OtherCheck[];
}

export interface OtherCheck {
  readonly name: string;
  readonly since: Instant;
  /** Null if none ever came. */
  readonly lastPingAt: Instant | null;
  /** Null if it is not known, or not looked for. */
  readonly cause: Cause | null;
  /** The last line that the failed run has written. Null if it is not known. */
  readonly line: string | null;
  /** Why nothing is told of it now. Absent: that is not so. */
  readonly answer?: Pick<Answer, 'kind' | 'by'>;
}

export interface ToldStory {
  readonly story: AlertStory;
  readonly others: OtherChecks;
  /** The message that told the same channel about the outage that ends now. Null if there is none. */
  readonly answers: EarlierMessage | null;
}

/** A message that was delivered earlier. */
export interface EarlierMessage {
  /** The UUID of its delivery. */
  readonly deliveryId: string;
  /** Its id at the provider, in the form of its kind. Null if the provider gave none. */
  readonly providerId: string | null;
}

/** Differs where a story has another form. A story that an older version kept is told anew. */
const FORM = 3;

/** The story as it is kept. */
export function keptText(story: AlertStory): string {
  return JSON.stringify({ form: FORM, story });
}

export function storyFrom(text: string): AlertStory | null {
  const { form, story } = JSON.parse(text) as { form: number; story: AlertStory };
  return form === FORM ? story : null;
}
