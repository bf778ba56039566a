import type { Instant } from '../../lib/instant.ts';

export interface JobReads {
  /** When the job is due next, or its claim ends. Null if it was never done. */
  dueAt(name: string): Promise<Instant | null>;
}

export interface JobWrites extends JobReads {
  /**
   * Claims the job until that time. Returns false if it is not due. A job that is due after `latest` counts as due now:
   * only a wrong clock can have set such a time.
   */
  claim(name: string, now: Instant, until: Instant, latest: Instant): Promise<boolean>;
  /** Sets the time at which the job is due next. */
  postpone(name: string, until: Instant): Promise<void>;
}
