import type { Instant } from '../../lib/instant.ts';
import type { AssignedChannel } from '../alert/channel.ts';
import type { StoredStatus } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import type { Span } from '../check/status.ts';
import type { Calendar } from './calendar.ts';
import type { GateState, Parent } from './gates.ts';
import type { Outage, OutageWait } from './outage.ts';
import type { Policy } from './policy.ts';
import type { ToldReason } from './reasons.ts';

/**
 * Why the plan is asked. A flip and a result change the outage by themselves; for all others the caller has changed what it
 * gives to the plan.
 */
export type Cause =
  | { readonly kind: 'flip'; readonly flip: Flip }
  /** The end of a run that did not change the status. */
  | { readonly kind: 'result'; readonly isBad: boolean }
  | { readonly kind: 'answer' | 'edit' | 'quiet_time' | 'parent' | 'timer' };

/** What the plan knows of the check, as it is after the cause. */
export interface PlannedCheck {
  readonly status: StoredStatus;
  readonly tags: readonly string[];
  /** Bad ends in a row, with the runs missed before them. */
  readonly badCount: number;
  /**
   * The deadline of the n-th run (from 1) that is missed, or would be missed, after the last end. Those in quiet or blind
   * time are left out. Null: there is none.
   */
  readonly missDeadline: (n: number) => Instant | null;
  readonly quiet: Span | null;
  readonly snoozedUntilAt: Instant | null;
}

/** A channel that the outage may be told to: it is assigned, or the policy names it, or it was told. */
export interface Recipient extends AssignedChannel {
  readonly uuid: string;
  readonly isAssigned: boolean;
  /** What it opens elsewhere must be closed: it is not told twice of a beginning, and of the end at once. */
  readonly isStateful: boolean;
  /** Null: always. */
  readonly hours: Calendar | null;
  readonly outsideHours: 'hold' | 'drop';
}

/** A channel that has got a message about the outage. */
export interface Told {
  readonly channelId: number;
  /** Whether a step told it first. */
  readonly byStep: boolean;
  /** Whether a message about the outage is still open. */
  readonly isOpen: boolean;
}

export interface PlanInput {
  readonly cause: Cause;
  readonly check: PlannedCheck;
  /** The open outage, or one that is over and whose end somebody waits for. Null: there is none. */
  readonly outage: Outage | null;
  readonly waits: readonly OutageWait[];
  readonly told: readonly Told[];
  readonly policy: Policy;
  /** The calendar of the policy. Null: there is none. */
  readonly hours: Calendar | null;
  readonly recipients: readonly Recipient[];
  readonly parents: readonly Parent[];
  /** The last time in which nobody watched. Null: none is known. */
  readonly blind: Span | null;
  readonly now: Instant;
}

export type MessageEvent = 'first' | 'step' | 'again' | 'further_failure';

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
  /** The outage as it is now, with the time of its next question. Null: there is none. */
  readonly outage: Outage | null;
  readonly messages: readonly Message[];
  /** All that wait now. */
  readonly waits: readonly OutageWait[];
  /** All gates, in their order. Empty if nothing is left to tell. */
  readonly gates: readonly GateState[];
}
