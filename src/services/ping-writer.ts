import { AppError } from '../domain/errors.ts';
import type { IncomingPing, PingOutcome } from '../domain/incoming-ping.ts';

export interface PingWriterOptions {
  /** Pings that may wait for their turn; one more is refused at once. */
  readonly mostWaiting: number;
  /** Bytes of body that may wait. */
  readonly mostWaitingBytes: number;
  /** Pings that share a transaction at the most. */
  readonly mostInBatch: number;
  /**
   * Batches that may be handed over before the first is committed. More than one only where they are
   * committed in the order of handing over, or the pings of one check could overtake each other.
   */
  readonly mostUnderWay: number;
}

export const PING_WRITER_DEFAULTS: PingWriterOptions = {
  mostWaiting: 20_000,
  mostWaitingBytes: 64 * 1024 * 1024,
  mostInBatch: 1_000,
  mostUnderWay: 1,
};

/** Commits a batch and tells what became of each ping, in order. */
export type Ingest = (batch: readonly IncomingPing[]) => Promise<PingOutcome[]>;

interface Waiting {
  readonly ping: IncomingPing;
  readonly resolve: (outcome: PingOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit. Pings that arrive while a batch is being written wait and become the next batch: one
 * transaction and one sync for all of them, each answered after the commit that holds it. Nobody waits for
 * a timer: the first ping of an idle second goes alone, at once, and under load batches grow by themselves.
 */
export class PingWriter {
  readonly #ingest: Ingest;
  readonly #options: PingWriterOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isDispatching = false;
  readonly #underWay = new Set<Promise<void>>();
  #refusedCount = 0;

  constructor(ingest: Ingest, options: PingWriterOptions = PING_WRITER_DEFAULTS) {
    this.#ingest = ingest;
    this.#options = options;
  }

  /** Pings that wait for their turn. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Pings that were refused because too many waited. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Resolves when the ping is committed and synced, or it is known why it will not be. */
  record(ping: IncomingPing): Promise<PingOutcome> {
    const bytes = ping.body?.length ?? 0;
    if (!this.#hasRoom(bytes)) {
      this.#refusedCount++;
      return Promise.reject(new AppError('overloaded', undefined, { retryAfterSeconds: 1 }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<PingOutcome>();
    this.#waiting.push({ ping, resolve, reject });
    this.#waitingBytes += bytes;
    this.#dispatchSoon();
    return promise;
  }

  /** One that is too long for any queue still has its turn, or it would be refused for ever. */
  #hasRoom(bytes: number): boolean {
    const { mostWaiting, mostWaitingBytes } = this.#options;
    if (this.#waiting.length >= mostWaiting) return false;
    return this.#waitingBytes === 0 || this.#waitingBytes + bytes <= mostWaitingBytes;
  }

  /** Requests that arrive in the same turn of the event loop share a batch. */
  #dispatchSoon(): void {
    if (this.#isDispatching || this.#underWay.size >= this.#options.mostUnderWay) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && this.#underWay.size < this.#options.mostUnderWay) {
      const writing = this.#writeBatch(this.#takeBatch()).then(() => {
        this.#underWay.delete(writing);
        if (this.#waiting.length > 0) this.#dispatchSoon();
      });
      this.#underWay.add(writing);
    }
  }

  #takeBatch(): Waiting[] {
    const batch = this.#waiting.splice(0, this.#options.mostInBatch);
    for (const { ping } of batch) this.#waitingBytes -= ping.body?.length ?? 0;
    return batch;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#ingest(batch.map(({ ping }) => ping));
      for (const [index, { resolve }] of batch.entries()) {
        resolve(outcomes[index] ?? { failure: new Error('the batch lost count of its pings') });
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Resolves when everything that was accepted is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#waiting.length > 0 || this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}
