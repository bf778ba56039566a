import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openTestDatabase } from '../../../test/engines.ts';
import { givenCheck, incomingPing } from '../../../test/records.ts';
import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import { AppError } from '../../domain/errors.ts';
import type { PingOutcome, ReceivedPing } from '../../domain/ping/incoming-ping.ts';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import { ingestPings } from './ingest.ts';
import { PING_WRITER_DEFAULTS, PingWriter, type PingWriterOptions, pingBytes } from './ping-writer.ts';

let count = 0;

function aPing(bytes = 0): ReceivedPing {
  return incomingPing({ uuid: String(++count) }, { body: bytes === 0 ? null : new Uint8Array(bytes) });
}

/** The size of a ping without a body. */
const EMPTY_BYTES = pingBytes(aPing());

interface Batch {
  readonly pings: readonly ReceivedPing[];
  commit(outcomes?: PingOutcome[]): void;
  fail(error: unknown): void;
}

/** A writer whose batches wait to be committed by the test. */
class Bench {
  readonly batches: Batch[] = [];
  readonly writer: PingWriter;
  #arrived = Promise.withResolvers<void>();

  constructor(options: Partial<PingWriterOptions> = {}) {
    this.writer = new PingWriter((pings) => this.#take(pings), { ...PING_WRITER_DEFAULTS, ...options });
  }

  /** The nth batch, from 0, once it has been handed over. */
  async batch(index: number): Promise<Batch> {
    for (;;) {
      const batch = this.batches[index];
      if (batch !== undefined) return batch;
      await this.#arrived.promise;
    }
  }

  #take(pings: readonly ReceivedPing[]): Promise<PingOutcome[]> {
    const { promise, resolve, reject } = Promise.withResolvers<PingOutcome[]>();
    const recorded = pings.map((): PingOutcome => 'recorded');
    this.batches.push({ pings, commit: (outcomes = recorded) => resolve(outcomes), fail: reject });
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    return promise;
  }
}

async function assertOverloaded(attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['overloaded', 1]);
    return true;
  });
}

test('a ping that comes alone goes alone, and is answered after its commit', async () => {
  const bench = new Bench();
  const ping = aPing();
  let isAnswered = false;

  const answer = bench.writer.record(ping).finally(() => {
    isAnswered = true;
  });
  const batch = await bench.batch(0);
  assert.deepEqual(batch.pings, [ping]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isAnswered, false);
  batch.commit();

  assert.equal(await answer, 'recorded');
});

test('pings of one moment, and those that come during a commit, share a batch in their order', async () => {
  const bench = new Bench();
  const pings = Array.from({ length: 6 }, () => aPing());

  const first = pings.slice(0, 2).map((ping) => bench.writer.record(ping));
  const batch = await bench.batch(0);
  const later = pings.slice(2).map((ping) => bench.writer.record(ping));
  batch.commit(['recorded', 'created']);
  const next = await bench.batch(1);
  next.commit(['not_found', 'ambiguous', 'invalid_rid', 'recorded']);

  assert.deepEqual(batch.pings, pings.slice(0, 2));
  assert.deepEqual(next.pings, pings.slice(2));
  assert.deepEqual(await Promise.all(first), ['recorded', 'created']);
  assert.deepEqual(await Promise.all(later), ['not_found', 'ambiguous', 'invalid_rid', 'recorded']);
});

test('one batch is written at a time, and none is longer than allowed', async () => {
  const bench = new Bench({ maxBatchSize: 2 });
  const pings = Array.from({ length: 5 }, () => aPing());

  const answers = pings.map((ping) => bench.writer.record(ping));
  for (let index = 0; index < 3; index++) {
    const batch = await bench.batch(index);
    assert.equal(bench.batches.length, index + 1);
    batch.commit();
  }

  await Promise.all(answers);
  assert.deepEqual(
    bench.batches.map(({ pings: taken }) => taken),
    [pings.slice(0, 2), pings.slice(2, 4), pings.slice(4)],
  );
});

test('a ping too many is refused at once, and there is room again after the next batch', async () => {
  const bench = new Bench({ maxQueuedPings: 2 });

  const written = bench.writer.record(aPing());
  const batch = await bench.batch(0);
  const waiting = [bench.writer.record(aPing()), bench.writer.record(aPing())];
  await assertOverloaded(bench.writer.record(aPing()));
  batch.commit();
  const next = await bench.batch(1);
  const late = bench.writer.record(aPing());
  next.commit();
  (await bench.batch(2)).commit();

  assert.deepEqual(await Promise.all([written, ...waiting, late]), Array(4).fill('recorded'));
  assert.deepEqual(
    bench.batches.map(({ pings }) => pings.length),
    [1, 2, 1],
  );
});

