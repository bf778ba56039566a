/** Which ping tells how a job has ended. */
import { statusOfSignal } from '../leave.ts';
import type { Signal } from '../ping.ts';
import type { Ending } from './job.ts';

export interface ReportOptions {
  readonly 'success-codes': readonly number[];
  readonly 'on-success': 'success' | 'log' | 'none';
  readonly 'on-failure': 'exit' | 'fail' | 'log' | 'none';
  readonly output: 'tail' | 'ends' | 'head' | 'none';
  readonly 'output-on': 'always' | 'failure';
  readonly 'output-limit': number | null;
  readonly 'no-summary': boolean;
}

/** How one attempt to run a job ended. */
export interface Outcome {
  readonly ending: Ending;
  /** The limit of `--timeout` that ended the job; null if it ended by itself. */
  readonly timeoutMs: number | null;
  readonly durationMs: number;
  /** What the job should have left behind and has not, a sentence each. */
  readonly unmet: readonly string[];
}

export const MOST_BODY_BYTES = 1_048_576;
/** What every server accepts. */
export const USUAL_BODY_BYTES = 10_000;
const HIGHEST_STATUS = 255;
export const TIMED_OUT = 124;

/** The status of the run as a shell would give it. */
export function statusOf({ ending, timeoutMs }: Outcome): number {
  if (timeoutMs !== null) return TIMED_OUT;
  return ending.kind === 'signal' ? statusOfSignal(ending.signal) : ending.code;
}

export function isSuccess(outcome: Outcome, options: ReportOptions): boolean {
  const isOwnEnd = outcome.ending.kind === 'exit' && outcome.timeoutMs === null;
  return isOwnEnd && outcome.unmet.length === 0 && options['success-codes'].includes(statusOf(outcome));
}

/** The signal of the ping that tells the result; null where none is wanted. */
export function signalOf(outcome: Outcome, options: ReportOptions): Signal | null {
  if (isSuccess(outcome, options)) return options['on-success'] === 'none' ? null : options['on-success'];
  const status = statusOf(outcome);
  switch (options['on-failure']) {
    case 'none':
      return null;
    case 'exit':
      // The status is one of success where the job has not left what it should.
      return status > HIGHEST_STATUS || outcome.unmet.length > 0 ? 'fail' : status;
    case 'fail':
    case 'log':
      return options['on-failure'];
  }
}

/** The most bytes of a body, if the server has told `serverLimit`. */
export function bodyLimit(options: ReportOptions, serverLimit: number | null): number {
  return Math.min(
    options['output-limit'] ?? MOST_BODY_BYTES,
    serverLimit ?? USUAL_BODY_BYTES,
    MOST_BODY_BYTES,
  );
}
