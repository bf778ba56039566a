import { AppError } from '../../domain/errors.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { Shares } from '../../lib/shares.ts';
import type { CheckCommand, CheckResult, CheckResults, CommandOf, CommandOutcome } from './check-commands.ts';

export interface CheckWriterOptions {
  /** Commands that may wait. Each account has a share of it, beyond which its projects are refused at once. */
  readonly maxQueuedCommands: number;
  /** Bytes of the commands that wait or are being written. Each account has a share of it. */
  readonly maxQueuedCommandBytes: number;
  /** The most commands that are handed over together. Pings wait until they are committed. */
  readonly maxBatchSize: number;
  /** A batch takes no further command once it has this many bytes. */
  readonly maxBatchBytes: number;
  /** Batches that may be handed over before the first one is committed. */
  readonly maxConcurrentBatches: number;
  /** While another batch is being written, a new one is handed over only when this many commands wait. */
  readonly minBatchWhileBusy: number;
}

/** The values for SQLite. */
export const CHECK_WRITER_DEFAULTS: CheckWriterOptions = {
  maxQueuedCommands: 1_000,
  maxQueuedCommandBytes: 16 * 1024 * 1024,
  maxBatchSize: 32,
  maxBatchBytes: 64 * 1024,
  maxConcurrentBatches: 2,
  minBatchWhileBusy: 16,
};

/** Performs a batch. Returns the outcome of each command, in order, after the commit. */
export type PerformCommands = (batch: readonly CheckCommand[]) => Promise<CommandOutcome[]>;

/** Rough size of a command without its long texts. */
const COMMAND_OVERHEAD_BYTES = 500;

interface Waiting extends PromiseWithResolvers<CheckResult> {
  readonly command: CheckCommand;
  /** The account whose share it takes from. */
  readonly owner: string;
  readonly bytes: number;
}

/**
 * Group commit for the verbs on checks, as `PingWriter` has it for pings: commands that arrive while a batch is being
 * written become the next batch. The accounts that own the projects take turns, so one that writes without a pause delays
 * others by one command a round.
 */
export class CheckWriter implements AsyncDisposable {
  readonly #performBatch: PerformCommands;
  readonly #options: CheckWriterOptions;
  readonly #queue: FairQueue<Waiting>;
  readonly #bytes: Shares<string>;
  readonly #underWay = new Set<Promise<void>>();
  #isDispatching = false;

  constructor(performBatch: PerformCommands, options: CheckWriterOptions = CHECK_WRITER_DEFAULTS) {
    this.#performBatch = performBatch;
    this.#options = options;
    this.#queue = new FairQueue({ maxQueued: options.maxQueuedCommands });
    this.#bytes = new Shares(options.maxQueuedCommandBytes);
  }

  /** Resolves when the command is committed. Throws `overloaded` when too many wait. */
  perform<Verb extends CheckCommand['verb']>(command: CommandOf<Verb>): Promise<CheckResults[Verb]> {
    const owner = String(command.actor.ownerId);
    const waiting = { command, owner, bytes: bytesOf(command), ...Promise.withResolvers<CheckResult>() };
    if (!this.#enqueue(waiting)) {
      return Promise.reject(new AppError('overloaded', undefined, { retryAfterSeconds: 1 }));
    }
    this.#dispatchSoon();
    // The verb determines the type of the result.
    return waiting.promise as Promise<CheckResults[Verb]>;
  }

  #enqueue(waiting: Waiting): boolean {
    const { owner, bytes } = waiting;
    if (!this.#bytes.take(owner, bytes)) return false;
    const isQueued = this.#queue.add(owner, waiting);
    if (!isQueued) this.#bytes.giveBack(owner, bytes);
    return isQueued;
  }

  /** Requests that arrive in the same turn of the event loop share a batch. */
  #dispatchSoon(): void {
    if (this.#isDispatching || !this.#mayDispatch()) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      while (this.#mayDispatch()) this.#dispatch();
    });
  }

  #mayDispatch(): boolean {
    const { maxConcurrentBatches, minBatchWhileBusy } = this.#options;
    if (this.#underWay.size >= maxConcurrentBatches) return false;
    return this.#queue.length >= (this.#underWay.size === 0 ? 1 : minBatchWhileBusy);
  }

  #dispatch(): void {
    const batch = this.#takeBatch();
    const written = this.#write(batch).then(() => {
      for (const { owner, bytes } of batch) this.#bytes.giveBack(owner, bytes);
      this.#underWay.delete(written);
      this.#dispatchSoon();
    });
    this.#underWay.add(written);
  }

  #takeBatch(): Waiting[] {
    const { maxBatchSize, maxBatchBytes } = this.#options;
    const batch: Waiting[] = [];
    for (let bytes = 0; batch.length < maxBatchSize && bytes < maxBatchBytes; ) {
      const next = this.#queue.take();
      if (next === undefined) break;
      batch.push(next);
      bytes += next.bytes;
    }
    return batch;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#performBatch(batch.map(({ command }) => command));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index] ?? { failure: new Error('the batch lost count of its commands') };
        if ('value' in outcome) resolve(outcome.value);
        else reject(outcome.failure);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Resolves when every accepted command is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#queue.length > 0 || this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

/** A cheap estimate. Only these two texts may be long. */
function bytesOf(command: CheckCommand): number {
  if (command.verb !== 'create' && command.verb !== 'update') return COMMAND_OVERHEAD_BYTES;
  const { edit, channels = '' } = command.input;
  return COMMAND_OVERHEAD_BYTES + (edit.description?.length ?? 0) + channels.length;
}
