import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Span } from '../check/status.ts';
import { type BadRuns, enoughBadRunsAt } from './bad-runs.ts';
import { type Calendar, openSince, opensAt } from './calendar.ts';
import { isAcknowledged, type Outage } from './outage.ts';
import type { Policy } from './policy.ts';
import { GATES, type GateName } from './reasons.ts';

export interface GateState {
  readonly gate: GateName;
  readonly isOpen: boolean;
  /** When a shut gate opens, or is asked again; when an open one has opened. Null: nobody knows. */
  readonly at: Instant | null;
}

/** A check without which the check cannot work. */
export interface Parent {
  readonly name: string;
  /** Down, told or not. */
  readonly isDown: boolean;
  /** Its deadline while it is late. Else null. */
  readonly lateUntil: Instant | null;
  /** When it came up last after being down. */
  readonly upAt: Instant | null;
}

/** What the plan knows of the check, as it is after the cause. */
export interface PlannedCheck extends BadRuns {
  readonly tags: readonly string[];
  readonly quiet: Span | null;
  readonly snoozedUntilAt: Instant | null;
}

export interface GateInput {
  readonly check: PlannedCheck;
  readonly policy: Policy;
  /** The calendar of the policy. Null: there is none. */
  readonly hours: Calendar | null;
  readonly parents: readonly Parent[];
  readonly now: Instant;
}

/** Parents with the same grace time go down at about the same time: a child waits for them. */
const PARENTS_SETTLE: Micros = seconds(30);
/** So long a child waits at most for a parent that is late. */
const MAX_PARENT_WAIT: Micros = seconds(300);
/** A child has so long to come up after its parent. */
const CHILD_RECOVERS: Micros = seconds(60);
/** A child asks so often by itself, so that a lost wake costs minutes and not the message. */
const PARENT_ASKED_EVERY: Micros = seconds(900);

/** All gates in their order, as they are now. Once the outage was told, thresholds are not asked again. */
export function gatesOf(input: GateInput, outage: Outage): GateState[] {
  return GATES.map((gate) => ({ gate, ...ASK[gate](input, outage) }));
}

export function isShut({ isOpen }: GateState): boolean {
  return !isOpen;
}

type Answer = Omit<GateState, 'gate'>;
type Ask = (input: GateInput, outage: Outage) => Answer;

const OPEN: Answer = { isOpen: true, at: null };

/** Open from that instant on. */
function openFrom(at: Instant | null, now: Instant): Answer {
  return { isOpen: at !== null && at <= now, at };
}

const ASK: Readonly<Record<GateName, Ask>> = {
  quiet: ({ check: { quiet }, now }) =>
    quiet === null || now < quiet.from ? OPEN : openFrom(quiet.until, now),

  snoozed: ({ check: { snoozedUntilAt }, now }) =>
    snoozedUntilAt === null ? OPEN : openFrom(snoozedUntilAt, now),

  acknowledged: ({ now }, outage) => ({
    isOpen: !isAcknowledged(outage, now),
    at: outage.acknowledgedUntilAt,
  }),

  parent: ({ parents, now }, { beganAt, toldAt }) => {
    if (parents.length === 0) return OPEN;
    if (parents.some(({ isDown }) => isDown)) {
      const asked = Math.max(0, Math.floor((now - beganAt) / PARENT_ASKED_EVERY));
      return { isOpen: false, at: beganAt + (asked + 1) * PARENT_ASKED_EVERY };
    }
    const releases = parents.flatMap(({ upAt }) =>
      upAt === null || upAt < beganAt ? [] : [upAt + CHILD_RECOVERS],
    );
    const late = parents.flatMap(({ lateUntil }) =>
      lateUntil === null ? [] : [Math.min(lateUntil, beganAt + MAX_PARENT_WAIT)],
    );
    const settles = toldAt === null ? [beganAt + PARENTS_SETTLE, ...late] : [];
    return openFrom(Math.max(beganAt, ...releases, ...settles), now);
  },

  bad_runs: ({ check, policy, now }, { toldAt, reason, beganAt }) =>
    toldAt === null && policy.badRuns > 1
      ? openFrom(enoughBadRunsAt(policy, check, { reason, since: beganAt }), now)
      : OPEN,

  wait: ({ policy, now }, { toldAt, beganAt }) =>
    toldAt === null && policy.wait > 0 ? openFrom(beganAt + policy.wait, now) : OPEN,

  hours: ({ check, policy, hours, now }) =>
    hours === null || isToldAlways(policy, check.tags) ? OPEN : hoursAt(hours, now),
};

/** Whether a check with these tags is told outside of the hours, too. */
export function isToldAlways({ alwaysTags }: Pick<Policy, 'alwaysTags'>, tags: readonly string[]): boolean {
  return tags.some((tag) => alwaysTags.includes(tag));
}

/** The last answer about each calendar: all integrations with the same hours ask at the same time. */
const lastAnswers = new WeakMap<Calendar, { readonly now: Instant; readonly answer: Answer }>();

/** Whether the calendar is open. One that never opens again holds nothing back. */
export function hoursAt(hours: Calendar, now: Instant): Answer {
  const last = lastAnswers.get(hours);
  if (last?.now === now) return last.answer;
  const answer = askHours(hours, now);
  lastAnswers.set(hours, { now, answer });
  return answer;
}

function askHours(hours: Calendar, now: Instant): Answer {
  const since = openSince(hours, now);
  if (since !== null) return { isOpen: true, at: since };
  const at = opensAt(hours, now);
  return at === null ? OPEN : { isOpen: false, at };
}
