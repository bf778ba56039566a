import type { Instant } from '../../lib/instant.ts';
import { type BadRuns, badRunsBy, enoughBadRunsAt } from './bad-runs.ts';
import type { Calendar } from './calendar.ts';
import { hoursAt } from './gates.ts';
import type { Outage } from './outage.ts';
import type { Policy } from './policy.ts';

/** The columns of an outage that say what is still told of it. */
export type ToldOutage = Pick<
  Outage,
  'state' | 'reason' | 'beganAt' | 'toldAt' | 'againAt' | 'againCount' | 'stepCount' | 'heldBy' | 'wakeAt'
>;

/** How the outage of a check is told: its policy, and the hours outside of which nothing is told. */
export interface Telling {
  readonly policy: Policy;
  /** Null: it is told at any time. */
  readonly hours: Calendar | null;
}

/** What is told of an outage after its beginning, if nothing happens. */
export interface Coming {
  /** The next repeat. Null: none comes. */
  readonly again: Instant | null;
  /** The steps that are left, in order. */
  readonly steps: readonly { readonly at: Instant; readonly tell: readonly string[] }[];
}

const NOTHING: Coming = { again: null, steps: [] };

/** Whether more may be known of the outage from its policy. Most are told at once, and are not asked about again. */
export function isToldFurther({ heldBy, wakeAt }: Pick<Outage, 'heldBy' | 'wakeAt'>): boolean {
  return wakeAt !== null || heldBy === 'bad_runs';
}

/**
 * Nothing is told before `from`, such as the end of a snooze. The plan will say the same, as far as the hours of channels play
 * no part.
 */
export function comingOf(outage: ToldOutage, { policy, hours }: Telling, from: Instant): Coming {
  const { state, toldAt, wakeAt } = outage;
  if (state !== 'told' || toldAt === null || wakeAt === null) return NOTHING;
  const due = (at: Instant) => inHours(hours, Math.max(at, from));
  const { again, againMost } = policy;
  const isRepeated = again > 0 && outage.againCount < againMost;
  return {
    again: isRepeated ? due((outage.againAt ?? toldAt) + again) : null,
    steps: policy.steps.slice(outage.stepCount).map(({ after, tell }) => ({ at: due(toldAt + after), tell })),
  };
}

/** When an outage is told first that waits, if it lasts so long and nothing else holds it. Null: a further ping has to come before. */
export function firstToldAt(
  { reason, beganAt }: Pick<ToldOutage, 'reason' | 'beganAt'>,
  { policy, hours }: Telling,
  badRuns: BadRuns,
  now: Instant,
): Instant | null {
  const enough = enoughBadRunsAt(policy, badRuns, { reason, since: beganAt });
  return enough === null ? null : inHours(hours, Math.max(enough, beganAt + policy.wait, now));
}

function inHours(hours: Calendar | null, at: Instant): Instant {
  if (hours === null) return at;
  const { isOpen, at: opens } = hoursAt(hours, at);
  return isOpen || opens === null ? at : opens;
}

/** A channel that may hear more of the outage. */
export interface Hearer {
  readonly uuid: string;
  readonly isOff: boolean;
  readonly isStateful: boolean;
  readonly isAssigned: boolean;
}

/** Channels that are told then, by their UUIDs. */
export interface TellsAt {
  readonly at: Instant;
  readonly channels: readonly string[];
}

/** Who is told of an outage from now on, if nothing happens. */
export interface ComingTo {
  /** Those that are told first, if nobody was told yet. */
  readonly first: readonly string[];
  readonly again: TellsAt | null;
  readonly steps: readonly TellsAt[];
}

export const NOTHING_COMES: ComingTo = { first: [], again: null, steps: [] };

/** A message about the beginning of the outage. */
interface Sent {
  readonly channelUuid: string;
  readonly ordinal: number;
  readonly why: string;
}

/** Repeats go to those that were told, steps to those that were not. */
export function comingTo(
  { again, steps }: Coming,
  hearers: readonly Hearer[],
  sent: readonly Sent[],
): ComingTo {
  const told = new Set(sent.map(({ channelUuid }) => channelUuid));
  const byStep = new Set(
    sent
      .filter(({ ordinal, why }) => ordinal === 0 && why.split(' ').includes('step'))
      .map(({ channelUuid }) => channelUuid),
  );
  const on = hearers.filter(({ isOff }) => !isOff);
  const repeated = on.filter(
    ({ uuid, isStateful, isAssigned }) => !isStateful && told.has(uuid) && (isAssigned || byStep.has(uuid)),
  );
  const others = steps.flatMap(({ at, tell }) => {
    const channels = on.filter(({ uuid }) => tell.includes(uuid) && !told.has(uuid)).map(({ uuid }) => uuid);
    for (const uuid of channels) told.add(uuid);
    return channels.length === 0 ? [] : [{ at, channels }];
  });
  const isAgain = again !== null && repeated.length > 0;
  return {
    first: [],
    again: isAgain ? { at: again, channels: repeated.map(({ uuid }) => uuid) } : null,
    steps: others,
  };
}

/** Of an outage that nobody was told of yet: those that are assigned, and those that the policy names from the start. */
export function firstTo({ steps }: Pick<Policy, 'steps'>, hearers: readonly Hearer[]): ComingTo {
  const named = new Set(steps.flatMap(({ after, tell }) => (after === 0 ? tell : [])));
  const first = hearers.filter(({ uuid, isOff, isAssigned }) => !isOff && (isAssigned || named.has(uuid)));
  return { ...NOTHING_COMES, first: first.map(({ uuid }) => uuid) };
}

/** Who is told first of an outage that has not begun. */
export interface FirstTold extends TellsAt {
  /** How many further runs have to be missed until then. */
  readonly misses: number;
}

/** Who is told first if the check goes down at its deadline, and it lasts. Null: nobody. */
export function firstToldIfDown(
  deadline: Instant,
  telling: Telling,
  badRuns: BadRuns,
  hearers: readonly Hearer[],
): FirstTold | null {
  const { policy } = telling;
  const toldAt = firstToldAt({ reason: 'timeout', beganAt: deadline }, telling, badRuns, deadline);
  if (toldAt === null) return null;
  const isCounted = policy.counts === 'all' && toldAt > deadline;
  const misses = isCounted ? policy.badRuns - badRunsBy(policy, badRuns, deadline) : 0;
  const { first } = firstTo(policy, hearers);
  if (first.length > 0) return { at: toldAt, channels: first, misses };
  const told = { ...BEGUN, beganAt: deadline, toldAt, wakeAt: toldAt };
  const [step] = comingTo(comingOf(told, telling, toldAt), hearers, []).steps;
  return step === undefined ? null : { ...step, misses };
}

/** An outage of which nobody has heard more than the beginning. */
const BEGUN: Omit<ToldOutage, 'beganAt' | 'toldAt' | 'wakeAt'> = {
  ...{ state: 'told', reason: 'timeout', heldBy: null },
  ...{ againAt: null, againCount: 0, stepCount: 0 },
};
