/** From the best to the worst. A row that does not apply here is skipped. */
export const VERDICTS = ['skip', 'ok', 'warn', 'fail'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The result of a look at one part of an installation. */
export interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  /** What an operator can do. Null if there is nothing to do. */
  readonly advice: string | null;
}