test('more bytes than may wait are refused, and those of a batch that is being written count', async () => {
  const bench = new Bench({ maxQueuedBytes: 3 * EMPTY_BYTES + 100 });

  const answers = [bench.writer.record(aPing(60)), bench.writer.record(aPing(40))];
  await assertOverloaded(bench.writer.record(aPing(1)));
  const batch = await bench.batch(0);
  answers.push(bench.writer.record(aPing()));
  await assertOverloaded(bench.writer.record(aPing()));
  batch.commit();
  await Promise.all(answers.slice(0, 2));
  answers.push(bench.writer.record(aPing(EMPTY_BYTES + 100)));
  (await bench.batch(1)).commit();

  assert.deepEqual(await Promise.all(answers), Array(4).fill('recorded'));
});

test('texts that strangers choose count as bytes, too', () => {
  const target = { pingKeyDigest: 'digest', slug: 'a'.repeat(100), create: false };
  const filter = { ...DEFAULT_CONFIG, filterSubject: true, successKeywords: 'k'.repeat(200) };
  const mail = { filter, signal: 'success', asksToConfirm: false } as const;

  const bytes = pingBytes(incomingPing(target, { userAgent: 'u'.repeat(200), mail }));

  assert.ok(bytes >= EMPTY_BYTES + 100 + 190 + 200, String(bytes));
});

test('a ping that is larger than the whole queue has its turn when no other waits', async () => {
  const bench = new Bench({ maxQueuedBytes: 100 });

  const long = bench.writer.record(aPing(1_000));
  await assertOverloaded(bench.writer.record(aPing(1)));
  (await bench.batch(0)).commit();

  assert.equal(await long, 'recorded');
});

test('a batch has no more bytes than allowed, and what does not fit keeps its place', async () => {
  const bench = new Bench({ maxBatchBytes: 2 * EMPTY_BYTES + 100 });
  const pings = [aPing(50), aPing(50), aPing(1), aPing(5_000), aPing()];

  const answers = pings.map((ping) => bench.writer.record(ping));
  for (let index = 0; index < 4; index++) (await bench.batch(index)).commit();

  await Promise.all(answers);
  assert.deepEqual(
    bench.batches.map((batch) => batch.pings.map((ping) => pings.indexOf(ping))),
    [[0, 1], [2], [3], [4]],
  );
});

suite('pings that belong together', () => {
  test('are written as many at a time as a batch holds, in their order', async () => {
    const bench = new Bench({ maxBatchBytes: 2 * EMPTY_BYTES + 100, maxQueuedBytes: 2 * EMPTY_BYTES + 100 });
    const pings = [aPing(50), aPing(50), aPing(60), aPing()];

    const recording = bench.writer.recordAll(pings);
    (await bench.batch(0)).commit(['recorded', 'not_found']);
    (await bench.batch(1)).commit();

    assert.deepEqual(await recording, ['recorded', 'not_found', 'recorded', 'recorded']);
    assert.deepEqual(
      bench.batches.map((batch) => batch.pings.map((ping) => pings.indexOf(ping))),
      [
        [0, 1],
        [2, 3],
      ],
    );
    assert.deepEqual(await bench.writer.recordAll([]), []);
  });

  test('wait outside the queue for their share of it, which others cannot lose to them', async () => {
    const bench = new Bench({ maxQueuedBytes: 3 * EMPTY_BYTES, maxQueuedGroupBytes: 2 * EMPTY_BYTES - 1 });
    const groups = [aPing(), aPing(), aPing()].map((ping) => bench.writer.recordAll([ping]));
    const alone = [bench.writer.record(aPing()), bench.writer.record(aPing())];
    await assertOverloaded(bench.writer.record(aPing()));

    for (let index = 0; index < 3; index++) (await bench.batch(index)).commit();

    assert.deepEqual(await Promise.all(groups), Array(3).fill(['recorded']));
    assert.deepEqual(await Promise.all(alone), ['recorded', 'recorded']);
    assert.deepEqual(
      bench.batches.map(({ pings }) => pings.length),
      [3, 1, 1],
    );
  });

  test('are refused together where there is no room for all that a batch holds of them', async () => {
    const bench = new Bench({ maxQueuedPings: 2 });

    await assertOverloaded(bench.writer.recordAll([aPing(), aPing(), aPing()]));

    assert.deepEqual([bench.writer.waitingCount, bench.writer.refusedCount], [0, 3]);
  });

  test('are given up at the first outage, once all that was begun is settled', async () => {
    const bench = new Bench({ maxBatchSize: 2 });
    const recording = bench.writer.recordAll([aPing(), aPing(), aPing()]);

    (await bench.batch(0)).fail(new AppError('storage_unavailable'));

    await assert.rejects(recording, { code: 'storage_unavailable' });
    assert.deepEqual([bench.batches.length, bench.writer.waitingCount], [1, 0]);
  });
});

