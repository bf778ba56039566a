import type { Instant } from '../../lib/instant.ts';
import { type Message, type Plan, type PlanInput, plan } from './plan.ts';
import type { Told } from './recipients.ts';

/** A message that will be due if nothing else happens. */
export interface ForeseenMessage extends Message {
  readonly at: Instant;
}

export interface Foresight {
  readonly messages: readonly ForeseenMessage[];
  /** The plan of the first question. */
  readonly first: Plan;
}

/**
 * What would be told if nothing happens but the cause: the plan, asked again at each time that it names, until then or until
 * there are so many messages. All messages arrive at once.
 */
export function foresee(input: PlanInput, until: Instant, mostMessages: number): Foresight {
  const first = plan(input);
  const messages = dated(first, input.now);
  let asked = input;
  let planned = first;
  while (messages.length < mostMessages) {
    const wakeAt = planned.outage?.wakeAt ?? null;
    if (wakeAt === null || wakeAt > until) break;
    asked = { ...inputAfter(asked, planned), cause: { kind: 'timer' }, now: Math.max(wakeAt, asked.now) };
    planned = plan(asked);
    for (const message of dated(planned, asked.now)) messages.push(message);
  }
  return { messages: messages.slice(0, mostMessages), first };
}

function dated({ messages }: Plan, at: Instant): ForeseenMessage[] {
  return messages.map((message) => ({ ...message, at }));
}

/** What the plan is asked next, after its messages have arrived. */
export function inputAfter(input: PlanInput, { outage, messages, waits }: Plan): PlanInput {
  const told = messages
    .filter(({ ordinal, status }) => ordinal === 0 && status === 'down')
    .map(
      ({ recipient, because }): Told => ({
        channelId: recipient.id,
        byStep: because.includes('step'),
        isOpen: false,
      }),
    );
  return { ...input, outage, waits, told: [...input.told, ...told] };
}
