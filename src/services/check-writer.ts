import { AppError } from '../domain/errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import type { CheckCommand, CheckResult, CheckResults, CommandOf, CommandOutcome } from './check-commands.ts';

export interface CheckWriterOptions {
  /** Commands that may wait. One more is refused at once. */
  readonly maxQueuedCommands: number;
  /** Commands of one project that may wait. */
  readonly maxQueuedCommandsPerProject: number;
  /** The most commands that are handed over together. Pings wait until they are committed. */
  readonly maxBatchSize: number;
  /** Batches that may be handed over before the first one is committed. */
  readonly maxConcurrentBatches: number;
  /** While another batch is being written, a new one is handed over only when this many commands wait. */
  readonly minBatchWhileBusy: number;
}

/** The values for SQLite. */
export const CHECK_WRITER_DEFAULTS: CheckWriterOptions = {
  maxQueuedCommands: 2_000,
  maxQueuedCommandsPerProject: 500,
  maxBatchSize: 32,
  maxConcurrentBatches: 2,
  minBatchWhileBusy: 16,
};

/** Performs a batch. Returns the outcome of each command, in order, after the commit. */
export type PerformCommands = (batch: readonly CheckCommand[]) => Promise<CommandOutcome[]>;

interface Waiting extends PromiseWithResolvers<CheckResult> {
  readonly command: CheckCommand;
}

/**
 * Group commit for the verbs on checks, as `PingWriter` has it for pings: commands that arrive while a batch is being
 * written become the next batch. Projects take turns, so one that writes without a pause delays others by one command
 * a round.
 */
export class CheckWriter implements AsyncDisposable {
  readonly #performBatch: PerformCommands;
  readonly #options: CheckWriterOptions;
  readonly #queue: FairQueue<Waiting>;
  readonly #underWay = new Set<Promise<void>>();
  #isDispatching = false;

  constructor(performBatch: PerformCommands, options: CheckWriterOptions = CHECK_WRITER_DEFAULTS) {
    this.#performBatch = performBatch;
    this.#options = options;
    this.#queue = new FairQueue({
      maxQueued: options.maxQueuedCommands,
      maxQueuedPerOwner: options.maxQueuedCommandsPerProject,
    });
  }

  /** Resolves when the command is committed. Throws `overloaded` when too many wait. */
  perform<Verb extends CheckCommand['verb']>(command: CommandOf<Verb>): Promise<CheckResults[Verb]> {
    const waiting = { command, ...Promise.withResolvers<CheckResult>() };
    if (!this.#queue.add(String(command.actor.projectId), waiting)) {
      return Promise.reject(new AppError('overloaded', undefined, { retryAfterSeconds: 1 }));
    }
    this.#dispatchSoon();
    // The verb determines the type of the result.
    return waiting.promise as Promise<CheckResults[Verb]>;
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
    const batch: Waiting[] = [];
    while (batch.length < this.#options.maxBatchSize) {
      const next = this.#queue.take();
      if (next === undefined) break;
      batch.push(next);
    }
    const written = this.#write(batch).then(() => {
      this.#underWay.delete(written);
      this.#dispatchSoon();
    });
    this.#underWay.add(written);
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
