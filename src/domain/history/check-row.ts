import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { badRunsReach, knownUnwatched, nextJudgedAt } from '../check/occurrences.ts';
import {
  beginLimit,
  deadlineOf,
  divided,
  expectedAt,
  type Span,
  statusAt,
  steadySpan,
} from '../check/status.ts';
import type { BadRuns } from '../policy/bad-runs.ts';
import type { Telling } from '../policy/coming.ts';
import { type Answer, type AnsweredOutage, answerEnds, answerOf, withTelling } from './answer.ts';
import { firstDue, isSlow, nextDue, slowAt } from './run.ts';
import { type Standing, standingOf, TROUBLES } from './standing.ts';
import { type StatusFacts, tellStatus } from './status-sentence.ts';

/** The status of a check in a list. An open run is shown beside it. */
export type RowStatus = 'up' | 'late' | 'down' | 'paused' | 'new';

/**
 * The next event. `due`: a run is expected then. `late`, `overdue`: it was expected then. `limit`: the open run has to
 * end by then.
 */
export interface NextEvent {
  readonly kind: 'due' | 'late' | 'overdue' | 'limit';
  readonly at: Instant;
}

/** A check in a list, as far as it can be told from the check alone. */
export interface CheckRow {
  readonly status: RowStatus;
  readonly isRunning: boolean;
  readonly isSlow: boolean;
  /** It was never pinged, and its first run was expected before its grace time. */
  readonly neverCame: boolean;
  /** It has pinged, and waits for a ping again: somebody has resumed it, or cleared its events. */
  readonly isReady: boolean;
  readonly since: Instant;
  /** Null if nobody has answered, and nothing is held. */
  readonly answer: Answer | null;
  readonly standing: Standing;
  /** Null if nothing is expected. */
  readonly next: NextEvent | null;
  /** When the check goes down if nothing happens. */
  readonly deadline: Instant | null;
  /** The time in which all of this stays as it is, unless the check is written. */
  readonly span: Span;
}

type ListedCheck = StatusFacts['check'];

/** `usual` is the usual duration, which matters only while a run is open. `outage` is the open one, and `telling` how it is told. */
export function checkRow(
  check: ListedCheck,
  usual: Micros | null,
  now: Instant,
  outage: AnsweredOutage | null = null,
  telling: Telling | null = null,
): CheckRow {
  const expected = expectedAt(check);
  const grace = statusAt(check, now, expected);
  const status = grace === 'grace' ? 'late' : grace;
  const isRunning = check.lastStartAt !== null;
  const slowFrom = status === 'up' ? slowAt(check, usual) : null;
  const first = firstDue(check);
  const firstEnd = first === null ? null : first + beginLimit(check);
  const neverCame = firstEnd !== null && now >= firstEnd;
  // The boundaries in time that the status of the check does not know.
  const turns = [
    ...[firstEnd, slowFrom === null ? null : slowFrom + 1].filter((at) => at !== null),
    ...answerEnds({ check, outage }),
  ];
  const slow = status === 'up' && isSlow(check, usual, now);
  const isReady = status === 'new' && check.pingCount > 0;
  const plain = answerOf({ check, isDown: status === 'down', outage }, now);
  const isPlanned = plain !== null && outage !== null && telling !== null;
  const answer = isPlanned ? withTelling(plain, outage, telling, badRunsOf(check), now) : plain;
  const grows = answer?.badRuns === undefined ? null : nextJudgedAt(check, knownUnwatched(check), now);
  if (grows !== null) turns.push(grows);
  return {
    status,
    isRunning,
    isSlow: slow,
    since: tellStatus({ check, flip: null, runs: [], now }).since,
    neverCame,
    isReady,
    answer,
    standing: standingOf({ status, slow, neverCame, ready: isReady, answer }),
    next: first === null ? nextOf(check, expected, now) : { kind: neverCame ? 'overdue' : 'due', at: first },
    deadline: deadlineOf(check),
    span: turns.reduce((span, at) => divided(span, at, now), steadySpan(check, now, expected)),
  };
}

/** The bad runs in a row. Times in which nobody watched are left out only as far as the check knows them. */
export function badRunsOf(check: ListedCheck): BadRuns {
  return {
    badCount: check.badCount,
    reachesAt: (count) => badRunsReach(check, knownUnwatched(check), count),
  };
}

