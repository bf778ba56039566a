import type { Instant } from '../../lib/instant.ts';
import type { CheckSummary } from '../check/check.ts';
import { isWithin, quietSpanOf } from '../check/status.ts';
import type { ToldOutage } from '../policy/coming.ts';
import { isAcknowledged, type Outage } from '../policy/outage.ts';
import type { GateName } from '../policy/reasons.ts';
import type { AnswerKind } from './standing.ts';

/** Why nothing is told of a check now, and until when. */
export interface Answer {
  readonly kind: AnswerKind;
  /** Who has acknowledged or snoozed it. Null of other answers, and where it is not known. */
  readonly by: string | null;
  /** Since when. Null if it is not known. */
  readonly at: Instant | null;
  /** When it ends by itself, or of `waiting` when it is decided anew. Null: nobody knows. */
  readonly until: Instant | null;
  /** What keeps an outage from being told. Of `waiting` alone, and null where it is only put off. */
  readonly gate: GateName | null;
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

/** From when on an outage may be told, as far as it depends on the answer. Null: nobody knows. */
export function answerLets(answer: Answer | null, now: Instant): Instant | null {
  return answer === null ? now : answer.until;
}
