/** What became of an act on many checks. */
export interface BulkResultJson {
  /** UUIDs of the checks to which it was done. */
  readonly done: readonly string[];
  /** The others, by the reason. */
  readonly refused: readonly BulkRefusalJson[];
}

export interface BulkRefusalJson {
  readonly code: string;
  readonly error: string;
  readonly checks: readonly string[];
}