function nextOf(check: ListedCheck, expected: Instant | null, now: Instant): NextEvent | null {
  const status = statusAt(check, now, expected);
  const isOpen = check.lastStartAt !== null && !check.runReported;
  const deadline = deadlineOf(check);
  if (isOpen && status !== 'down' && deadline !== null) return { kind: 'limit', at: deadline };
  if (status === 'up' || status === 'new') return expected === null ? null : { kind: 'due', at: expected };
  if (status === 'grace') return expected === null ? null : { kind: 'late', at: expected };
  if (status !== 'down' || check.lastPingAt === null) return null;
  const due = nextDue(check, check.lastPingAt);
  return due === null ? null : { kind: due > now ? 'due' : 'overdue', at: due };
}

/** Checks that turned bad within this time of each other are shown as one: so many of one tag, or so many of any. */
const SAME_TROUBLE: Micros = seconds(300);
const MIN_OF_TAG = 3;
const MIN_GROUP = 4;

/** Trouble of one check, or of many that began together. */
export interface Lane<Troubled> {
  readonly since: Instant;
  readonly until: Instant;
  /** The tag that several have in common. */
  readonly tag: string | null;
  readonly members: readonly Troubled[];
}

interface Member extends Pick<CheckRow, 'standing' | 'since'> {
  readonly tags: readonly string[];
}

/** The worst trouble first, and of the same kind what broke first. Checks that turned bad together are one lane. */
export function lanesOf<Troubled extends Member>(troubled: readonly Troubled[]): Lane<Troubled>[] {
  return TROUBLES.flatMap((trouble) =>
    grouped(troubled.filter(({ standing }) => standing === trouble).toSorted((a, b) => a.since - b.since)),
  );
}

function grouped<Troubled extends Member>(ordered: readonly Troubled[]): Lane<Troubled>[] {
  const lanes: Lane<Troubled>[] = [];
  const taken = new Set<Troubled>();
  const all = new InTime(ordered, taken);
  const byTag = new Map<string, InTime<Troubled>>();
  for (const one of ordered)
    for (const tag of new Set(one.tags)) byTag.getOrInsertComputed(tag, () => new InTime([], taken)).add(one);
  for (const first of ordered) {
    if (taken.has(first)) continue;
    const until = first.since + SAME_TROUBLE;
    const groups = first.tags.map((tag) => ({ tag, members: byTag.get(tag)?.free(until) ?? [] }));
    const { tag, members } = largestOf(groups) ?? { tag: null, members: anyOf(first, all.free(until)) };
    for (const one of members) taken.add(one);
    lanes.push({ since: first.since, until: members.at(-1)?.since ?? first.since, tag, members });
  }
  return lanes;
}

interface Link<Troubled> {
  readonly one: Troubled;
  next: Link<Troubled> | null;
}

/** Checks in order of time. Taken ones are passed over only once: many small groups cost no more than a large one. */
class InTime<Troubled extends Member> {
  readonly #taken: ReadonlySet<Troubled>;
  #first: Link<Troubled> | null = null;
  #last: Link<Troubled> | null = null;

  constructor(ordered: readonly Troubled[], taken: ReadonlySet<Troubled>) {
    this.#taken = taken;
    for (const one of ordered) this.add(one);
  }

  add(one: Troubled): void {
    const link: Link<Troubled> = { one, next: null };
    if (this.#last === null) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
  }

  /** Those that are not taken and turned bad until then. */
  free(until: Instant): Troubled[] {
    const found: Troubled[] = [];
    let before: Link<Troubled> | null = null;
    for (let link = this.#first; link !== null && link.one.since <= until; link = link.next) {
      if (!this.#taken.has(link.one)) {
        found.push(link.one);
        before = link;
      } else if (before === null) this.#first = link.next;
      else before.next = link.next;
    }
    return found;
  }
}

/** The largest group of one tag, if it is large enough. */
function largestOf<Group extends { readonly members: readonly unknown[] }>(
  groups: readonly Group[],
): Group | null {
  const [largest] = groups.toSorted((a, b) => b.members.length - a.members.length);
  return largest !== undefined && largest.members.length >= MIN_OF_TAG ? largest : null;
}

/** All of them if they are many, else the first alone. */
function anyOf<Troubled>(first: Troubled, near: readonly Troubled[]): readonly Troubled[] {
  return near.length >= MIN_GROUP ? near : [first];
}
