import { AppError } from '../domain/errors.ts';
import type { IncomingPing, PingOutcome } from '../domain/incoming-ping.ts';

export interface PingWriterOptions {
  /** Pings that may wait for their turn; one more is refused at once. */
  readonly mostWaiting: number;
  /** Bytes of body that may wait. */
  readonly mostWaitingBytes: number;
  /** Pings that share a transaction at the most. */
  readonly mostInBatch: number;
  /** Batches that may be handed over before the first is committed. */
  readonly mostUnderWay: number;
  /** Pings that must wait before a batch is handed over while another is under way: small batches cost more. */
  readonly leastBeside: number;
  /**
   * Whether batches are committed in the order of handing over. Where they are not, those that are under way at the
   * same time have no check in common, or pings of one check could overtake each other.
   */
  readonly keepsOrder: boolean;
  /**
   * A batch that takes longer is stuck, most likely on a row that somebody else holds: where batches are not committed in
   * order anyway, only pings to its own addresses wait for it any longer.
   */
  readonly stuckAfterMs: number;
  /** While more batches than that are stuck, all wait. None: nobody overtakes a batch because it is slow. */
  readonly mostStuck: number;
}

export const PING_WRITER_DEFAULTS: PingWriterOptions = {
  mostWaiting: 20_000,
  mostWaitingBytes: 64 * 1024 * 1024,
  mostInBatch: 1_000,
  mostUnderWay: 1,
  leastBeside: 1,
  keepsOrder: true,
  stuckAfterMs: 250,
  mostStuck: 0,
};

/** Commits a batch and tells what became of each ping, in order. */
export type Ingest = (batch: readonly IncomingPing[]) => Promise<PingOutcome[]>;

interface Waiting {
  readonly ping: IncomingPing;
  readonly resolve: (outcome: PingOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch under way. */
interface Batch {
  isStuck: boolean;
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
  /** Of those under way, how many are not stuck. */
  #briskCount = 0;
  readonly #underWay = new Map<Batch, Promise<void>>();
  /** What pings under way are for, by their addresses, unless order is kept anyway. */
  readonly #targetsUnderWay = new Set<string>();
  /** Pings by slug that wait or are under way. Which checks they are for is not known here. */
  #slugCount = 0;
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
    if (!('uuid' in ping.target)) this.#slugCount++;
    if (this.#mayGo(ping)) this.#dispatchSoon();
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
    if (this.#isDispatching || !this.#hasRoomBeside()) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && this.#hasRoomBeside()) {
      const pings = this.#takeBatch();
      if (pings.length === 0) return;
      const batch: Batch = { isStuck: false };
      this.#briskCount++;
      const watch = this.#watch(batch);
      const writing = this.#writeBatch(pings).then(() => {
        clearTimeout(watch);
        if (!batch.isStuck) this.#briskCount--;
        this.#underWay.delete(batch);
        this.#release(pings);
        if (this.#waiting.length > 0) this.#dispatchSoon();
      });
      this.#underWay.set(batch, writing);
    }
  }

  #watch(batch: Batch): NodeJS.Timeout | undefined {
    if (this.#options.keepsOrder) return undefined;
    return setTimeout(() => {
      batch.isStuck = true;
      this.#briskCount--;
      if (this.#waiting.length > 0) this.#dispatchSoon();
    }, this.#options.stuckAfterMs);
  }

  #hasRoomBeside(): boolean {
    const { mostUnderWay, leastBeside, mostStuck } = this.#options;
    const stuckCount = this.#underWay.size - this.#briskCount;
    if (stuckCount > mostStuck) return false;
    if (this.#briskCount === 0) return true;
    return stuckCount === 0 && this.#briskCount < mostUnderWay && this.#waiting.length >= leastBeside;
  }

  /** The pings that may go now, in their order; those behind which another of their check is under way stay. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const isTaken = batch.length < this.#options.mostInBatch && this.#mayGo(waiting.ping);
      (isTaken ? batch : left).push(waiting);
    }
    this.#waiting = left;
    for (const { ping } of batch) {
      this.#waitingBytes -= ping.body?.length ?? 0;
      if (!this.#options.keepsOrder) this.#targetsUnderWay.add(keyOf(ping));
    }
    return batch;
  }

  /**
   * A ping by slug may be for any check: it is written while nothing else is, together with what waits then. Beside a
   * batch that is stuck it is for another check, as far as the addresses tell.
   */
  #mayGo(ping: IncomingPing): boolean {
    if (this.#options.keepsOrder || this.#underWay.size === 0) return true;
    if (this.#targetsUnderWay.has(keyOf(ping))) return false;
    return this.#briskCount === 0 || (this.#slugCount === 0 && 'uuid' in ping.target);
  }

  #release(batch: readonly Waiting[]): void {
    for (const { ping } of batch) {
      this.#targetsUnderWay.delete(keyOf(ping));
      if (!('uuid' in ping.target)) this.#slugCount--;
    }
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
      await Promise.all(this.#underWay.values());
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

function keyOf({ target }: IncomingPing): string {
  return 'uuid' in target ? target.uuid : `${target.pingKeyDigest}/${target.slug}`;
}
