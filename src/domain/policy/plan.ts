import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { isTold } from '../alert/delivery.ts';
import type { Flip } from '../check/flip.ts';
import type { Span } from '../check/status.ts';
import { type GateInput, type GateState, gatesOf, isShut } from './gates.ts';
import { type Outage, type OutageWait, outageOf } from './outage.ts';
import { AT_ONCE, type Step } from './policy.ts';
import type { MessageEvent, ToldReason } from './reasons.ts';
import {
  heldUntil,
  isRepeatedTo,
  type Recipient,
  reasonsToEnd,
  reasonsToTell,
  type Told,
} from './recipients.ts';

/**
 * Why the plan is asked. A flip and a result change the outage by themselves; for all others the caller has changed what it
 * gives to the plan.
 */
export type Cause =
  | { readonly kind: 'flip'; readonly flip: Flip }
  /** The end of a run that did not change the status. */
  | { readonly kind: 'result'; readonly isBad: boolean }
  | { readonly kind: 'answer' | 'edit' | 'quiet_time' | 'parent' | 'timer' };

export interface PlanInput extends GateInput {
  readonly cause: Cause;
  /** The open outage. Where the cause is a timer, also one that is over and whose end somebody waits for. */
  readonly outage: Outage | null;
  readonly waits: readonly OutageWait[];
  readonly told: readonly Told[];
  readonly recipients: readonly Recipient[];
  /** The last times in which nobody watched, the newest first. */
  readonly blind: readonly Span[];
}

/** A message that is due now. */
export interface Message {
  readonly recipient: Recipient;
  readonly flipId: number;
  readonly status: 'up' | 'down';
  readonly event: MessageEvent;
  /** Zero for the first message about a flip to a channel. */
  readonly ordinal: number;
  readonly because: readonly ToldReason[];
}

export interface Plan {
  /** The outage as it is now, with the time of the next question. Null: there is none. */
  readonly outage: Outage | null;
  readonly messages: readonly Message[];
  /** All that wait now. */
  readonly waits: readonly OutageWait[];
  /** All gates, in their order. Empty if no beginning is left to tell. */
  readonly gates: readonly GateState[];
  /** What kept the rules from being followed. Null: they were. */
  readonly fault: unknown;
}

type Followed = Omit<Plan, 'fault'>;

/** Rules that could not be followed are tried again after this time. */
const FAULT_PAUSE: Micros = seconds(3600);

/** What was due while nobody watched comes so long after the return, when pings that were on their way have come. */
const AFTER_BLINDNESS: Micros = seconds(300);

/** A repeat that comes no later than this keeps the rhythm. One that was held begins it anew. */
const KEEPS_RHYTHM: Micros = seconds(60);

/**
 * Says who is told now, and when to ask again. Asked again with nothing changed, it tells nobody. Where it fails to follow the rules,
 * it tells all at once, as without rules.
 */
export function plan(given: PlanInput): Plan {
  const input = { ...given, recipients: given.recipients.toSorted((one, other) => one.id - other.id) };
  try {
    return { ...followRules(input), fault: null };
  } catch (fault) {
    return { ...withoutRules(input), fault };
  }
}

function withoutRules(input: PlanInput): Followed {
  const outage = outageAfter(input);
  const isEnd = outage === null || outage.state === 'over';
  // The next question, at once, is one that the operator hears of.
  if (!isEnd && input.cause.kind !== 'timer')
    return { outage: { ...outage, wakeAt: input.now }, messages: [], waits: input.waits, gates: [] };
  const recipients = input.recipients.map((recipient) => ({ ...recipient, hours: null }));
  const told = followRules({ ...input, policy: AT_ONCE, hours: null, recipients });
  return { ...told, outage: told.outage && { ...told.outage, wakeAt: input.now + FAULT_PAUSE } };
}

