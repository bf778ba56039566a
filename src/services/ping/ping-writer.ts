import { AppError } from '../../domain/errors.ts';
import type { PingOutcome, ReceivedPing } from '../../domain/ping/incoming-ping.ts';
import { filterKey } from '../../domain/ping/mail-filter.ts';
import { systemTimers, type Timers } from '../../lib/timers.ts';

export interface PingWriterOptions {
  /** Pings that may wait. One more is refused at once. */
  readonly maxQueuedPings: number;
  /** Bytes of the pings that wait or are being written. */
  readonly maxQueuedBytes: number;
  /**
   * The part of these bytes that `recordAll` may use. Its other pings wait outside of the queue, so that there is room
   * for single pings.
   */
  readonly maxQueuedGroupBytes: number;
  /** The most pings in one transaction. */
  readonly maxBatchSize: number;
  /** The most bytes of pings in one transaction. A larger ping is written alone. */
  readonly maxBatchBytes: number;
  /** Batches that may be handed over before the first one is committed. */
  readonly maxConcurrentBatches: number;
  /**
   * While another batch is being written, a new one is handed over only when this many pings wait: small batches cost
   * more.
   */
  readonly minBatchWhileBusy: number;
  /**
   * Whether batches are committed in the order in which they are handed over. Otherwise batches that are written at the
   * same time have no check in common, because pings of one check could overtake each other.
   */
  readonly keepsOrder: boolean;
  /**
   * A batch that takes longer is stuck, most likely on a row lock of another transaction. Where commits are not in
   * order, only pings to its own addresses go on waiting for it.
   */
  readonly stuckAfterMs: number;
  /** While more batches than this are stuck, all pings wait. With 0, a single stuck batch holds up all pings. */
  readonly maxStuckBatches: number;
}

/** The values of the program. Order and the number of stuck batches depend on the database and are set elsewhere. */
export const PING_WRITER_DEFAULTS: PingWriterOptions = {
  maxQueuedPings: 20_000,
  maxQueuedBytes: 64 * 1024 * 1024,
  maxQueuedGroupBytes: 32 * 1024 * 1024,
  maxBatchSize: 1_000,
  maxBatchBytes: 8 * 1024 * 1024,
  maxConcurrentBatches: 2,
  minBatchWhileBusy: 50,
  keepsOrder: true,
  stuckAfterMs: 250,
  maxStuckBatches: 0,
};

/** Rough size of a ping without its texts and its body. */
const PING_OVERHEAD_BYTES = 500;

/** Commits a batch. Returns the outcome of each ping, in order. */
export type Ingest = (batch: readonly ReceivedPing[]) => Promise<PingOutcome[]>;

