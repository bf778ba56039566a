interface Lane<T> {
  readonly current: Promise<T>;
  /** The run that begins after the current one. Null if nobody has asked for it. */
  next: Promise<T> | null;
}

/**
 * Shares work among callers that ask for the same key. One run for each key is active at a time. Callers that ask during a
 * run share the next run, so a result is never older than the question.
 */
export class SharedRuns<T> {
  readonly #lanes = new Map<string, Lane<T>>();

  run(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return this.#start(key, work);
    lane.next ??= lane.current.then(
      () => this.#start(key, work),
      () => this.#start(key, work),
    );
    return lane.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const lane: Lane<T> = { current: work(), next: null };
    this.#lanes.set(key, lane);
    const end = () => {
      if (lane.next === null) this.#lanes.delete(key);
    };
    lane.current.then(end, end);
    return lane.current;
  }
}
