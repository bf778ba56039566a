import type { Instant, Micros } from '../../lib/instant.ts';
import { ageText, spanText } from '../../lib/text/ages.ts';
import { ordinalWord } from '../../lib/text/ordinals.ts';
import { zoneCity } from '../../lib/zone.ts';
import type { CheckSummary } from '../check/check.ts';
import { isAsItArrived } from '../check/check-arrival.ts';
import type { Flip } from '../check/flip.ts';
import { namesZone, scheduleWords, scheduleZone } from '../check/schedule-words.ts';
import { beginLimit, deadlineOf, expectedAt, isRunOverdue, runLimit, statusAt } from '../check/status.ts';
import type { Answer } from './answer.ts';
import type { TimeSpan } from './downtime.ts';
import { firstDue, isSlow, nextDue, type Run, usualDuration } from './run.ts';

/** Between the parts of a sentence. */
const DOT = ' · ';

/** A piece of a sentence: words, or a value that is written for the zone and the time of its reader. */
export type SentencePart = string | TimePart | SchedulePart;

/** `clock` is the time of day or the date, `age` the time since then. */
export interface TimePart {
  readonly at: Instant;
  readonly as: 'clock' | 'age';
}

/** A schedule in words: `every day at 03:00`. Its times are in its own zone, which need not be the reader's. */
export interface SchedulePart {
  readonly schedule: string;
  /** Null if the words name the zones of their times themselves. */
  readonly tz: string | null;
}

/** The visible state of a check. `running` stands alone only if the check is up. */
export type CheckState = 'up' | 'running' | 'late' | 'down' | 'paused' | 'new' | 'unknown';

/** Why a check needs attention. */
export type CauseKind = 'silence' | 'failed' | 'too_long' | 'edit' | 'late' | 'slow' | 'blind' | 'never_came';

export interface Cause {
  readonly kind: CauseKind;
  /** The cause in a few words. */
  readonly head: readonly SentencePart[];
  /** The rest of the sentence. May be empty. */
  readonly rest: readonly SentencePart[];
  readonly exitStatus: number | null;
}

/** The status of a check as a person would tell it. */
export interface StatusStory {
  readonly state: CheckState;
  /** Whether a run is open, in any state of the check. */
  readonly isRunning: boolean;
  readonly isSlow: boolean;
  readonly since: Instant;
  readonly sentence: readonly SentencePart[];
  /** Null if all is well, or silent on purpose. */
  readonly cause: Cause | null;
  readonly usual: Micros | null;
}

export interface StatusFacts {
  readonly check: CheckSummary;
  /** The last change of status. */
  readonly flip: Pick<Flip, 'createdAt' | 'newStatus' | 'reason'> | null;
  /** The last runs, oldest first. */
  readonly runs: readonly Run[];
  readonly now: Instant;
  /** The name of the person who paused or edited the check, if known. */
  readonly by?: string | null;
  /** The keyword that made a failure of the last ping, if that is known. */
  readonly keyword?: string | null;
  /** The last time in which no node was watching, if that is known. */
  readonly blind?: TimeSpan | null;
  /** The quiet time in which the check went down, by its name, if it did. */
  readonly quietTime?: string | null;
  /** Why nothing is told of it now. Absent where that is not asked. */
  readonly answer?: Answer | null;
}

export function tellStatus(facts: StatusFacts): StatusStory {
  const { check, now } = facts;
  const usual = usualDuration(facts.runs);
  const told = tell(facts, usual);
  const isRunning = check.lastStartAt !== null;
  const isUnusual = told.state === 'running' && isSlow(check, usual, now);
  const cause = isUnusual ? longRun(check, usual) : told.cause;
  const isBeside = isRunning && told.state !== 'running' && told.cause?.kind !== 'too_long';
  const answered = withAnswer(told, facts.answer ?? null);
  const sentence = isBeside ? [...answered, ' · running for ', age(check.lastStartAt)] : answered;
  return { ...told, sentence, cause, isRunning, isSlow: isUnusual, usual };
}