interface Waiting {
  readonly ping: ReceivedPing;
  readonly bytes: number;
  readonly resolve: (outcome: PingOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch that is being written. */
interface Batch {
  isStuck: boolean;
}

/**
 * Group commit. Pings that arrive while a batch is being written become the next batch: one transaction and one sync
 * for all of them. Each ping is answered after its commit. There is no timer: when nothing is being written, a ping is
 * written at once, and under load batches grow by themselves.
 */
export class PingWriter {
  readonly #ingest: Ingest;
  readonly #options: PingWriterOptions;
  readonly #timers: Pick<Timers, 'callAfter'>;
  #waiting: Waiting[] = [];
  /** Bytes of the pings that wait or are being written. */
  #heldBytes = 0;
  #isDispatching = false;
  /** Batches that are being written and are not stuck. */
  #runningBatchCount = 0;
  /** Bytes in use by `recordAll`. */
  #groupBytes = 0;
  #groupDone = Promise.withResolvers<void>();
  readonly #underWay = new Map<Batch, Promise<void>>();
  /** Addresses of the pings that are being written. Empty when order is kept anyway. */
  readonly #targetsUnderWay = new Set<string>();
  /** Pings by slug or alias that wait or are being written. It is not known here which checks they are for. */
  #slugCount = 0;
  #refusedCount = 0;

  constructor(
    ingest: Ingest,
    options: PingWriterOptions = PING_WRITER_DEFAULTS,
    timers: Pick<Timers, 'callAfter'> = systemTimers,
  ) {
    this.#ingest = ingest;
    this.#options = options;
    this.#timers = timers;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Pings refused because too many waited. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Resolves when the ping is committed and synced, or when it is known why it will not be. */
  record(ping: ReceivedPing): Promise<PingOutcome> {
    const bytes = pingBytes(ping);
    return this.#hasRoom(1, bytes) ? this.#enqueue(ping, bytes) : Promise.reject(this.#refuse(1));
  }

  /**
   * Records any number of pings in order, one batch at a time. Throws as soon as some cannot be written because of an
   * outage or of overload. Earlier ones may have been recorded by then.
   */
  async recordAll(pings: readonly ReceivedPing[]): Promise<PingOutcome[]> {
    const outcomes: PingOutcome[] = [];
    for (const group of this.#groupsOf(pings)) outcomes.push(...(await this.#recordGroup(group)));
    return outcomes;
  }

  async #recordGroup(group: readonly ReceivedPing[]): Promise<PingOutcome[]> {
    const bytes = group.reduce((sum, ping) => sum + pingBytes(ping), 0);
    const { maxQueuedGroupBytes } = this.#options;
    while (this.#groupBytes > 0 && this.#groupBytes + bytes > maxQueuedGroupBytes) {
      await this.#groupDone.promise;
    }
    if (!this.#hasRoom(group.length, bytes)) throw this.#refuse(group.length);
    this.#groupBytes += bytes;
    const settled = await Promise.allSettled(group.map((ping) => this.#enqueue(ping, pingBytes(ping))));
    this.#groupBytes -= bytes;
    this.#groupDone.resolve();
    this.#groupDone = Promise.withResolvers();
    return settled.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  *#groupsOf(pings: readonly ReceivedPing[]): Generator<ReceivedPing[]> {
    let group: ReceivedPing[] = [];
    let groupBytes = 0;
    for (const ping of pings) {
      const bytes = pingBytes(ping);
      if (this.#isFull(group.length, groupBytes + bytes)) {
        yield group;
        group = [];
        groupBytes = 0;
      }
      group.push(ping);
      groupBytes += bytes;
    }
    if (group.length > 0) yield group;
  }

  #enqueue(ping: ReceivedPing, bytes: number): Promise<PingOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<PingOutcome>();
    this.#waiting.push({ ping, bytes, resolve, reject });
    this.#heldBytes += bytes;
    if (!('uuid' in ping.target)) this.#slugCount++;
    if (this.#mayGo(ping)) this.#dispatchSoon();
    return promise;
  }

  /** A ping larger than the whole queue is accepted when the queue is empty; otherwise it could never be recorded. */
  #hasRoom(count: number, bytes: number): boolean {
    const { maxQueuedPings, maxQueuedBytes } = this.#options;
    if (this.#waiting.length + count > maxQueuedPings) return false;
    if (bytes > maxQueuedBytes) return this.#waiting.length === 0;
    return this.#heldBytes + bytes <= maxQueuedBytes;
  }

  #refuse(count: number): AppError {
    this.#refusedCount += count;
    return new AppError('overloaded', undefined, { retryAfterSeconds: 1 });
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
      this.#runningBatchCount++;
      const stopWatching = this.#watch(batch);
      const writing = this.#writeBatch(pings).then(() => {
        stopWatching();
        if (!batch.isStuck) this.#runningBatchCount--;
        this.#underWay.delete(batch);
        this.#release(pings);
        if (this.#waiting.length > 0) this.#dispatchSoon();
      });
      this.#underWay.set(batch, writing);
    }
  }

  /** Marks the batch as stuck when it takes too long. Call the result to stop that. */
  #watch(batch: Batch): () => void {
    if (this.#options.keepsOrder) return () => undefined;
    return this.#timers.callAfter(this.#options.stuckAfterMs, () => {
      batch.isStuck = true;
      this.#runningBatchCount--;
      if (this.#waiting.length > 0) this.#dispatchSoon();
    });
  }

  #hasRoomBeside(): boolean {
    const { maxConcurrentBatches, minBatchWhileBusy, maxStuckBatches } = this.#options;
    const stuckCount = this.#underWay.size - this.#runningBatchCount;
    if (stuckCount > maxStuckBatches) return false;
    if (this.#runningBatchCount === 0) return true;
    return (
      stuckCount === 0 &&
      this.#runningBatchCount < maxConcurrentBatches &&
      this.#waiting.length >= minBatchWhileBusy
    );
  }

  /**
   * Takes the pings that can be written now, in order of arrival. A ping stays queued while an earlier ping of its
   * check is being written.
   */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    let bytes = 0;
    let isFull = false;
    for (const waiting of this.#waiting) {
      // Once a ping does not fit, no later ping is taken: it may be for the same check.
      isFull ||= this.#isFull(batch.length, bytes + waiting.bytes);
      const isTaken = !isFull && this.#mayGo(waiting.ping);
      (isTaken ? batch : left).push(waiting);
      if (isTaken) bytes += waiting.bytes;
    }
    this.#waiting = left;
    if (!this.#options.keepsOrder) for (const { ping } of batch) this.#targetsUnderWay.add(keyOf(ping));
    return batch;
  }

  /** Whether a batch of `count` pings has no room for one more. `bytesWithNext` includes that one. */
  #isFull(count: number, bytesWithNext: number): boolean {
    const { maxBatchSize, maxBatchBytes } = this.#options;
    return count >= maxBatchSize || (count > 0 && bytesWithNext > maxBatchBytes);
  }

  /**
   * While other batches are being written, a ping may join them if it is by UUID, if none of them has the same address,
   * and if no ping by slug waits or is being written. A ping by slug may be for any check, so it waits until all other
   * batches are written or stuck. Beside a stuck batch only the addresses are compared.
   */
  #mayGo(ping: ReceivedPing): boolean {
    if (this.#options.keepsOrder || this.#underWay.size === 0) return true;
    if (this.#targetsUnderWay.has(keyOf(ping))) return false;
    return this.#runningBatchCount === 0 || (this.#slugCount === 0 && 'uuid' in ping.target);
  }

  #release(batch: readonly Waiting[]): void {
    for (const { ping } of batch) {
      if (!this.#options.keepsOrder) this.#targetsUnderWay.delete(keyOf(ping));
      if (!('uuid' in ping.target)) this.#slugCount--;
    }
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#ingestAndRelease(batch);
      for (const [index, { resolve }] of batch.entries()) {
        resolve(outcomes[index] ?? { failure: new Error('the batch lost count of its pings') });
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Frees the room of the batch before its pings are answered. */
  async #ingestAndRelease(batch: readonly Waiting[]): Promise<PingOutcome[]> {
    try {
      return await this.#ingest(batch.map(({ ping }) => ping));
    } finally {
      for (const { bytes } of batch) this.#heldBytes -= bytes;
    }
  }

  /** Resolves when every accepted ping is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#waiting.length > 0 || this.#underWay.size > 0) {
      await Promise.all(this.#underWay.values());
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

function keyOf({ target }: ReceivedPing): string {
  if ('uuid' in target) return target.uuid;
  if ('slug' in target)
    return `${'dialect' in target ? target.keyDigest : target.pingKeyDigest}/${target.slug}`;
  return target.tokenDigest;
}

/** A cheap estimate. It counts the texts whose length a client chooses, and a constant for the rest. */
export function pingBytes({ target, userAgent, body, mail, declaration }: ReceivedPing): number {
  let bytes = PING_OVERHEAD_BYTES + userAgent.length + (body?.length ?? 0);
  if ('slug' in target) bytes += target.slug.length;
  if ('text' in target) bytes += target.text.length;
  if (declaration !== undefined) bytes += declaration.given?.length ?? 0;
  if (mail !== null && mail.filter !== null) bytes += filterKey(mail.filter).length;
  return bytes;
}
