import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { openTestDatabase } from '../../../test/engines.ts';
import { givenCheck, unique } from '../../../test/records.ts';
import { type Checkpointer, checkpointWhenWorthwhile, startCheckpointer } from './checkpointer.ts';
import { SqliteDriver } from './driver.ts';

interface Place extends AsyncDisposable {
  readonly path: string;
  /** Its own connection copies nothing. */
  readonly writer: DatabaseSync;
}

async function createPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-checkpointer-'));
  const path = join(folder, 'tocsin.db');
  const writer = new DatabaseSync(path);
  writer.exec('pragma journal_mode = wal; pragma synchronous = off; pragma wal_autocheckpoint = 0');
  writer.exec('create table blobs (content blob)');
  return {
    path,
    writer,
    async [Symbol.asyncDispose]() {
      writer.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Each page holds one row. */
function writePages(writer: DatabaseSync, count: number): void {
  writer.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
               insert into blobs select randomblob(4000) from numbers`);
}

function pagesNotCopied(writer: DatabaseSync): number {
  const { log = 0, checkpointed = 0 } = writer.prepare('pragma wal_checkpoint(noop)').get() ?? {};
  return Number(log) - Number(checkpointed);
}

test('a short log is left alone, a long one is copied as a whole', async () => {
  await using place = await createPlace();
  using other = new DatabaseSync(place.path);

  writePages(place.writer, 100);
  assert.equal(checkpointWhenWorthwhile(other), false);
  assert.ok(pagesNotCopied(place.writer) >= 100);
  writePages(place.writer, 5_000);
  assert.equal(checkpointWhenWorthwhile(other), false);

  assert.equal(pagesNotCopied(place.writer), 0);
});

test('what a reader still looks at stays in the log, and nobody waits for it', async () => {
  await using place = await createPlace();
  using other = new DatabaseSync(place.path);
  using reader = new DatabaseSync(place.path);
  reader.exec('begin; select count(*) from blobs');

  writePages(place.writer, 5_000);

  checkpointWhenWorthwhile(other);
  assert.ok(pagesNotCopied(place.writer) >= 5_000);
  reader.exec('rollback');
  checkpointWhenWorthwhile(other);
  assert.equal(pagesNotCopied(place.writer), 0);
});

test('the writer is to finish a long log of which little is left, and only such a one', async () => {
  await using place = await createPlace();
  using other = new DatabaseSync(place.path);
  using reader = new DatabaseSync(place.path);
  const limits = { worthwhile: 50, longLog: 200, few: 10 };

  writePages(place.writer, 100);
  assert.equal(checkpointWhenWorthwhile(other, limits), false, 'the log is short');
  reader.exec('begin; select count(*) from blobs');
  writePages(place.writer, 300);
  assert.equal(checkpointWhenWorthwhile(other, limits), false, 'much is left because of the reader');
  reader.exec('rollback; begin; select count(*) from blobs');
  writePages(place.writer, 5);
  assert.equal(checkpointWhenWorthwhile(other, limits), true);
  reader.exec('rollback');
  place.writer.exec('pragma wal_checkpoint(passive)');

  assert.equal(checkpointWhenWorthwhile(other, limits), false, 'nothing is left');
});

test('the thread notices a long log by itself, asks the writer to finish it, and ends when it is told to', async (t) => {
  await using place = await createPlace();
  const { port1, port2 } = new MessageChannel();
  t.after(() => port2.close());
  const limits = { worthwhile: 50, longLog: 200, few: 10 };
  await using _checkpointer = startCheckpointer(place.path, port1, limits);
  const asked = once(port2, 'message');
  using early = new DatabaseSync(place.path);
  using late = new DatabaseSync(place.path);

  // Pages that a reader does not see cannot be copied: at first nothing, then all but five pages.
  early.exec('begin; select count(*) from blobs');
  writePages(place.writer, 300);
  late.exec('begin; select count(*) from blobs');
  writePages(place.writer, 5);
  early.exec('rollback');

  await asked;
  assert.ok(pagesNotCopied(place.writer) < limits.few);
});

test('a log that the writer has finished begins anew', async () => {
  await using opened = await openTestDatabase('sqlite');
  assert.ok(opened.driver instanceof SqliteDriver && opened.database.engine === 'sqlite');
  const { store, driver, database } = opened;
  await givenCheck(store);
  using other = new DatabaseSync(database.path);
  const logLength = () => Number(other.prepare('pragma wal_checkpoint(noop)').get()?.log);
  const before = logLength();

  await driver.finishCheckpoint();
  await store.transaction((tx) => tx.instance.setOnce(unique(), ''));

  assert.ok(before > 10, `the log had ${before} pages`);
  assert.ok(logLength() < 5, `the log has ${logLength()} pages`);
});

test('a log that cannot be copied any more is told of', async () => {
  await using place = await createPlace();
  const { port1, port2 } = new MessageChannel();
  await using opened = new AsyncDisposableStack();
  opened.defer(() => port2.close());
  const checkpointer = opened.use(startCheckpointer(place.path, port1));

  checkpointer.requireLook();
  await untilLooked(checkpointer);
  await untilLooked(checkpointer);
  const ended = once(port2, 'close');
  await checkpointer[Symbol.asyncDispose]();
  await ended;

  assert.throws(
    () => {
      for (;;) checkpointer.requireLook();
    },
    { message: 'the log of the database is not being copied' },
  );
});

async function untilLooked(checkpointer: Checkpointer): Promise<void> {
  for (;;) {
    try {
      return checkpointer.requireLook();
    } catch {
      await turn();
    }
  }
}
