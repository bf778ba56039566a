import type { Numbers } from '../numbers.ts';

/** What a job has written to one stream. */
export interface Said {
  /** The end of it. */
  readonly text: string;
  /** How many bytes all of it had. */
  readonly bytes: number;
}

/** Both streams of a job. */
export interface Output {
  readonly out: Said;
  readonly err: Said;
}

/** The numbers of a run, or null where there is no summary. */
export type Summarize = (output: Output) => Numbers | null;
