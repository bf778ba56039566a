import { NOW } from '../check/check.test-support.ts';
import type { AnsweredOutage } from './answer.ts';

/** An outage that was told and that nobody has answered. */
export function anOutage(outage: Partial<AnsweredOutage> = {}): AnsweredOutage {
  return {
    checkId: 1,
    state: 'told',
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedUntilAt: null,
    reason: 'fail',
    beganAt: NOW,
    toldAt: NOW,
    againAt: null,
    againCount: 0,
    stepCount: 0,
    heldBy: null,
    wakeAt: null,
    ...outage,
  };
}

/** The same, acknowledged by Anna at that time. */
export const takenAt = (at = NOW) => anOutage({ acknowledgedAt: at, acknowledgedBy: 'Anna' });
