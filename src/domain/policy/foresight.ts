import type { Instant } from '../../lib/instant.ts';
import type { Outage } from './outage.ts';
import { type Cause, type Message, type Plan, type PlanInput, plan } from './plan.ts';
import type { Told } from './recipients.ts';

/** A message that will be due if nothing else happens. */
export interface ForeseenMessage extends Message {
  readonly at: Instant;
}

export interface Foresight {
  readonly messages: readonly ForeseenMessage[];
  /** The plan of the first question, or right after what happens, and when that is. */
  readonly first: Plan;
  readonly firstAt: Instant;
  /** What the plan would be asked after its last answer. */
  readonly last: PlanInput;
}

/** Something that happens later than the first question. */
export interface ComingEvent {
  readonly at: Instant;
  readonly cause: Cause;
  readonly check: PlanInput['check'];
}

export interface Course {
  readonly event?: ComingEvent | null;
  /** What the plan knows then, as far as it changes by time alone. */
  readonly knownAt?: (input: PlanInput) => PlanInput;
  /** Which messages count. The others are left out. */
  readonly counts?: (message: Message, outage: Outage | null) => boolean;
}

/** A bound of the time that a question may take. Repeats, steps and hours of two days need fewer. */
const MAX_QUESTIONS = 2_000;

/**
 * What would be told if nothing happens but the cause: the plan, asked again at each time that it names, until then or until
 * there are so many messages. All messages arrive at once.
 */
export function foresee(
  input: PlanInput,
  until: Instant,
  mostMessages: number,
  { event = null, knownAt = (asked) => asked, counts = () => true }: Course = {},
): Foresight {
  const messages: ForeseenMessage[] = [];
  let coming = event;
  let asked = knownAt(input);
  let planned = plan(asked);
  let [first, firstAt] = [planned, asked.now];
  for (let questions = 1; ; questions++) {
    for (const message of planned.messages)
      if (counts(message, planned.outage)) messages.push({ ...message, at: asked.now });
    const wakeAt: Instant = planned.outage?.wakeAt ?? Number.POSITIVE_INFINITY;
    const at = Math.max(Math.min(wakeAt, coming?.at ?? wakeAt), asked.now);
    const isEnough = messages.length >= mostMessages || questions >= MAX_QUESTIONS;
    if (at > until || isEnough)
      return { messages: messages.slice(0, mostMessages), first, firstAt, last: inputAfter(asked, planned) };
    const next = { ...inputAfter(asked, planned), now: at };
    const isEvent = coming !== null && coming.at <= at;
    asked = knownAt(
      isEvent && coming !== null
        ? { ...next, cause: coming.cause, check: coming.check }
        : { ...next, cause: { kind: 'timer' } },
    );
    planned = plan(asked);
    if (isEvent) [first, firstAt, coming] = [planned, asked.now, null];
  }
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
