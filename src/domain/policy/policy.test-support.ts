import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { at, HOUR, MINUTE } from '../check/check.test-support.ts';
import type { Flip } from '../check/flip.ts';
import type { Calendar } from './calendar.ts';
import { inputAfter } from './foresight.ts';
import type { Outage } from './outage.ts';
import { type Cause, type Plan, type PlanInput, plan } from './plan.ts';
import { AT_ONCE } from './policy.ts';
import type { Recipient } from './recipients.ts';

/** A Wednesday. */
export const T0 = at('2026-03-04T04:00Z');

export const WORKING_HOURS: Calendar = {
  schedule: 'Mon..Fri 08:00',
  tz: 'Europe/Riga',
  duration: 10 * HOUR,
  exceptDates: [],
};

export function aFlip(overrides: Partial<Flip> = {}): Flip {
  return {
    id: 7,
    checkId: 1,
    createdAt: T0,
    oldStatus: 'up',
    newStatus: 'down',
    reason: 'timeout',
    cause: 'missed',
    ...overrides,
  };
}

/** What of recipients decides who is told, at random. */
export const RECIPIENT_FIELDS = {
  isAssigned: fc.boolean(),
  isStateful: fc.boolean(),
  hours: fc.constantFrom(null, null, WORKING_HOURS),
  outsideHours: fc.constantFrom('hold' as const, 'drop' as const),
  offReason: fc.constantFrom(null, null, null, 'failed' as const),
};

export function aRecipient(id: number, overrides: Partial<Recipient> = {}): Recipient {
  return {
    id,
    uuid: `channel-${id}`,
    accountId: 1,
    offReason: null,
    isAssigned: true,
    isStateful: false,
    hours: null,
    outsideHours: 'hold',
    ...overrides,
  };
}

/** The question at a flip to down. Without further words the policy tells at once. */
export function anInput(overrides: Partial<PlanInput> = {}): PlanInput {
  return {
    cause: { kind: 'flip', flip: aFlip() },
    check: {
      tags: [],
      badCount: 0,
      reachesAt: everyFiveMinutes,
      quiet: null,
      snoozedUntilAt: null,
    },
    outage: null,
    waits: [],
    told: [],
    policy: AT_ONCE,
    hours: null,
    recipients: [aRecipient(1)],
    parents: [],
    blind: [],
    now: T0,
    ...overrides,
  };
}

/** A job every five minutes that stays away: the first miss takes it down. */
function everyFiveMinutes(n: number): number {
  return T0 + (n - 1) * 5 * MINUTE;
}

/** Asks the plan again and again, and notes what is told: `+15 min: first to 1`. */
export class Story {
  #input: PlanInput;
  #planned: Plan | null = null;
  readonly told: string[] = [];

  constructor(overrides: Partial<PlanInput> = {}) {
    this.#input = anInput(overrides);
    this.ask(this.#input.cause, this.#input.now);
  }

  get plan(): Plan {
    return this.#planned ?? assert.fail('the plan was not asked');
  }

  get outage(): Outage {
    return this.plan.outage ?? assert.fail('there is no outage');
  }

  ask(cause: Cause, now: Instant, changes: Partial<PlanInput> = {}): void {
    const before = this.#planned === null ? this.#input : inputAfter(this.#input, this.#planned);
    this.#input = { ...before, ...changes, cause, now };
    this.#planned = plan(this.#input);
    for (const { event, status, recipient } of this.#planned.messages)
      this.told.push(`${since(now)}: ${status === 'up' ? 'up' : event} to ${recipient.id}`);
  }

  /** Something that the plan is given changes. */
  change(now: Instant, changes: Partial<PlanInput>): void {
    this.ask({ kind: 'edit' }, now, changes);
  }

  flip(now: Instant, newStatus: Flip['newStatus'], overrides: Partial<Flip> = {}): void {
    const oldStatus = newStatus === 'down' ? 'up' : 'down';
    const reason = newStatus === 'down' ? 'fail' : '';
    this.ask(
      { kind: 'flip', flip: aFlip({ id: 8, createdAt: now, oldStatus, newStatus, reason, ...overrides }) },
      now,
    );
  }

  /** Asks whenever the plan wants to be asked, until then. */
  passUntil(end: Instant): void {
    for (let wakeAt = this.outage.wakeAt; wakeAt !== null && wakeAt <= end; wakeAt = this.outage.wakeAt)
      this.ask({ kind: 'timer' }, wakeAt);
  }
}

function since(now: Instant): string {
  return `+${(now - T0) / MINUTE} min`;
}
