export interface PruningReads {
  /** Checks that may have too many pings, in the order of their ids behind that one, at most so many. */
  next(afterId: number, most: number): Promise<number[]>;
}

export interface PruningWrites extends PruningReads {
  addMany(checkIds: readonly number[]): Promise<void>;
  done(checkId: number): Promise<void>;
}
