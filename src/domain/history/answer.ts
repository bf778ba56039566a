import type { Instant } from '../../lib/instant.ts';
import type { CheckSummary } from '../check/check.ts';
import { isWithin, quietSpanOf } from '../check/status.ts';
import { type BadRuns, badRunsBy } from '../policy/bad-runs.ts';
import { firstToldAt, type Telling, type ToldOutage } from '../policy/coming.ts';
import { isAcknowledged, type Outage } from '../policy/outage.ts';
import type { GateName } from '../policy/reasons.ts';
import type { AnswerKind } from './standing.ts';

/** Why nothing is told of a check now, and until when. */
export interface Answer {
  readonly kind: AnswerKind;
  /** Who has acknowledged or snoozed it, the check that it waits for, or the quiet time. Null where it is not known. */
  readonly by: string | null;
  /** Since when. Null if it is not known. Of a check that waits for another one: since when that one is down. */
  readonly at: Instant | null;
  /** When it ends by itself, or of `waiting` when it is decided anew. Null: nobody knows. */
  readonly until: Instant | null;
  /** What keeps an outage from being told. Of `waiting` alone, and null where it is only put off. */
  readonly gate: GateName | null;
  /** The bad runs so far, of an outage that waits for more. Absent: it does not, or that is not known. */
  readonly badRuns?: BadRunsSoFar;
  /** The unique key of the check that it waits for. Absent: it waits for none, or that is not known. */
  readonly parent?: string;
}

/** Bad runs in a row, and how many of them are told. */
export interface BadRunsSoFar {
  readonly count: number;
  readonly of: number;
  /** How many further runs have to be missed until it is told. */
  readonly misses: number;
}

/** The columns of an outage that an answer needs. */
export type AnsweredOutage = Pick<
  Outage,
  'checkId' | 'acknowledgedAt' | 'acknowledgedBy' | 'acknowledgedUntilAt'
> &
  ToldOutage;

export interface AnswerFacts {
  readonly check: Pick<CheckSummary, 'snoozedUntilAt' | 'quietFromAt' | 'quietUntilAt'> &
    Partial<Pick<CheckSummary, 'snoozedBy'>>;
  /** Whether the check is down now. */
  readonly isDown: boolean;
  /** The open outage. Null if there is none. */
  readonly outage: AnsweredOutage | null;
}

const NOTHING_MORE = { by: null, at: null, until: null, gate: null } as const;

/** Null: whatever begins is told, and what has begun was told. */
export function answerOf({ check, isDown, outage }: AnswerFacts, now: Instant): Answer | null {
  const { snoozedUntilAt, snoozedBy = null } = check;
  const quiet = quietSpanOf(check);
  if (quiet !== null && isWithin(quiet, now))
    return { ...NOTHING_MORE, kind: 'quiet', at: quiet.from, until: quiet.until };
  if (snoozedUntilAt !== null && now < snoozedUntilAt)
    return { ...NOTHING_MORE, kind: 'snoozed', by: snoozedBy, until: snoozedUntilAt };
  if (outage === null || !isDown) return null;
  if (isAcknowledged(outage, now)) {
    const { acknowledgedBy: by, acknowledgedAt: at, acknowledgedUntilAt: until } = outage;
    return { ...NOTHING_MORE, kind: 'acknowledged', by, at, until };
  }
  if (outage.heldBy === 'parent') return { ...NOTHING_MORE, kind: 'held' };
  if (outage.state !== 'waiting') return null;
  return { ...NOTHING_MORE, kind: 'waiting', until: outage.wakeAt, gate: outage.heldBy };
}

/** When the answer may change by time alone. */
export function answerEnds({ check, outage }: Omit<AnswerFacts, 'isDown'>): Instant[] {
  const { snoozedUntilAt, quietFromAt, quietUntilAt } = check;
  const times = [quietFromAt, quietUntilAt, snoozedUntilAt, outage?.acknowledgedUntilAt ?? null];
  return times.filter((at) => at !== null);
}

/** The answer of an outage that nobody was told of yet, with when it is told by its policy, and the bad runs so far. */
export function withTelling(
  answer: Answer,
  outage: AnsweredOutage,
  telling: Telling,
  badRuns: BadRuns,
  now: Instant,
): Answer {
  if (answer.kind !== 'waiting' || answer.gate === null) return answer;
  const told = { ...answer, until: firstToldAt(outage, telling, badRuns, now) };
  if (answer.gate !== 'bad_runs') return told;
  const { policy } = telling;
  const count = badRunsBy(policy, badRuns, now);
  const misses = policy.counts === 'all' ? policy.badRuns - count : 1;
  return { ...told, badRuns: { count, of: policy.badRuns, misses } };
}

/** A check that another one waits for. */
export interface AwaitedParent {
  readonly uniqueKey: string;
  readonly name: string;
  readonly status: 'down' | 'late' | 'well';
  /** Since when it is down. */
  readonly since: Instant;
}

/** The answer with the check that is waited for by now: one that is down, else one that is late. */
export function withParent(answer: Answer, parents: readonly AwaitedParent[]): Answer {
  if (answer.kind !== 'held') return answer;
  const [parent] = [...ofStatus(parents, 'down'), ...ofStatus(parents, 'late')];
  const { parent: _before, ...plain } = { ...answer, by: null, at: null };
  if (parent === undefined) return plain;
  const at = parent.status === 'down' ? parent.since : null;
  return { ...plain, by: parent.name, at, parent: parent.uniqueKey };
}

const ofStatus = (parents: readonly AwaitedParent[], wanted: AwaitedParent['status']) =>
  parents.filter(({ status }) => status === wanted);

/** From when on an outage may be told, as far as it depends on the answer. Null: nobody knows. */
export function answerLets(answer: Answer | null, now: Instant): Instant | null {
  return answer === null ? now : answer.until;
}
