import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChangeCollector, type TouchedIds } from '../src/domain/change.ts';
import { ChangeMarks } from '../src/domain/change-marks.ts';
import { AppError } from '../src/domain/errors.ts';
import type { IncomingPing } from '../src/domain/ping/incoming-ping.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { CHECK_WRITER_DEFAULTS, CheckWriter } from '../src/services/check/check-writer.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { Pruner } from '../src/services/ping/pruning.ts';
import { contract } from '../src/storage/contract.test-suite.ts';
import { isConflict, StorageError } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import type { Store } from '../src/storage/store.ts';
import { startWriterThread, type WriterThread } from '../src/writer-thread.ts';
import { createMigratedPlace, openTestDatabase, openTestDriver, type TestStore } from './engines.ts';
import { accountRecord, addCheck, givenCheck, givenProject, incomingPing, storedChecks } from './records.ts';
import { until } from './waiting.ts';
import { countCommits } from './wal-commits.ts';

const OPTIONS = {
  movesBodies: false,
  defaultLimits: { checks: 10, pings: 1_000 },
  keepFailuresDays: 93,
  marks: new ChangeMarks().buffer,
};

interface Opened extends TestStore {
  readonly thread: WriterThread;
  /** The changes that the thread has announced. */
  readonly changes: ChangeCollector;
}

