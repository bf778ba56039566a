import type { Instant } from '../../lib/instant.ts';
import { type ToldEvent, toldEvent } from '../alert/channel.ts';
import { type Course, type ForeseenMessage, foresee } from './foresight.ts';
import { gatesOf, isShut } from './gates.ts';
import type { Outage } from './outage.ts';
import type { Plan, PlanInput } from './plan.ts';
import type { WithheldBecause } from './reasons.ts';
import { heldUntil, isRepeatedTo, type Recipient } from './recipients.ts';

/** An integration of the project, and what it wants. */
export interface AskedRecipient extends Recipient {
  /** Whether its recipient has confirmed that messages are wanted. */
  readonly isConfirmed: boolean;
  readonly wanted: readonly ToldEvent[];
}

/** An integration that is not told, or not yet. */
export interface Withheld {
  readonly recipient: AskedRecipient;
  readonly because: WithheldBecause;
  /** When that ends. Null: it is not known, or does not end by itself. */
  readonly until: Instant | null;
}

export interface Why {
  /** The plan as it is now, or right after what happens. */
  readonly plan: Plan;
  readonly messages: readonly ForeseenMessage[];
  /** Those that wait for their hours then. */
  readonly waits: readonly Withheld[];
  /** Those to which no message comes. None if there is nothing to tell. */
  readonly withheld: readonly Withheld[];
}

/** So long a question looks ahead. */
export interface Horizon {
  readonly until: Instant;
  readonly mostMessages: number;
}

/** Who is told when if nothing else happens, and why all others are not. `recipients` are all of the project. */
export function explain(
  input: PlanInput,
  recipients: readonly AskedRecipient[],
  { until, mostMessages }: Horizon,
  course: Omit<Course, 'counts'> = {},
): Why {
  const known = new Map(recipients.map((recipient) => [recipient.id, recipient]));
  const { messages, first, firstAt, last } = foresee({ ...input, recipients }, until, mostMessages, {
    ...course,
    counts: ({ recipient, status }, outage) => {
      const asked = known.get(recipient.id);
      return asked !== undefined && refusalOf(asked, eventOf(status, outage)) === null;
    },
  });
  const told = new Set(messages.map(({ recipient }) => recipient.id));
  const others = recipients.filter(({ id }) => !told.has(id));
  const status = statusTold(first);
  const facts = { status, last, heldBefore: input.outage?.heldBy ?? null };
  return {
    plan: first,
    messages,
    waits: first.waits.flatMap(({ channelId, status: news }) => {
      const recipient = known.get(channelId);
      if (recipient === undefined || news !== status || isDropped(recipient, status)) return [];
      const { isHeld, at } = heldUntil(recipient, firstAt);
      return isHeld ? [{ recipient, because: 'channel_hours' as const, until: at }] : [];
    }),
    withheld: status === null ? [] : others.flatMap((one) => withheldOf(one, { ...facts, status }) ?? []),
  };
}

function eventOf(status: 'up' | 'down', outage: Outage | null): ToldEvent {
  return toldEvent(status, outage?.reason ?? '');
}

/** Why a message to the integration is not sent. Null: it is. */
function refusalOf(
  { offReason, isConfirmed, wanted }: AskedRecipient,
  event: ToldEvent,
): 'off' | 'unverified' | 'event_not_wanted' | null {
  if (offReason !== null) return 'off';
  if (!isConfirmed) return 'unverified';
  return wanted.includes(event) ? null : 'event_not_wanted';
}

/** What is told: a beginning, or an end. Null: neither. */
function statusTold({ outage, messages }: Plan): 'up' | 'down' | null {
  if (outage === null) return messages.length > 0 ? 'up' : null;
  return outage.state === 'over' || outage.state === 'recovering' ? 'up' : 'down';
}

function isDropped({ outsideHours }: Recipient, status: 'up' | 'down' | null): boolean {
  return status === 'down' && outsideHours === 'drop';
}

interface Facts {
  readonly status: 'up' | 'down';
  /** What the plan knows at the end. */
  readonly last: PlanInput;
  /** What kept the outage from being told before. */
  readonly heldBefore: Outage['heldBy'];
}

/** Null: more messages come than are listed. */
function withheldOf(recipient: AskedRecipient, { status, last, heldBefore }: Facts): Withheld | null {
  const { outage, policy } = last;
  const told = last.told.find(({ channelId }) => channelId === recipient.id);
  const because = (reason: WithheldBecause, until: Instant | null = null) => ({
    recipient,
    because: reason,
    until,
  });
  const isNamed = policy.steps.some(({ tell }) => tell.includes(recipient.uuid));
  if (!recipient.isAssigned && !isNamed && told?.byStep !== true) return because('not_assigned');
  const refusal = refusalOf(recipient, eventOf(status, outage));
  if (refusal !== null) return because(refusal);
  const wait = last.waits.find(({ channelId }) => channelId === recipient.id);
  if (wait !== undefined) {
    const hold = heldUntil(recipient, last.now);
    const isOver = status === 'up' && wait.status === 'down';
    return because('channel_hours', hold.isHeld && !isOver && !isDropped(recipient, status) ? hold.at : null);
  }
  if (outage === null) return null;
  if (status === 'up') {
    if (outage.state === 'recovering') return because('wait');
    if (outage.toldAt === null) return because(heldBefore ?? 'wait');
    return because(told === undefined && !recipient.isAssigned ? 'not_assigned' : 'already_told');
  }
  const shut = gatesOf(last, outage).find(isShut);
  if (told !== undefined) {
    if (policy.again === 0 || !isRepeatedTo(recipient, told)) return because('already_told');
    if (outage.againCount >= policy.againMost) return because('again_limit');
    if (told.isOpen) return because('message_open');
  }
  if (shut !== undefined) return because(shut.gate, shut.at);
  if (told !== undefined) return because('already_told');
  return recipient.isAssigned && outage.toldAt !== null ? because('not_assigned') : null;
}