function followRules(input: PlanInput): Followed {
  const outage = outageAfter(input);
  if (outage === null) return { outage, messages: endOfUnknown(input), waits: [], gates: [] };
  switch (outage.state) {
    case 'over':
      return planEnd(input, outage);
    case 'recovering':
      return { outage: resting(outage), messages: [], waits: input.waits, gates: [] };
    case 'waiting':
    case 'told':
      return planBeginning(input, outage);
  }
}

function resting(outage: Outage): Outage {
  return { ...outage, heldBy: null, wakeAt: null };
}

/** The outage as the cause has changed it. */
function outageAfter({ cause, outage, policy, now }: PlanInput): Outage | null {
  if (cause.kind === 'flip') return afterFlip(outage, cause.flip, policy.goodRuns);
  if (outage?.state !== 'recovering') return outage;
  const goodCount = outage.goodCount + (cause.kind === 'result' && !cause.isBad ? 1 : 0);
  return goodCount < policy.goodRuns
    ? { ...outage, goodCount }
    : { ...outage, goodCount, state: 'over', endedAt: now };
}

function afterFlip(outage: Outage | null, flip: Flip, goodRuns: number): Outage | null {
  const { id, createdAt, newStatus } = flip;
  if (outage === null) return newStatus === 'down' && isTold(flip) ? outageOf(flip) : null;
  if (newStatus === 'down') {
    if (outage.state !== 'recovering') return outage;
    return { ...outage, state: 'told', recoveringAt: null, goodCount: 0, endFlipId: null };
  }
  if (newStatus === 'up' && outage.toldAt !== null && goodRuns > 1)
    return { ...outage, state: 'recovering', recoveringAt: createdAt, goodCount: 1, endFlipId: id };
  return { ...outage, state: 'over', endedAt: createdAt, endFlipId: id };
}

/** A flip to up that ends no outage that is known: those that are assigned are told. */
function endOfUnknown({ cause, recipients }: PlanInput): Message[] {
  if (cause.kind !== 'flip' || cause.flip.newStatus !== 'up' || !isTold(cause.flip)) return [];
  const { id } = cause.flip;
  return recipients.filter(({ isAssigned }) => isAssigned).map((one) => endMessage(one, id, ['assigned']));
}

function endMessage(recipient: Recipient, flipId: number, because: readonly ToldReason[]): Message {
  return { recipient, flipId, status: 'up', event: 'first', ordinal: 0, because };
}

/**
 * Tells the end, at once or when the hours of a channel begin. Who waits for the beginning is noted further on: groups pass the end
 * on later, and a pause may be undone.
 */
function planEnd(input: PlanInput, outage: Outage): Followed {
  const messages: Message[] = [];
  const told = new Set(input.told.map(({ channelId }) => channelId));
  const waits = input.waits.filter(({ channelId, status }) => status === 'down' && !told.has(channelId));
  const coming: Instant[] = [];
  for (const { recipient, because, isWaiting } of hearersOfEnd(input, outage)) {
    const heldFor = recipient.isStateful ? null : waitsUntil(input, recipient, isWaiting);
    if (heldFor === null) messages.push(endMessage(recipient, outage.endFlipId ?? outage.flipId, because));
    else {
      waits.push({ channelId: recipient.id, status: 'up', reason: 'channel_hours' });
      coming.push(heldFor);
    }
  }
  return { outage: { ...outage, heldBy: null, wakeAt: least(coming) }, messages, waits, gates: [] };
}

interface Hearer {
  readonly recipient: Recipient;
  readonly because: readonly ToldReason[];
  readonly isWaiting: boolean;
}

function hearersOfEnd(input: PlanInput, outage: Outage): Hearer[] {
  const { recipients, told, waits } = input;
  if (input.outage?.state === 'over') {
    const waiting = new Set(waits.filter(({ status }) => status === 'up').map(({ channelId }) => channelId));
    return recipients
      .filter(({ id }) => waiting.has(id))
      .map((recipient) => {
        const because = reasonsToEnd(recipient, toldOf(told, recipient), []);
        return { recipient, because: because.length > 0 ? because : ['assigned'], isWaiting: true };
      });
  }
  const isPaused = input.cause.kind === 'flip' && input.cause.flip.newStatus !== 'up';
  if (outage.toldAt === null || isPaused) return [];
  return recipients
    .map((recipient) => ({
      recipient,
      because: reasonsToEnd(recipient, toldOf(told, recipient), waits),
      isWaiting: false,
    }))
    .filter(({ because }) => because.length > 0);
}