test('a batch that fails is refused as a whole, and the next one is written', async () => {
  const bench = new Bench();
  const failure = new AppError('storage_unavailable');

  const lost = Promise.allSettled([bench.writer.record(aPing(10)), bench.writer.record(aPing())]);
  const batch = await bench.batch(0);
  const kept = bench.writer.record(aPing());
  batch.fail(failure);
  (await bench.batch(1)).commit();

  const refusal = { status: 'rejected', reason: failure };
  assert.deepEqual(await lost, [refusal, refusal]);
  assert.equal(await kept, 'recorded');
});

test('an ingest that throws before it begins is a failure like any other', async () => {
  let isBroken = true;
  const writer = new PingWriter((pings) => {
    if (isBroken) throw new Error('broken');
    return Promise.resolve(pings.map((): PingOutcome => 'recorded'));
  });

  await assert.rejects(writer.record(aPing()), /broken/);
  isBroken = false;

  assert.equal(await writer.record(aPing()), 'recorded');
});

test('a ping that the batch says nothing about is a failure, not a wait for ever', async () => {
  const bench = new Bench();

  const answers = [bench.writer.record(aPing()), bench.writer.record(aPing())];
  (await bench.batch(0)).commit(['recorded']);

  const [one, two] = await Promise.all(answers);
  assert.equal(one, 'recorded');
  assert.ok(typeof two === 'object' && 'failure' in two && two.failure instanceof Error);
});

test('disposing waits until everything that was accepted is written', async () => {
  const bench = new Bench({ maxBatchSize: 1 });
  const answers = [bench.writer.record(aPing()), bench.writer.record(aPing())];
  let isDisposed = false;

  const disposal = bench.writer[Symbol.asyncDispose]().then(() => {
    isDisposed = true;
  });
  (await bench.batch(0)).commit();
  const last = await bench.batch(1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDisposed, false);
  last.commit();
  await disposal;

  assert.deepEqual(await Promise.all(answers), ['recorded', 'recorded']);
});

test('disposing of a writer that never had a ping is done at once', async () => {
  await new Bench().writer[Symbol.asyncDispose]();
});

test('batches that are under way at the same time have no check in common, unless they are committed in order', async () => {
  const bench = new Bench({ maxConcurrentBatches: 3, minBatchWhileBusy: 1, keepsOrder: false });
  const [one, two, three] = [aPing(), aPing(), aPing()];
  const first = bench.writer.record(one);
  await bench.batch(0);
  const rest = [one, two, one, two].map((ping) => bench.writer.record(ping));
  const second = await bench.batch(1);
  const last = bench.writer.record(three);
  const third = await bench.batch(2);

  assert.deepEqual(second.pings, [two, two]);
  assert.deepEqual(third.pings, [three]);
  third.commit();
  await last;
  second.commit();
  await Promise.all([rest[1], rest[3]]);
  assert.equal(bench.batches.length, 3);
  bench.batches[0]?.commit();
  await first;
  const fourth = await bench.batch(3);
  assert.deepEqual(fourth.pings, [one, one]);
  fourth.commit();
  await Promise.all(rest);
});

test('beside a batch that is under way another is handed over only when enough pings wait', async () => {
  const bench = new Bench({ maxConcurrentBatches: 2, minBatchWhileBusy: 2 });
  const [one, two, three, four] = [aPing(), aPing(), aPing(), aPing()];
  const answers = [bench.writer.record(one)];
  const first = await bench.batch(0);
  answers.push(bench.writer.record(two));
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(bench.batches.length, 1);
  answers.push(bench.writer.record(three));
  const second = await bench.batch(1);
  answers.push(bench.writer.record(four));
  first.commit();
  second.commit();
  const third = await bench.batch(2);
  third.commit();
  await Promise.all(answers);

  assert.deepEqual(second.pings, [two, three]);
  assert.deepEqual(third.pings, [four]);
});

