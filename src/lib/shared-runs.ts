interface Lane<T> {
  readonly current: Promise<T>;
  /** The run that begins when the current one has ended; null while nobody has asked for it. */
  next: Promise<T> | null;
}

/**
 * Work that many may ask for at the same time, and whose result is the same for all of them. Of each key one run is under
 * way. Whoever asks meanwhile shares the next one: a result is never older than the question.
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
