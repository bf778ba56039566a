import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { until } from '../../../test/waiting.ts';
import { checkpointWhenWorthwhile, startCheckpointer } from './checkpointer.ts';

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
  assert.ok(checkpointWhenWorthwhile(other) >= 100);
  assert.ok(pagesNotCopied(place.writer) >= 100);
  writePages(place.writer, 5_000);
  assert.equal(checkpointWhenWorthwhile(other), 0);

  assert.equal(pagesNotCopied(place.writer), 0);
});

test('what a reader still looks at stays in the log, and nobody waits for it', async () => {
  await using place = await createPlace();
  using other = new DatabaseSync(place.path);
  using reader = new DatabaseSync(place.path);
  reader.exec('begin; select count(*) from blobs');

  writePages(place.writer, 5_000);

  assert.ok(checkpointWhenWorthwhile(other) >= 5_000);
  reader.exec('rollback');
  assert.equal(checkpointWhenWorthwhile(other), 0);
});

test('the thread notices a long log by itself, and ends when it is told to', async () => {
  await using place = await createPlace();
  await using _checkpointer = startCheckpointer(place.path);

  writePages(place.writer, 5_000);

  await until('the log is copied', () => pagesNotCopied(place.writer) === 0);
});