/** The sentence with who has the outage, or why nobody is told. */
function withAnswer({ state, since, sentence }: Told, answer: Answer | null): readonly SentencePart[] {
  if (answer === null) return sentence;
  if (answer.kind === 'quiet') return [...quietUntil(answer), ' · nothing is expected'];
  if (state !== 'down')
    return answer.kind === 'snoozed' ? [...sentence, ' · ', ...answerParts(answer)] : sentence;
  const down: SentencePart[] = ['Down since ', clock(since)];
  switch (answer.kind) {
    case 'snoozed':
      return [...down, ', ', ...answerParts(answer), ' · alerts held'];
    // The cause stays: somebody works on it.
    case 'acknowledged':
      return [...down, ', ', ...answerParts(answer), ...restOf(sentence)];
    case 'held':
    case 'waiting':
      return [...down, ' · ', ...answerParts(answer)];
    default:
      return answer.kind satisfies never;
  }
}

/** The answer within a sentence: `acknowledged by Anna at 03:52`. */
export function answerParts(answer: Answer): SentencePart[] {
  const { kind, by, at, until } = answer;
  const named = by === null ? '' : ` by ${by}`;
  const ends: SentencePart[] = until === null ? [] : [' until ', clock(until)];
  switch (kind) {
    case 'acknowledged':
      return [`acknowledged${named}`, ...(at === null ? [] : [' at ', clock(at)]), ...ends];
    case 'snoozed':
      return ['snoozed', ...ends, named];
    case 'quiet':
      return ['in a quiet time', ...ends];
    case 'held':
      return [
        `waits for ${by ?? 'a check that it depends on'}`,
        ...(at === null ? [] : [', down since ', clock(at)]),
      ];
    case 'waiting': {
      const waits = waitParts(answer);
      return ['nobody told yet', ...(waits.length === 0 ? [] : [': ', ...waits])];
    }
    default:
      return kind satisfies never;
  }
}

/** What an outage waits for that nobody was told of: `told 04:15 if it is still down`. Empty if that is not known. */
export function waitParts({ gate, until, badRuns }: Answer): SentencePart[] {
  if (badRuns !== undefined) return [`${ordinalWord(badRuns.count)} of ${badRuns.of} bad runs`];
  if (gate === 'bad_runs') return ['waits for another bad run'];
  if (until === null) return [];
  const told: SentencePart[] = ['told ', clock(until)];
  if (gate === 'wait') return [...told, ' if it is still down'];
  return gate === 'hours' ? [...told, ', when its hours begin'] : told;
}

/** What stands after that, if the outage waits for further runs: `Told 04:00 if the next is missed, too`. */
export function ifMissedParts({ until, badRuns }: Answer): SentencePart[] {
  if (badRuns === undefined || until === null) return [];
  const next = badRuns.misses === 1 ? 'the next is' : `the next ${badRuns.misses} are`;
  return ['Told ', clock(until), ` if ${next} missed, too`];
}

function quietUntil({ until, by }: Answer): SentencePart[] {
  return [...(until === null ? ['Quiet'] : ['Quiet until ', clock(until)]), by === null ? '' : ` (${by})`];
}

/** What stands after the first dot. */
function restOf(sentence: readonly SentencePart[]): SentencePart[] {
  const place = sentence.findIndex((part) => typeof part === 'string' && part.includes(DOT));
  const part = sentence[place];
  if (typeof part !== 'string') return [];
  return [part.slice(part.indexOf(DOT)), ...sentence.slice(place + 1)];
}

type Told = Pick<StatusStory, 'state' | 'since' | 'sentence' | 'cause'>;

function tell(facts: StatusFacts, usual: Micros | null): Told {
  switch (statusAt(facts.check, facts.now)) {
    case 'up':
      return facts.check.lastStartAt === null ? tellUp(facts) : tellRunning(facts, usual);
    case 'grace':
      return tellLate(facts, usual);
    case 'down':
      return tellDown(facts, usual);
    case 'paused':
      return tellPaused(facts);
    case 'new':
      return tellNew(facts);
  }
}