function toldOf(told: readonly Told[], { id }: Recipient): Told | undefined {
  return told.find(({ channelId }) => channelId === id);
}

/**
 * Until when the channel is not told, because of its hours. Null: it is told now. If it has waited for them and they began while
 * nobody watched, a little longer.
 */
function waitsUntil(input: PlanInput, recipient: Recipient, isWaiting: boolean): Instant | null {
  const { isHeld, at } = heldUntil(recipient, input.now);
  if (isHeld) return at;
  const due = isWaiting && at !== null ? putOff(at, input.blind) : input.now;
  return due > input.now ? due : null;
}

function putOff(due: Instant, blind: readonly Span[]): Instant {
  const span = blind.find(({ from, until }) => from <= due && due < until);
  return span === undefined ? due : span.until + AFTER_BLINDNESS;
}

function least(instants: readonly (Instant | null)[]): Instant | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Tells the beginning, steps, repeats and further failures, unless a gate is shut. */
function planBeginning(input: PlanInput, outage: Outage): Followed {
  const gates = gatesOf(input, outage);
  const [shut, ...others] = gates.filter(isShut);
  if (shut !== undefined) {
    const wakeAt = least([shut, ...others].map(({ at }) => at));
    return {
      outage: { ...outage, heldBy: shut.gate, wakeAt },
      messages: [],
      waits: input.waits,
      gates,
    };
  }
  const openedAt = Math.max(...gates.map(({ at }) => at ?? Number.NEGATIVE_INFINITY));
  const due = (at: Instant) => putOff(Math.max(at, openedAt), input.blind);
  // A clock that was set back leaves flips in the future. They are told at once.
  const firstDue = due(Math.min(outage.beganAt, input.now));
  if (outage.toldAt === null && firstDue > input.now)
    return { outage: { ...outage, heldBy: null, wakeAt: firstDue }, messages: [], waits: input.waits, gates };
  return { ...tellWhatIsDue(input, outage, due), gates };
}

function tellWhatIsDue(
  input: PlanInput,
  outage: Outage,
  due: (at: Instant) => Instant,
): Omit<Followed, 'gates'> {
  const toldAt = outage.toldAt ?? input.now;
  const steps = dueSteps(input, (after) => due(toldAt + after));
  const firsts = tellFirsts(input, outage, steps.due);
  const further = tellFurtherFailure(input, outage);
  // Also while they are all off, or none of them is assigned: one of them may be back by the next time.
  const stateful = new Set(input.recipients.filter(({ isStateful }) => isStateful).map(({ id }) => id));
  const isRepeated =
    firsts.messages.some(({ recipient }) => !recipient.isStateful) ||
    input.told.some(({ channelId }) => !stateful.has(channelId));
  const again = isRepeated ? tellAgain(input, further.outage, toldAt, due) : null;
  return {
    outage: {
      ...(again?.outage ?? further.outage),
      state: 'told',
      toldAt,
      heldBy: null,
      stepCount: steps.due.length,
      wakeAt: least([steps.next, firsts.next, again?.next ?? null]),
    },
    messages: [...firsts.messages, ...further.messages, ...(again?.messages ?? [])],
    waits: firsts.waits,
  };
}

/** The steps whose time has come, in order, and when the next one is. */
function dueSteps(
  { policy: { steps }, now }: PlanInput,
  due: (after: Micros) => Instant,
): { readonly due: readonly Step[]; readonly next: Instant | null } {
  const coming = steps.findIndex(({ after }) => due(after) > now);
  const next = steps[coming];
  return next === undefined
    ? { due: steps, next: null }
    : { due: steps.slice(0, coming), next: due(next.after) };
}

