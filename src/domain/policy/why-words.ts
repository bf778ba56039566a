import { MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';
import { count, periodText } from '../../lib/text/durations.ts';
import { offText } from '../alert/channel.ts';
import { badRunsBy } from './bad-runs.ts';
import type { GateInput, GateState, Parent } from './gates.ts';
import type { Outage } from './outage.ts';
import type { GateName } from './reasons.ts';
import type { Withheld } from './why.ts';

/** What the words are about. */
export interface WhyFacts extends Omit<GateInput, 'hours'> {
  /** Null: none is known. */
  readonly outage: Outage | null;
  /** Who has snoozed the check. Null: nobody knows. */
  readonly snoozedBy: string | null;
  /** The name of the calendar of the policy. Null: it has none. */
  readonly calendar: string | null;
}

/** How the gate is, in words without times. */
export function gateWords({ gate, isOpen }: Pick<GateState, 'gate' | 'isOpen'>, facts: WhyFacts): string {
  return WORDS[gate](facts, isOpen);
}

const WORDS: Readonly<Record<GateName, (facts: WhyFacts, isOpen: boolean) => string>> = {
  quiet: (_, isOpen) => (isOpen ? 'no quiet time' : 'in a quiet time'),
  snoozed: ({ snoozedBy }, isOpen) => (isOpen ? 'not snoozed' : withName('snoozed', snoozedBy)),
  acknowledged: ({ outage }, isOpen) =>
    isOpen ? 'nobody has acknowledged it' : withName('acknowledged', outage?.acknowledgedBy ?? null),
  parent: ({ parents, outage }, isOpen) => parentWords(parents, outage, isOpen),
  bad_runs: ({ policy, check, now, outage }, isOpen) => {
    if (policy.badRuns === 1) return 'one bad run is enough';
    // Once it was told, runs are not counted any more.
    const bad = isOpen && outage?.toldAt !== null ? policy.badRuns : badRunsBy(policy, check, now);
    return `${bad} of ${policy.badRuns} bad runs`;
  },
  wait: ({ policy }, isOpen) => {
    if (policy.wait === 0) return 'does not wait';
    return isOpen ? `down for ${lasting(policy.wait)}` : `waits until it is down for ${lasting(policy.wait)}`;
  },
  hours: ({ policy, check, calendar }, isOpen) => {
    const tag = check.tags.find((one) => policy.alwaysTags.includes(one));
    if (calendar === null) return 'at all hours';
    if (tag !== undefined) return `at all hours, with the tag ${tag}`;
    return isOpen ? `within ${calendar}` : `outside of ${calendar}`;
  },
};

function withName(done: string, by: string | null): string {
  return by === null || by === '' ? done : `${done} by ${by}`;
}

const lasting = (span: Micros): string => periodText(span / MICROS_PER_SECOND);

function parentWords(parents: readonly Parent[], outage: Outage | null, isOpen: boolean): string {
  if (parents.length === 0) return 'depends on no other check';
  if (isOpen) return 'what it depends on is up';
  const down = parents.find(({ isDown }) => isDown);
  if (down !== undefined) return `waits for ${down.name}, which is down`;
  const late = parents.find(({ lateUntil }) => lateUntil !== null);
  if (late !== undefined) return `waits for ${late.name}, which is late`;
  const back = parents.find(({ upAt }) => upAt !== null && upAt >= (outage?.beganAt ?? upAt));
  if (back !== undefined) return `${back.name} came up: waits whether it comes up, too`;
  return `waits whether ${parents[0]?.name} goes down, too`;
}

/** Why the integration is not told, in words without times. */
export function withheldWords({ because, recipient }: Withheld, facts: WhyFacts): string {
  switch (because) {
    case 'not_assigned':
      return recipient.isAssigned ? 'assigned after the others were told' : 'not assigned to the check';
    case 'event_not_wanted':
      return recipient.wanted.length === 0
        ? 'wants none of these events'
        : `wants ${recipient.wanted.join(', ')}`;
    case 'off':
      return recipient.offReason === null || recipient.offReason === 'project_deleted'
        ? 'switched off'
        : `switched off: ${offText(recipient.offReason)}`;
    case 'unverified':
      return 'its recipient has not confirmed it';
    case 'channel_hours':
      return recipient.outsideHours === 'drop' && facts.outage?.state !== 'over'
        ? 'outside its hours, and not told later'
        : 'outside its hours';
    case 'already_told':
      return 'told already';
    case 'message_open':
      return 'its last message has not arrived yet';
    case 'again_limit':
      return `reminded ${count(facts.policy.againMost, 'time')}, which is the most`;
    default:
      return facts.outage?.state === 'recovering'
        ? `told after ${count(facts.policy.goodRuns, 'good run')} in a row`
        : gateWords({ gate: because, isOpen: false }, facts);
  }
}