function tellUp({ check, flip }: StatusFacts): Told {
  const expected = expectedAt(check);
  const next: SentencePart[] = expected === null ? [] : [' · next by ', clock(expected)];
  const last: SentencePart[] =
    check.lastPingAt === null ? [] : [' · last ping ', age(check.lastPingAt), ' ago (', often(check), ')'];
  return {
    state: 'up',
    since: flip?.createdAt ?? check.lastFlipAt ?? check.createdAt,
    sentence: ['Up', ...last, ...next],
    cause: null,
  };
}

function tellRunning({ check }: StatusFacts, usual: Micros | null): Told {
  const started = check.lastStartAt as Instant;
  const deadline = deadlineOf(check);
  const limit: SentencePart[] = deadline === null ? [] : [' · must finish by ', clock(deadline)];
  return {
    state: 'running',
    since: started,
    sentence: ['Running for ', age(started), usually(usual), ...limit],
    cause: null,
  };
}

function tellLate(facts: StatusFacts, usual: Micros | null): Told {
  const { check } = facts;
  const expected = expectedAt(check) as Instant;
  const deadline = deadlineOf(check) as Instant;
  const excuse = deadline - (expected + beginLimit(check));
  if (facts.blind && excuse > 0 && facts.now >= deadline - excuse) {
    return tellBlind(facts.blind, excuse, deadline);
  }
  const late: SentencePart[] = ['Late since ', clock(expected), ' · '];
  // A start is a ping: the job is not silent.
  if (check.lastStartAt !== null && !check.runReported) {
    return {
      state: 'late',
      since: expected,
      sentence: [...late, 'must finish by ', clock(deadline)],
      cause: {
        kind: 'late',
        head: [...runningFor(check, usual), '.'],
        rest: [
          'Should have finished by ',
          clock(expected),
          '; goes Down at ',
          clock(deadline),
          '. Nobody has been told yet.',
        ],
        exitStatus: null,
      },
    };
  }
  const head: SentencePart[] =
    check.lastPingAt === null ? ['No ping.'] : ['No ping since ', clock(check.lastPingAt), '.'];
  return {
    state: 'late',
    since: expected,
    sentence: [...late, 'goes down at ', clock(deadline), ' unless it pings'],
    cause: { kind: 'late', head, rest: ['Still within grace: nobody has been told yet.'], exitStatus: null },
  };
}

function tellBlind({ from, until }: TimeSpan, excuse: Micros, deadline: Instant): Told {
  const moved = `deadlines moved by ${ageText(excuse)}`;
  return {
    state: 'unknown',
    since: from,
    sentence: ['Unknown ', clock(from), ' to ', clock(until), ` · Tocsin could not listen · ${moved}`],
    cause: {
      kind: 'blind',
      head: ['Tocsin could not listen from ', clock(from), ' to ', clock(until), '.'],
      rest: ['A ping may have been lost. It goes down at ', clock(deadline), ' unless it pings.'],
      exitStatus: null,
    },
  };
}

function tellDown(facts: StatusFacts, usual: Micros | null): Told {
  const { check, flip } = facts;
  const since = downSince(facts);
  const held = facts.quietTime ? `, in the quiet time ${facts.quietTime}` : '';
  const down: SentencePart[] = ['Down since ', clock(since), `${held} · `];
  const failed = facts.runs.findLast(({ result, endedAt }) => result === 'failed' && endedAt !== null);
  const hasFailedSince = failed !== undefined && failed.at >= since;
  if (hasFailedSince || (check.status === 'down' && flip?.reason === 'fail')) {
    return tellFailed(facts, down, since, hasFailedSince ? failed : null, usual);
  }
  const overdue = facts.runs.findLast(({ result, endedAt }) => result === 'failed' && endedAt === null);
  if (isRunOverdue(check, since) || (overdue !== undefined && overdue.at === since)) {
    return tellTooLong(check, down, since, overdue?.startedAt ?? check.lastStartAt ?? since);
  }
  if (check.status === 'down' && flip?.newStatus === 'down' && flip.reason === '') {
    return tellEdited(facts, down, since);
  }
  if (check.status === 'down' && flip === null && isAsItArrived(check)) return tellArrived(check, since);
  return tellSilence(check, down, since);
}

