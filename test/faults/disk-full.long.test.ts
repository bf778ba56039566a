import assert from 'node:assert/strict';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { SECRET, type Service, startService } from '../crash/service.ts';
import { createEmptyPlace } from '../engines.ts';
import { limitFileSize, listening, startCli, temporaryFolder, withoutTerminals } from '../process.ts';
import { until } from '../waiting.ts';

/** FULL_DISK_STEPS=100 fails a first start at about each page that it writes. */
const STEPS = Number(process.env.FULL_DISK_STEPS ?? 6);
/** A full disk is told of in a sentence that names the file. */
const REASON =
  /^(cannot (open|lock) the database .*: |The database cannot be used: .*\(\S+\)$|cannot keep a secret key in \S+: )/;

/** The most bytes that a first start writes into one file. */
async function bytesOfFirstStart(): Promise<number> {
  await using folder = await temporaryFolder();
  await using service = startCli(['serve'], { cwd: folder.path });
  await listening(service);
  service.signal('SIGKILL');
  await service.exit();
  return (await stat(join(folder.path, 'data/tocsin.db-wal'))).size;
}

/** The read-write key of the first project where it is shown; null where the start fails, or is not the first. */
async function startOnce(folder: string, prelude: string): Promise<string | null> {
  await using service = startCli(['serve'], { cwd: folder, prelude, hasTerminal: true });
  const listens = await service.output(/^Listens [\s\S]*\nBackups .*\n([\s\S]*)/m).catch(() => null);
  if (listens !== null) return /read-write key {2}(\S+)/.exec(listens[1] ?? '')?.[1] ?? null;
  // A terminal shows both streams.
  const { code, stdout } = await service.exit();
  assert.equal(code, 1);
  const told = stdout.trimEnd().split('\n').at(-1) ?? '';
  assert.match(told, REASON, stdout);
  assert.doesNotMatch(stdout, /^ {4}at /m);
  return null;
}

test('a disk that is full at any write of a first start stops it with a reason, and no key is lost', {
  skip: withoutTerminals,
}, async () => {
  await using folder = await temporaryFolder();
  const bytes = await bytesOfFirstStart();
  const limits = Array.from({ length: STEPS }, (_, step) => Math.floor((bytes * step) / STEPS));

  const keys: string[] = [];
  for (const prelude of [...limits.map(limitFileSize), 'true']) {
    const key = await startOnce(folder.path, prelude);
    if (key !== null) keys.push(key);
  }

  assert.equal(keys.length, 1, 'the keys of the first project are shown once');
  await using service = startCli(['serve'], { cwd: folder.path });
  const url = await listening(service);
  const reply = await fetch(`${url}/api/v3/checks/`, { headers: { 'X-Api-Key': keys[0] ?? '' } });
  assert.equal(reply.status, 200);
});

/** Pings with a body each, so that the log grows, and tells how they were answered. */
async function sendPings(service: Service, uuid: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    const reply = await fetch(`${service.url}/ping/${uuid}`, { method: 'POST', body: 'x'.repeat(9_000) });
    await reply.text();
    if (reply.status !== 200) assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    statuses.push(reply.status);
  }
  return statuses;
}

test('a running service whose disk fills up answers 503 until there is room again', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('sqlite');
  assert.ok(place.database.engine === 'sqlite');
  // Enough for the migrations and for some pings.
  const prelude = limitFileSize(2_000_000);
  await using service = await startService(folder.path, place.database, { prelude });
  const check = await service.createCheck('heartbeat');

  const statuses = await sendPings(service, check.uuid, 200);
  const refused = await sendPings(service, check.uuid, 10);

  assert.deepEqual([...new Set(statuses)], [200, 503]);
  assert.deepEqual([...new Set(refused)], [503]);
  const acknowledged = statuses.filter((status) => status === 200).length;
  assert.deepEqual(
    (await service.checks()).map(({ n_pings }) => n_pings),
    [acknowledged],
    'what was acknowledged is there, and can be read',
  );

  makeRoom(place.database.path);

  await until('a ping is taken', () => service.ping(check.uuid));
  assert.deepEqual([...new Set(await sendPings(service, check.uuid, 5))], [200]);
  assert.deepEqual(
    (await service.checks()).map(({ n_pings }) => n_pings),
    [acknowledged + 6],
  );
});

/** Empties the log, which is the file that has reached its limit. */
function makeRoom(path: string): void {
  using database = new DatabaseSync(path);
  database.exec('pragma wal_checkpoint(truncate)');
}

/** The byte of a database's header with its write version. Nobody may write to a version later than 2. */
const WRITE_VERSION_OFFSET = 18;

test('a database that can only be read stops the start with a reason, and is left as it was', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('sqlite');
  assert.ok(place.database.engine === 'sqlite');
  const { path } = place.database;
  await using first = await startService(folder.path, place.database);
  const check = await first.createCheck('heartbeat');
  assert.equal(await first.ping(check.uuid), true);
  first.process.signal('SIGTERM');
  await first.process.exit();

  const writeVersion = await setByte(path, WRITE_VERSION_OFFSET, 3);
  await using refused = startCli(['serve'], {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: SECRET },
  });
  const { code, stderr } = await refused.exit();
  await setByte(path, WRITE_VERSION_OFFSET, writeVersion);

  assert.equal(code, 1);
  assert.match(stderr.trimEnd().split('\n').at(-1) ?? '', /read.?only/);
  await using second = await startService(folder.path, place.database);
  assert.equal(await second.ping(check.uuid), true);
  assert.deepEqual(
    (await second.checks()).map(({ n_pings }) => n_pings),
    [2],
  );
});

/** Returns what was there before. */
async function setByte(path: string, position: number, value: number): Promise<number> {
  await using file = await open(path, 'r+');
  const before = Buffer.alloc(1);
  await file.read(before, 0, 1, position);
  await file.write(Buffer.from([value]), 0, 1, position);
  return before[0] ?? 0;
}
