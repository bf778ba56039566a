import type { Micros } from '../../lib/instant.ts';
import { USUAL_AGAIN_MOST } from './policy-limits.ts';

/** Whom else to tell after how long. */
export interface Step {
  readonly after: Micros;
  /** UUIDs of channels. */
  readonly tell: readonly string[];
}

/** How outages are told, in the form in which `plan` uses it. */
export interface Policy {
  /** Tell after so many bad runs in a row. */
  readonly badRuns: number;
  /** Which of them count. If only failures do, a run that is missing or too long is told at once. */
  readonly counts: 'all' | 'failed';
  /** Tell only if the check is still down after so long. */
  readonly wait: Micros;
  /** The UUID of the calendar outside of which nothing is told. Null: there is none. */
  readonly hours: string | null;
  /** Checks with one of these tags are told outside of the hours, too. */
  readonly alwaysTags: readonly string[];
  /** Repeat so often until somebody answers. Zero: never. */
  readonly again: Micros;
  readonly againMost: number;
  /** Tell each further failure while the check is down. */
  readonly eachFailure: boolean;
  readonly steps: readonly Step[];
  /** Tell the recovery after so many good runs in a row. */
  readonly goodRuns: number;
  /** How long an acknowledgement lasts. Zero: until the check is up. */
  readonly ackLasts: Micros;
}

/** Tells every outage at once, and nothing more. */
export const AT_ONCE: Policy = {
  badRuns: 1,
  counts: 'all',
  wait: 0,
  hours: null,
  alwaysTags: [],
  again: 0,
  againMost: USUAL_AGAIN_MOST,
  eachFailure: false,
  steps: [],
  goodRuns: 1,
  ackLasts: 0,
};