/** The first message to each channel: those that are assigned when the gates open, those of steps, and those that have waited. */
function tellFirsts(input: PlanInput, outage: Outage, due: readonly Step[]) {
  const messages: Message[] = [];
  const waits: OutageWait[] = [];
  const coming: Instant[] = [];
  const told = new Set(input.told.map(({ channelId }) => channelId));
  const waiting = new Set(input.waits.map(({ channelId }) => channelId));
  for (const recipient of input.recipients) {
    if (told.has(recipient.id)) continue;
    const isWaiting = waiting.has(recipient.id);
    const isMeant = outage.toldAt === null || isWaiting;
    const because = reasonsToTell(isMeant ? recipient : { ...recipient, isAssigned: false }, due);
    if (because.length === 0) continue;
    const isNamedNow = due.slice(outage.stepCount).some(({ tell }) => tell.includes(recipient.uuid));
    const isDropped = isWaiting && recipient.outsideHours === 'drop' && !isNamedNow;
    const heldFor = isDropped ? null : waitsUntil(input, recipient, isWaiting);
    if (isDropped || heldFor !== null) {
      waits.push({ channelId: recipient.id, status: 'down', reason: 'channel_hours' });
      if (heldFor !== null && recipient.outsideHours === 'hold') coming.push(heldFor);
      continue;
    }
    const event = because.includes('assigned') ? 'first' : 'step';
    messages.push({ recipient, flipId: outage.flipId, status: 'down', event, ordinal: 0, because });
  }
  return { messages, waits, next: least(coming) };
}

/** Channels that were told before and hear repeats and further failures. */
function hearers({ recipients, told }: PlanInput): Recipient[] {
  return recipients.filter(
    (recipient) => recipient.offReason === null && isRepeatedTo(recipient, toldOf(told, recipient)),
  );
}

/** One more message to those that were told before, unless it is outside of their hours. */
function tellMore(
  input: PlanInput,
  outage: Outage,
  why: 'again' | 'further_failure',
  isWanted: (told: Told | undefined) => boolean,
): { readonly outage: Outage; readonly messages: readonly Message[] } {
  const to = hearers(input).filter(
    (recipient) => isWanted(toldOf(input.told, recipient)) && !heldUntil(recipient, input.now).isHeld,
  );
  if (to.length === 0) return { outage, messages: [] };
  const ordinal = outage.tellCount + 1;
  const messages = to.map(
    (recipient): Message => ({
      recipient,
      flipId: outage.flipId,
      status: 'down',
      event: why,
      ordinal,
      because: [why],
    }),
  );
  return { outage: { ...outage, tellCount: ordinal }, messages };
}

/** A run that failed while the check was down and told. One that only did not come is no message of its own. */
function tellFurtherFailure(input: PlanInput, outage: Outage) {
  const { cause, policy } = input;
  const isFurther = cause.kind === 'result' && cause.isBad && policy.eachFailure && outage.toldAt !== null;
  return isFurther ? tellMore(input, outage, 'further_failure', () => true) : { outage, messages: [] };
}

/** The next repeat. Those that were missed under a hold are not made up. A channel with an open message is told the same by that. */
function tellAgain(
  input: PlanInput,
  outage: Outage,
  toldAt: Instant,
  due: (at: Instant) => Instant,
): { readonly outage: Outage; readonly messages: readonly Message[]; readonly next: Instant | null } {
  const { again, againMost } = input.policy;
  if (again === 0 || outage.againCount >= againMost) return { outage, messages: [], next: null };
  const at = due((outage.againAt ?? toldAt) + again);
  if (at > input.now) return { outage, messages: [], next: at };
  const repeated = tellMore(input, outage, 'again', (told) => told?.isOpen === false);
  const againAt = input.now - at <= KEEPS_RHYTHM ? at : input.now;
  const againCount = outage.againCount + 1;
  return {
    outage: { ...repeated.outage, againAt, againCount },
    messages: repeated.messages,
    next: againCount < againMost ? againAt + again : null,
  };
}