/** The deadline loop may not have noticed yet: then the deadline counts. */
function downSince({ check, flip, now }: StatusFacts): Instant {
  if (check.status === 'down') return flip?.createdAt ?? check.lastFlipAt ?? now;
  return deadlineOf(check) ?? now;
}

function tellFailed(
  { keyword }: StatusFacts,
  down: readonly SentencePart[],
  since: Instant,
  run: Run | null,
  usual: Micros | null,
): Told {
  const exitStatus = run?.exitStatus ? run.exitStatus : null;
  const what =
    exitStatus !== null
      ? `exit status ${exitStatus}`
      : keyword
        ? `body contained "${keyword}"`
        : 'failure signal';
  const after = run?.duration == null ? '' : ` after ${ageText(run.duration)}`;
  const compared = after === '' ? '' : usually(usual);
  return {
    state: 'down',
    since,
    sentence: [...down, what + after + compared],
    cause: { kind: 'failed', head: [`${capitalised(what)}${after}${compared}.`], rest: [], exitStatus },
  };
}

function tellTooLong(check: Timing, down: readonly SentencePart[], since: Instant, started: Instant): Told {
  const limit = runLimit(check);
  // Somebody may have taken the limit away since.
  const within = `did not finish ${Number.isFinite(limit) ? `within ${spanText(limit)}` : 'in time'}`;
  return {
    state: 'down',
    since,
    sentence: [...down, 'started ', clock(started), `, ${within}`],
    cause: {
      kind: 'too_long',
      head: ['Started ', clock(started), `, ${within}.`],
      rest: [],
      exitStatus: null,
    },
  };
}

function tellEdited({ by }: StatusFacts, down: readonly SentencePart[], since: Instant): Told {
  const overdue = 'already overdue under the new schedule';
  return {
    state: 'down',
    since,
    sentence: [...down, `${overdue}${by ? ` (${by})` : ''} · no alert sent`],
    cause: {
      kind: 'edit',
      head: [`${capitalised(overdue)}.`],
      rest: ['No alert was sent.'],
      exitStatus: null,
    },
  };
}

/** Only the instance that it comes from knows why it is down, and since when. */
function tellArrived({ lastPingAt }: Timing, since: Instant): Told {
  const rest: SentencePart[] = lastPingAt === null ? [] : ['Its last ping was ', age(lastPingAt), ' ago.'];
  return {
    state: 'down',
    since,
    sentence: ['Down since before ', clock(since), ' · it was down when it came here from another server'],
    cause: {
      kind: 'silence',
      head: ['It was down when it came here from another server.'],
      rest,
      exitStatus: null,
    },
  };
}

type Timing = StatusFacts['check'];

function tellSilence(check: Timing, down: readonly SentencePart[], since: Instant): Told {
  const { lastPingAt } = check;
  const silent: SentencePart[] = lastPingAt === null ? ['o ping'] : ['o ping for ', age(lastPingAt)];
  const due = lastPingAt === null ? null : nextDue(check, lastPingAt);
  const grace = `${spanText(beginLimit(check))} of grace ran out at `;
  // A check may have been excused, or have come late from another server. Then it went down after its grace time.
  const endOfGrace = due === null ? since : Math.min(since, due + beginLimit(check));
  const expected: SentencePart[] =
    due === null ? [] : ['It was due ', clock(due), '; ', grace, clock(endOfGrace), '.'];
  return {
    state: 'down',
    since,
    sentence: [...down, ...prefixed('n', silent), ' (expected ', often(check), ')'],
    cause: { kind: 'silence', head: [...prefixed('N', silent), '.'], rest: expected, exitStatus: null },
  };
}

