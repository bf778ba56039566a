import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { systemActor } from '../core/actor.ts';
import type { CheckCommand, CheckResult, CommandOutcome } from './check-commands.ts';
import { CHECK_WRITER_DEFAULTS, CheckWriter, type CheckWriterOptions } from './check-writer.ts';

/** A batch that the test commits. */
interface Batch {
  readonly ids: readonly number[];
  commit(outcomes?: CommandOutcome[]): void;
  fail(error: unknown): void;
}

/** A command returns its own id here. */
function resultOf(id: number): CheckResult {
  return { check: { id }, channelUuids: [] } as unknown as CheckResult;
}

/** A writer whose batches wait to be committed by the test. */
class Bench {
  readonly batches: Batch[] = [];
  readonly writer: CheckWriter;
  #arrived = Promise.withResolvers<void>();

  constructor(options: Partial<CheckWriterOptions> = {}) {
    this.writer = new CheckWriter((commands) => this.#take(commands), {
      ...CHECK_WRITER_DEFAULTS,
      ...options,
    });
  }

  /** The nth batch, from 0, once it has been handed over. */
  async batch(index: number): Promise<Batch> {
    for (;;) {
      const batch = this.batches[index];
      if (batch !== undefined) return batch;
      await this.#arrived.promise;
    }
  }

  pause(id: number, ownerId = 1, projectId = ownerId): Promise<number> {
    return this.writer
      .perform({ verb: 'pause', actor: { ...systemActor(projectId), ownerId }, id })
      .then(({ check }) => check.id);
  }

  describe(id: number, description: string, ownerId = 1): Promise<unknown> {
    const input = { edit: { description } };
    return this.writer.perform({ verb: 'update', actor: { ...systemActor(ownerId), ownerId }, id, input });
  }

  #take(commands: readonly CheckCommand[]): Promise<CommandOutcome[]> {
    const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome[]>();
    const ids = commands.map((command) => ('id' in command ? command.id : 0));
    const done = ids.map((id) => ({ value: resultOf(id) }));
    this.batches.push({ ids, commit: (outcomes = done) => resolve(outcomes), fail: reject });
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    return promise;
  }
}

function range(from: number, until: number): number[] {
  return Array.from({ length: until - from }, (_, index) => from + index);
}

async function assertOverloaded(attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, { name: 'AppError', code: 'overloaded', retryAfterSeconds: 1 });
}

test('commands that come together are one batch, and each gets its own result after it', async () => {
  const bench = new Bench();

  const answers = range(1, 4).map((id) => bench.pause(id));
  const batch = await bench.batch(0);
  assert.deepEqual(batch.ids, [1, 2, 3]);
  batch.commit();

  assert.deepEqual(await Promise.all(answers), [1, 2, 3]);
});

test('a batch has a largest size, and while so many are being written the others wait', async () => {
  const bench = new Bench({ maxBatchSize: 2, maxConcurrentBatches: 2, minBatchWhileBusy: 1 });

  const answers = range(1, 6).map((id) => bench.pause(id));
  const [first, second] = [await bench.batch(0), await bench.batch(1)];
  assert.equal(bench.batches.length, 2);
  second.commit();
  const third = await bench.batch(2);
  first.commit();
  third.commit();

  assert.deepEqual(
    bench.batches.map(({ ids }) => ids),
    [[1, 2], [3, 4], [5]],
  );
  assert.deepEqual(await Promise.all(answers), [1, 2, 3, 4, 5]);
});

test('while a batch is being written, a few commands wait for more', async () => {
  const bench = new Bench({ minBatchWhileBusy: 3 });

  const answers = [bench.pause(1)];
  const first = await bench.batch(0);
  answers.push(bench.pause(2), bench.pause(3));
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(bench.batches.length, 1);
  answers.push(bench.pause(4));
  const second = await bench.batch(1);
  assert.deepEqual(second.ids, [2, 3, 4]);
  answers.push(bench.pause(5));
  first.commit();
  second.commit();
  (await bench.batch(2)).commit();

  assert.deepEqual(await Promise.all(answers), [1, 2, 3, 4, 5]);
});

