export interface PruningReads {
  /** Checks that may have too many pings, after that id in the order of their ids, at most `most`. */
  next(afterId: number, most: number): Promise<number[]>;
}

export interface PruningWrites extends PruningReads {
  addMany(checkIds: readonly number[]): Promise<void>;
  done(checkId: number): Promise<void>;
}