test('a ping by slug, which may be for any check, waits until nothing is under way, and nothing overtakes it', async () => {
  const bench = new Bench({ maxConcurrentBatches: 3, minBatchWhileBusy: 1, keepsOrder: false });
  const bySlug = incomingPing({ pingKeyDigest: 'digest', slug: 'slug', create: false });
  const [one, two, three] = [aPing(), aPing(), aPing()];
  const answers = [bench.writer.record(one)];
  const first = await bench.batch(0);
  answers.push(bench.writer.record(bySlug), bench.writer.record(two));
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(bench.batches.length, 1);
  first.commit();
  const second = await bench.batch(1);
  answers.push(bench.writer.record(three));
  await new Promise<void>((resolve) => setImmediate(resolve));

  assert.equal(bench.batches.length, 2);
  assert.deepEqual(second.pings, [bySlug, two]);
  second.commit();
  const third = await bench.batch(2);
  assert.deepEqual(third.pings, [three]);
  third.commit();
  await Promise.all(answers);
});

test('nobody waits for a batch that is stuck, but pings of its checks', async () => {
  const bench = new Bench({ keepsOrder: false, stuckAfterMs: 1, maxStuckBatches: 1 });
  const bySlug = incomingPing({ pingKeyDigest: 'digest', slug: 'slug', create: false });
  const [one, two, three] = [aPing(), aPing(), aPing()];
  const answers = [bench.writer.record(one)];
  const stuck = await bench.batch(0);
  answers.push(bench.writer.record(one), bench.writer.record(two), bench.writer.record(bySlug));
  const second = await bench.batch(1);
  assert.deepEqual(second.pings, [two, bySlug]);
  second.commit();
  answers.push(bench.writer.record(three));
  const third = await bench.batch(2);
  assert.deepEqual(third.pings, [three]);
  third.commit();
  stuck.commit();
  const last = await bench.batch(3);

  assert.deepEqual(last.pings, [one]);
  last.commit();
  assert.deepEqual(await Promise.all(answers), Array(5).fill('recorded'));
});

test('pings to one address keep their order, even if the batch of the first is stuck', async () => {
  const bench = new Bench({ keepsOrder: false, stuckAfterMs: 1, maxStuckBatches: 3 });
  const slug = (name: string) => incomingPing({ pingKeyDigest: 'digest', slug: name, create: false });
  const [one, other] = [slug('one'), slug('other')];
  const answers = [bench.writer.record(one)];
  const first = await bench.batch(0);
  answers.push(bench.writer.record(one), bench.writer.record(other), bench.writer.record(one));
  const second = await bench.batch(1);
  assert.deepEqual(second.pings, [other]);
  second.commit();
  await answers[2];
  assert.equal(bench.batches.length, 2);
  first.commit();
  const third = await bench.batch(2);

  assert.deepEqual(third.pings, [one, one]);
  third.commit();
  await Promise.all(answers);
});

test('no more batches get stuck than may', async () => {
  const bench = new Bench({ keepsOrder: false, stuckAfterMs: 1, maxStuckBatches: 2 });
  const pings = Array.from({ length: 4 }, () => aPing());
  const answers: Promise<unknown>[] = [];
  for (const [index, ping] of pings.entries()) {
    answers.push(bench.writer.record(ping));
    if (index < 3) await bench.batch(index);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));

  assert.equal(bench.batches.length, 3);
  for (const batch of bench.batches) batch.commit();
  (await bench.batch(3)).commit();
  await Promise.all(answers);
});

test('on PostgreSQL a check that somebody holds keeps no others waiting', async () => {
  await using opened = await openTestDatabase('postgres');
  const deps = { store: opened.store, clock: systemClock, random: systemRandom, objects: null };
  await using writer = new PingWriter((batch) => ingestPings(deps, batch), {
    ...PING_WRITER_DEFAULTS,
    keepsOrder: false,
    stuckAfterMs: 20,
    maxStuckBatches: 1,
  });
  const [held, free] = [await givenCheck(opened.store), await givenCheck(opened.store)];
  const order: string[] = [];
  const record = async (what: string, { uuid }: { uuid: string }) => {
    assert.equal(await writer.record(incomingPing({ uuid })), 'recorded');
    order.push(what);
  };

  const pings = await opened.store.transaction(async (tx) => {
    await tx.checks.lock(held.id);
    const waiting = [record('held', held), record('held again', held)];
    // Pings in the same turn share a batch, and its fate.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await record('free', free);
    order.push('let go');
    return waiting;
  });
  await Promise.all(pings);

  assert.deepEqual(order, ['free', 'let go', 'held', 'held again']);
});