test('a batch of long texts is short', async () => {
  const bench = new Bench({ maxBatchBytes: 1_000, maxConcurrentBatches: 1 });

  const answers = [bench.describe(1, 'x'.repeat(5_000)), bench.pause(2), bench.pause(3), bench.pause(4)];
  for (const index of range(0, 3)) (await bench.batch(index)).commit();
  await Promise.all(answers);

  assert.deepEqual(
    bench.batches.map(({ ids }) => ids),
    [[1], [2, 3], [4]],
  );
});

test('an account that writes without a pause, in many projects, delays others by one command a round', async () => {
  const bench = new Bench({ maxBatchSize: 4, maxConcurrentBatches: 1 });

  const busy = range(1, 9).map((id) => bench.pause(id, 1, id));
  const others = [bench.pause(101, 2), bench.pause(201, 3)];
  for (const index of range(0, 3)) (await bench.batch(index)).commit();
  await Promise.all([...busy, ...others]);

  assert.deepEqual(
    bench.batches.map(({ ids }) => ids),
    [
      [1, 101, 201, 2],
      [3, 4, 5, 6],
      [7, 8],
    ],
  );
});

test('more commands than may wait are refused at once, in all, for each account and in bytes', async () => {
  const limits = { maxQueuedCommands: 3, maxQueuedCommandBytes: 10_000 };
  const bench = new Bench({ ...limits, maxConcurrentBatches: 1 });
  const answers: Promise<unknown>[] = [bench.pause(1)];
  const first = await bench.batch(0);

  answers.push(bench.pause(2), bench.pause(3));
  await assertOverloaded(bench.pause(4));
  await assertOverloaded(
    bench.writer.perform({
      verb: 'create',
      actor: { ...systemActor(2), ownerId: 2 },
      input: { edit: {}, channels: 'x'.repeat(4_000), match: null },
    }),
  );
  answers.push(bench.pause(5, 2));
  await assertOverloaded(bench.pause(6, 3));
  first.commit();
  (await bench.batch(1)).commit();
  await Promise.all(answers);
  // Written commands have made room again.
  const long = bench.describe(7, 'x'.repeat(4_000));
  (await bench.batch(2)).commit();
  await long;

  assert.deepEqual(
    bench.batches.map(({ ids }) => ids),
    [[1], [2, 5, 3], [7]],
  );
});

test('long texts of one account leave room for those of others', async () => {
  const bench = new Bench({ maxQueuedCommandBytes: 20_000, maxConcurrentBatches: 1 });
  const answers = [1, 2].map((id) => bench.describe(id, 'x'.repeat(4_000)));

  await assertOverloaded(bench.describe(3, 'x'.repeat(4_000)));
  answers.push(bench.describe(4, 'x'.repeat(4_000), 2));
  (await bench.batch(0)).commit();
  await Promise.all(answers);

  assert.deepEqual(
    bench.batches.map(({ ids }) => ids),
    [[1, 4, 2]],
  );
});

test('a command that fails is told why, and the others of its batch succeed', async () => {
  const bench = new Bench();

  const answers = Promise.allSettled([bench.pause(1), bench.pause(2)]);
  const refusal = new AppError('check_not_found');
  (await bench.batch(0)).commit([{ failure: refusal }, { value: resultOf(2) }]);

  assert.deepEqual(await answers, [
    { status: 'rejected', reason: refusal },
    { status: 'fulfilled', value: 2 },
  ]);
});

test('a batch that fails as a whole fails all its commands, and the next one is written', async () => {
  const bench = new Bench({ maxBatchSize: 2, maxConcurrentBatches: 1 });

  const answers = Promise.allSettled(range(1, 4).map((id) => bench.pause(id)));
  const outage = new AppError('storage_unavailable');
  (await bench.batch(0)).fail(outage);
  (await bench.batch(1)).commit();

  assert.deepEqual(await answers, [
    { status: 'rejected', reason: outage },
    { status: 'rejected', reason: outage },
    { status: 'fulfilled', value: 3 },
  ]);
});

test('a stop waits for every command that was accepted', async () => {
  const bench = new Bench({ maxBatchSize: 1, maxConcurrentBatches: 1 });
  const answered: number[] = [];
  const answers = range(1, 3).map((id) => bench.pause(id).then((done) => answered.push(done)));

  const stopped = bench.writer[Symbol.asyncDispose]();
  (await bench.batch(0)).commit();
  (await bench.batch(1)).commit();
  await stopped;
  await Promise.all(answers);

  assert.deepEqual(answered, [1, 2]);
});