function tellPaused({ check, flip, by, now }: StatusFacts): Told {
  const since = flip?.createdAt ?? check.lastFlipAt ?? now;
  const ends = check.manualResume ? 'pings do not count' : 'the next ping resumes it';
  return {
    state: 'paused',
    since,
    sentence: ['Paused since ', clock(since), `${by ? ` by ${by}` : ''} · ${ends}`],
    cause: null,
  };
}

function tellNew({ check, flip, now }: StatusFacts): Told {
  const first = firstDue(check);
  if (first !== null) return tellFirst(first, now >= first + beginLimit(check), check);
  const since = flip?.createdAt ?? check.lastFlipAt ?? check.createdAt;
  const expected = expectedAt(check);
  if (expected !== null) {
    const sentence: SentencePart[] = ['Resumed ', clock(since), ' · next by ', clock(expected)];
    return { state: 'new', since, sentence, cause: null };
  }
  const sentence: SentencePart[] =
    check.pingCount === 0
      ? ['New · waiting for its first ping']
      : ['Ready · waiting for a ping since ', clock(since)];
  return { state: 'new', since, sentence, cause: null };
}

/** A check that was never pinged. Nobody is told of it, since no job may know of it yet. */
function tellFirst(first: Instant, neverCame: boolean, { createdAt }: Timing): Told {
  if (!neverCame) {
    const sentence = ['New · waiting for its first ping, expected ', clock(first)];
    return { state: 'new', since: createdAt, sentence, cause: null };
  }
  return {
    state: 'new',
    since: first,
    sentence: ['Expected ', clock(first), ', never came · waiting for its first ping'],
    cause: {
      kind: 'never_came',
      head: ['Expected ', clock(first), ', never came.'],
      rest: ['It has not pinged since it was made.'],
      exitStatus: null,
    },
  };
}

function longRun(check: Timing, usual: Micros | null): Cause {
  const deadline = deadlineOf(check);
  const limit: SentencePart[] = deadline === null ? [] : ['; must finish by ', clock(deadline)];
  return { kind: 'slow', head: [...runningFor(check, usual), ...limit, '.'], rest: [], exitStatus: null };
}

function runningFor({ lastStartAt }: Timing, usual: Micros | null): SentencePart[] {
  return ['Running for ', age(lastStartAt), usual === null ? '' : `, usually ${ageText(usual)}`];
}

function usually(usual: Micros | null): string {
  return usual === null ? '' : ` (usually ${ageText(usual)})`;
}

/** The schedule within a sentence. */
function often(check: Timing): SentencePart {
  const words = scheduleWords(check);
  const schedule = words.charAt(0).toLowerCase() + words.slice(1);
  if (check.kind === 'simple') return schedule;
  const part = { schedule, tz: scheduleZone(check) };
  return namesZone(check) ? { schedule: zonedSchedule(part), tz: null } : part;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function prefixed(first: string, parts: readonly SentencePart[]): SentencePart[] {
  return [`${first}${parts[0]}`, ...parts.slice(1)];
}

function clock(at: Instant): SentencePart {
  return { at, as: 'clock' };
}

function age(at: Instant | null): SentencePart {
  return at === null ? '' : { at, as: 'age' };
}

/**
 * The sentence as plain text, for mails and messages. `clockText` writes the time of day or the date, `scheduleText` a
 * schedule.
 */
export function sentenceText(
  parts: readonly SentencePart[],
  now: Instant,
  clockText: (at: Instant) => string,
  scheduleText: (part: SchedulePart) => string = zonedSchedule,
): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('schedule' in part) return scheduleText(part);
      return part.as === 'clock' ? clockText(part.at) : ageText(now - part.at);
    })
    .join('');
}

/** The schedule with the name of its zone: `every day at 03:00, Berlin`. */
export function zonedSchedule({ schedule, tz }: SchedulePart): string {
  return tz === null ? schedule : `${schedule}, ${zoneCity(tz)}`;
}