async function openThread(): Promise<Opened> {
  await using opened = new AsyncDisposableStack();
  const { database } = opened.use(await createMigratedPlace('sqlite'));
  if (database.engine !== 'sqlite') throw new Error('not SQLite');
  const changes = new ChangeCollector();
  const marks = new ChangeMarks();
  const thread = opened.use(
    await startWriterThread(
      database.path,
      (error) => {
        throw error;
      },
      { ...OPTIONS, marks: marks.buffer },
      (changed) => changes.add(changed),
    ),
  );
  const parts = opened.move();
  return {
    database,
    driver: thread.driver,
    store: createSqlStore(thread.driver, undefined, marks),
    thread,
    changes,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function success(uuid: string, overrides: Partial<IncomingPing> = {}): IncomingPing {
  return incomingPing({ uuid }, overrides);
}

describe('the store on SQLite, written through a thread', () => contract(openThread));

test('a batch is applied in the thread, in order, with its bodies', async () => {
  await using opened = await openThread();
  const check = await givenCheck(opened.store);

  const outcomes = await opened.thread.ingest([
    success(check.uuid, { signal: 'start' }),
    success(check.uuid, { body: new Uint8Array([1, 0, 255]) }),
    success('00000000-0000-4000-8000-000000000000'),
    success(check.uuid, { fault: 'invalid_rid' }),
  ]);

  assert.deepEqual(outcomes, ['recorded', 'recorded', 'not_found', 'invalid_rid']);
  const pings = await opened.store.pings.latest(check.id, 10);
  assert.deepEqual(
    pings.map(({ n, signal }) => [n, signal]),
    [
      [2, 'success'],
      [1, 'start'],
    ],
  );
  assert.deepEqual(
    new Uint8Array((await opened.store.pings.body(check.id, 2)) ?? []),
    new Uint8Array([1, 0, 255]),
  );
});

test('the thread tells which checks batches have touched, and nothing of a batch that touches none', async () => {
  await using opened = await openThread();
  const [first, second] = [await givenCheck(opened.store), await givenCheck(opened.store)];

  await opened.thread.ingest([success('00000000-0000-4000-8000-000000000000')]);
  await opened.thread.ingest([success(first.uuid), success(first.uuid)]);
  await opened.thread.ingest([success(second.uuid), success(first.uuid)]);
  const told = new Map<number, TouchedIds>();
  await until('both are told of', () => {
    const changes = opened.changes.take();
    assert.ok(changes !== 'everything');
    for (const { projectId, checkIds } of changes) told.set(projectId, checkIds);
    return told.size === 2;
  });

  assert.deepEqual(
    told,
    new Map([
      [first.projectId, [first.id]],
      [second.projectId, [second.id]],
    ]),
  );
});

test('the thread tells that everything may have changed when another process has written', async () => {
  await using opened = await openThread();
  const check = await givenCheck(opened.store);
  await using other = createSqlStore(await openTestDriver(opened.database));

  await givenCheck(other);
  await opened.thread.ingest([success(check.uuid)]);

  await until('it is told', () => opened.changes.take() === 'everything');
});

test('when a write is acknowledged, its marks are raised: in the thread, over it, and for other processes', async () => {
  await using opened = await openThread();
  const { project } = await givenProject(opened.store);
  const { marks } = opened.store;
  const raisedBy = async (work: () => Promise<unknown>) => {
    const before = marks.of(project.id);
    await work();
    const after = marks.of(project.id);
    return { checks: after.checks !== before.checks, statuses: after.statuses !== before.statuses };
  };
  const ping = (uuid: string) => () => opened.thread.ingest([success(uuid)]);

  let uuid = '';
  const added = await raisedBy(async () => {
    ({ uuid } = await addCheck(opened.store, project));
  });
  const firstPing = await raisedBy(ping(uuid));
  const secondPing = await raisedBy(ping(uuid));
  const { id = 0 } = (await opened.store.checks.byUuid(uuid)) ?? {};
  const command = await raisedBy(() =>
    opened.thread.perform([{ verb: 'pause', actor: systemActor(project.id), id }]),
  );
  const nothing = await raisedBy(ping('b7a2f9a8-2d0e-4a42-a1ab-000000000000'));
  await using other = createSqlStore(await openTestDriver(opened.database));
  await givenCheck(other);
  const foreign = await raisedBy(ping('b7a2f9a8-2d0e-4a42-a1ab-000000000000'));

  assert.deepEqual(added, { checks: true, statuses: true });
  assert.deepEqual(firstPing, { checks: true, statuses: true });
  assert.deepEqual(secondPing, { checks: true, statuses: false }, 'it was up, and stays so');
  assert.deepEqual(command, { checks: true, statuses: true });
  assert.deepEqual(nothing, { checks: false, statuses: false });
  assert.deepEqual(foreign, { checks: true, statuses: true });
});

test('old pings are removed in the thread, to the limit of the account', async () => {
  await using opened = await openThread();
  const { project } = await givenProject(opened.store, { account: { limits: { checks: 5, pings: 100 } } });
  const check = await addCheck(opened.store, project);
  assert.equal(await opened.thread.prune(), false);

  await opened.thread.ingest(Array<IncomingPing>(300).fill(success(check.uuid)));
  const found = [await opened.thread.prune(), await opened.thread.prune()];

  assert.deepEqual(found, [true, false]);
  const kept = await opened.store.pings.latest(check.id, 1_000);
  assert.deepEqual([kept.length, kept.at(-1)?.n], [100, 201]);
});

test('batches handed over together keep their order, and mix with other transactions', async () => {
  await using opened = await openThread();
  const check = await givenCheck(opened.store);

  const work: Promise<unknown>[] = [];
  for (let round = 0; round < 50; round++) {
    work.push(opened.thread.ingest([success(check.uuid, { rid: null, userAgent: `ping ${2 * round + 1}` })]));
    work.push(
      opened.store.transaction(async (tx) => {
        const current = await tx.checks.lock(check.id);
        if (current !== null) await tx.checks.saveConfig({ ...current, name: `edit ${round}` });
      }),
    );
    work.push(opened.thread.ingest([success(check.uuid, { userAgent: `ping ${2 * round + 2}` })]));
  }
  await Promise.all(work);

  const pings = await opened.store.pings.latest(check.id, 1000);
  assert.deepEqual(
    pings.map(({ n, userAgent }) => `${n}: ${userAgent}`).reverse(),
    Array.from({ length: 100 }, (_, index) => `${index + 1}: ping ${index + 1}`),
  );
  const after = await opened.store.checks.byUuid(check.uuid);
  assert.deepEqual([after?.pingCount, after?.name], [100, 'edit 49']);
});

test('commands are performed in the thread; one that is refused leaves the others, and says why', async () => {
  await using opened = await openThread();
  const { project } = await givenProject(opened.store, { account: { limits: { checks: 1, pings: 100 } } });
  const check = await addCheck(opened.store, project, { name: 'old' });
  const foreign = await givenCheck(opened.store);
  const actor = systemActor(project.id);
  opened.changes.take();

  const outcomes = await opened.thread.perform([
    { verb: 'update', actor, id: check.id, input: { edit: { name: 'ä \ud800' } } },
    { verb: 'update', actor, id: check.id, input: { edit: { name: 'lost' }, channels: 'nobody' } },
    { verb: 'pause', actor, id: foreign.id },
    { verb: 'create', actor, input: { edit: { name: 'new' }, match: null } },
    { verb: 'create', actor, input: { edit: { name: 'one too many' }, match: null } },
    { verb: 'pause', actor, id: check.id },
  ]);

  const told = outcomes.map((outcome) => ('value' in outcome ? outcome.value.check : outcome.failure));
  assert.deepEqual(told[0], { ...check, name: 'ä \ud800' });
  const refusals = told.map((one) => one instanceof AppError && [one.code, one.message]);
  assert.deepEqual(refusals, [
    false,
    ['invalid_channel', 'invalid channel identifier: nobody'],
    ['check_of_other_project', 'check_of_other_project'],
    false,
    ['check_limit_reached', 'check_limit_reached'],
    false,
  ]);
  const stored = await storedChecks(opened.store, project);
  assert.deepEqual(stored, [told[5], told[3]]);
  await until('the changes are told', () => {
    const changes = opened.changes.take();
    return changes !== 'everything' && changes[0]?.projectId === project.id;
  });
});

test('a batch of pings, and pruning, are committed before what waits behind them begins', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { store } = opened;
  const { project } = await givenProject(store, { account: { limits: { checks: 5, pings: 100 } } });
  const check = await addCheck(store, project);
  const deps = { store, clock: systemClock, random: systemRandom, objects: null, ...OPTIONS };
  const batch = Array<IncomingPing>(150).fill(success(check.uuid));
  /** The committed state, as a transaction behind the work finds it. */
  const seenBehind = async (work: Promise<unknown>) => {
    const seen = store.transaction(async () => (await store.pings.latest(check.id, 1_000)).length);
    await work;
    return seen;
  };

  assert.equal(await seenBehind(ingestPings(deps, batch)), 150);
  const pruned = Promise.withResolvers<void>();
  // The pruner looks into its queue first. Later work waits behind it.
  const pruner = new Pruner({ ...deps, store: withLook(store, pruned.resolve) }, 10, 93);
  const pruning = pruner.tick();
  await pruned.promise;
  assert.equal(await seenBehind(pruning), 100);
});

/** Tells when a transaction has been queued. */
function withLook(store: Store, onQueued: () => void): Store {
  return {
    ...store,
    transaction(work, options) {
      const result = store.transaction(work, options);
      onQueued();
      return result;
    },
  };
}

test('commands that come together share commits', async () => {
  await using opened = await openThread();
  const { project } = await givenProject(opened.store);
  await using writer = new CheckWriter((batch) => opened.thread.perform(batch));
  if (opened.database.engine !== 'sqlite') throw new Error('not SQLite');
  const { path } = opened.database;
  const before = await countCommits(path);

  const created = await Promise.all(
    Array.from({ length: 200 }, () =>
      writer.perform({
        verb: 'create',
        actor: systemActor(project.id),
        input: { edit: {}, match: null },
      }),
    ),
  );

  assert.equal(new Set(created.map(({ check }) => check.uuid)).size, 200);
  const { maxBatchSize } = CHECK_WRITER_DEFAULTS;
  assert.equal((await countCommits(path)) - before, Math.ceil(200 / maxBatchSize));
  assert.equal(await opened.store.checks.count(1_000), 200);
});

test('a disk that is full fails all commands that would share the commit, and leaves nothing', async () => {
  await using opened = await openThread();
  const { project } = await givenProject(opened.store);
  const check = await addCheck(opened.store, project, { name: 'old' });
  const limitPages = (text: string) => opened.driver.transaction((tx) => tx.script(text));
  const actor = systemActor(project.id);
  const edits = ['short', 'x'.repeat(100_000)].map((description) => ({ description }));
  const batch = edits.map((edit) => ({ verb: 'update', actor, id: check.id, input: { edit } }) as const);
  await limitPages('pragma max_page_count = 1');

  const outcomes = await opened.thread.perform(batch);

  const codes = outcomes.map((outcome) => 'failure' in outcome && outcome.failure);
  for (const code of codes) assert.ok(code instanceof AppError && code.code === 'storage_unavailable');
  assert.deepEqual(await storedChecks(opened.store, project), [check]);
  await limitPages('pragma max_page_count = 100000');
  await opened.thread.perform(batch);
  assert.equal((await opened.store.checks.byId(check.id))?.description.length, 100_000);
});

test('errors keep their kind on the way back from the thread', async () => {
  await using opened = await openThread();
  const record = accountRecord();
  await opened.store.transaction((tx) => tx.accounts.insert(record));

  await assert.rejects(
    opened.store.transaction((tx) => tx.accounts.insert({ ...accountRecord(), email: record.email })),
    isConflict,
  );
  await assert.rejects(
    opened.driver.transaction((tx) => tx.run('insert into no_such_table values (1)')),
    /no such table/,
  );
});

test('a transaction whose work fails leaves nothing, and the next one works', async () => {
  await using opened = await openThread();
  const record = accountRecord();

  await assert.rejects(
    opened.store.transaction(async (tx) => {
      await tx.accounts.insert(record);
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );

  assert.equal(await opened.store.accounts.byEmail(record.email), null);
  await opened.store.transaction((tx) => tx.accounts.insert(record));
  assert.equal((await opened.store.accounts.byEmail(record.email))?.email, record.email);
});

test('a slow transaction here does not keep this thread from serving', async () => {
  await using opened = await openThread();
  const release = Promise.withResolvers<void>();
  const slow = opened.store.transaction(() => release.promise);
  const check = opened.store.checks.count(1_000);

  assert.equal(await check, 0);
  release.resolve();
  await slow;
});

test('a stop waits for the transactions that have begun, and refuses those that come later', async () => {
  await using place = await createMigratedPlace('sqlite');
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const thread = await startWriterThread(place.database.path, () => assert.fail(), OPTIONS);
  const store = createSqlStore(thread.driver);
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const record = accountRecord();
  const slow = store.transaction(async (tx) => {
    await tx.accounts.insert(record);
    begun.resolve();
    await release.promise;
    return tx.accounts.byEmail(record.email);
  });
  await begun.promise;

  const stopped = thread[Symbol.asyncDispose]();
  release.resolve();

  assert.equal((await slow)?.email, record.email);
  await stopped;
  const ended = /the thread that writes has ended/;
  await assert.rejects(
    store.transaction((tx) => tx.accounts.insert(accountRecord())),
    ended,
  );
  await assert.rejects(thread.ingest([success('00000000-0000-4000-8000-000000000000')]), ended);
  await assert.rejects(thread.perform([{ verb: 'pause', actor: systemActor(1), id: 1 }]), ended);
});

test('a disk that is full makes batches and transactions unavailable, until there is room again', async () => {
  await using opened = await openThread();
  const check = await givenCheck(opened.store);
  const limitPages = (text: string) => opened.driver.transaction((tx) => tx.script(text));
  const long = success(check.uuid, { body: new Uint8Array(100_000) });
  const unavailable = { name: 'AppError', code: 'storage_unavailable', retryAfterSeconds: 1 };
  // Less than there is means: not one more.
  await limitPages('pragma max_page_count = 1');

  await assert.rejects(opened.thread.ingest([long]), unavailable);
  await assert.rejects(
    opened.store.transaction((tx) => tx.checks.saveConfig({ ...check, description: 'x'.repeat(100_000) })),
    unavailable,
  );

  await limitPages('pragma max_page_count = 100000');
  assert.deepEqual(await opened.thread.ingest([long]), ['recorded']);
});

/** Bytes that cannot be sent to a thread any more. */
function detached(): Uint8Array {
  const bytes = new Uint8Array(10);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
}

test('a ping that cannot be packed or posted fails alone, and the next batches get their own answers', async () => {
  await using opened = await openThread();
  const check = await givenCheck(opened.store);
  // Neither can come from a door; JSON has no such numbers, and the bytes are gone.
  const unpackable = success(check.uuid, { exitStatus: 1n as unknown as number });
  const unpostable = success(check.uuid, { body: detached() });

  const answers = await Promise.all([
    opened.thread.ingest([success(check.uuid), unpackable, success(check.uuid), unpostable]),
    opened.thread.ingest([success('00000000-0000-4000-8000-000000000000')]),
    opened.thread.ingest([unpostable]),
    opened.thread.ingest([success(check.uuid, { signal: 'log' })]),
  ]);

  const kinds = answers.map((outcomes) =>
    outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : 'failure')),
  );
  assert.deepEqual(kinds, [
    ['recorded', 'failure', 'recorded', 'failure'],
    ['not_found'],
    ['failure'],
    ['recorded'],
  ]);
});

test('a ping that the database refuses fails alone, and batches behind it do not overtake its neighbours', async () => {
  await using opened = await openThread();
  const check = await givenCheck(opened.store);
  const refused = success(check.uuid, { scheme: null as unknown as string });

  const [first] = await Promise.all([
    opened.thread.ingest([
      success(check.uuid, { exitStatus: 1 }),
      refused,
      success(check.uuid, { exitStatus: 2 }),
    ]),
    opened.thread.ingest([success(check.uuid, { exitStatus: 3 })]),
  ]);

  const [one, two, three] = first ?? [];
  assert.deepEqual([one, three], ['recorded', 'recorded']);
  assert.ok(typeof two === 'object' && 'failure' in two && two.failure instanceof StorageError);
  const pings = await opened.store.pings.latest(check.id, 10);
  assert.deepEqual(pings.map(({ n, exitStatus }) => [n, exitStatus]).sort(), [
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});
