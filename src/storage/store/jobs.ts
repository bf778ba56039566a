import type { Instant } from '../../lib/instant.ts';

export interface JobReads {
  /** When the job is to be done next, or its claim runs out; null when it never was. */
  dueAt(name: string): Promise<Instant | null>;
}

export interface JobWrites extends JobReads {
  /**
   * Takes the job for oneself until that time; false when it is not due. What is due after `latest` is due now: only a
   * wrong clock can have put it off so far.
   */
  claim(name: string, now: Instant, until: Instant, latest: Instant): Promise<boolean>;
  /** The job is to be done next at that time. */
  postpone(name: string, until: Instant): Promise<void>;
}
