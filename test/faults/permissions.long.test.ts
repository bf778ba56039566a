import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, realpath, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { listening, type ProcessOptions, runCli, startCli, temporaryFolder } from '../process.ts';

/** The process itself takes no rights away. */
const GENEROUS = { prelude: 'umask 0' };
const PRIVATE_FILE = 0o600;

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

/** The files of a running service, each with its mode. */
async function modesIn(folder: string): Promise<Record<string, number>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await modeOf(join(folder, name))])),
  );
}

function privateFiles(...suffixes: string[]): Record<string, number> {
  return Object.fromEntries(suffixes.map((suffix) => [`tocsin.db${suffix}`, PRIVATE_FILE]));
}

async function runService(options: ProcessOptions, look: () => Promise<void>): Promise<string> {
  await using service = startCli(['serve'], options);
  await listening(service);
  await look();
  service.signal('SIGTERM');
  return (await service.exit()).stderr;
}

/** The paths that the log tells to be open to others. */
function exposedIn(log: string): unknown {
  const [warning = ''] = log.split('\n').filter((line) => line.includes('database.open_to_others'));
  return JSON.parse(warning).paths;
}

/** The default place, where a link leads to a database on a volume that others can look into. */
async function linkToVolume(folder: string): Promise<{ data: string; volume: string }> {
  const data = join(folder, 'data');
  const volume = join(folder, 'volume');
  await mkdir(data);
  await mkdir(volume);
  await chmod(volume, 0o755);
  await symlink('../volume/tocsin.db', join(data, 'tocsin.db'));
  return { data, volume };
}

test('nobody but the owner reads what a first start makes, nor a backup of it', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const options = { cwd: folder.path, ...GENEROUS };

  const told = await runService(options, async () => {
    assert.equal(await modeOf(data), 0o700);
    assert.deepEqual(await modesIn(data), privateFiles('', '-shm', '-wal', '.lock', '.secret'));
    assert.equal((await runCli(['backup', 'copy.db'], options)).code, 0);
  });

  assert.equal(await modeOf(join(folder.path, 'copy.db')), PRIVATE_FILE);
  assert.doesNotMatch(told, /open_to_others/);
});

test('a start takes the rights of others away from files that exist, and from the default folder', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const options = { cwd: folder.path, ...GENEROUS };
  // A service that is killed leaves its log behind.
  await using first = startCli(['serve'], options);
  await listening(first);
  first.signal('SIGKILL');
  await first.exit();
  await chmod(data, 0o755);
  for (const name of await readdir(data)) await chmod(join(data, name), 0o644);

  await runService(options, async () => {
    assert.equal(await modeOf(data), 0o700);
    assert.deepEqual(await modesIn(data), privateFiles('', '-shm', '-wal', '.lock', '.secret'));
  });
});

test('a folder that an operator chose keeps its mode, and the log tells that others see into it', async () => {
  await using folder = await temporaryFolder();
  const shared = join(folder.path, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o755);
  const env = { DATABASE_URL: `sqlite:${join(shared, 'tocsin.db')}` };

  const told = await runService({ cwd: folder.path, env, ...GENEROUS }, async () => {
    assert.equal(await modeOf(shared), 0o755);
    assert.deepEqual(await modesIn(shared), privateFiles('', '-shm', '-wal', '.lock', '.secret'));
  });

  assert.deepEqual(exposedIn(told), [await realpath(shared)]);
});

test('a folder that is made on the way is private as well', async () => {
  await using folder = await temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${join(folder.path, 'a/b/tocsin.db')}` };

  await runService({ cwd: folder.path, env, ...GENEROUS }, async () => {
    assert.equal(await modeOf(join(folder.path, 'a')), 0o700);
    assert.equal(await modeOf(join(folder.path, 'a/b')), 0o700);
  });
});

test('a link may lead to a database that a first start makes, and nobody but the owner reads that', async () => {
  await using folder = await temporaryFolder();
  const { data, volume } = await linkToVolume(folder.path);

  const told = await runService({ cwd: folder.path, ...GENEROUS }, async () => {
    assert.equal(await modeOf(data), 0o700);
    assert.deepEqual(await modesIn(data), privateFiles('', '.secret'));
    assert.deepEqual(await modesIn(volume), privateFiles('', '-shm', '-wal', '.lock'));
  });

  assert.deepEqual(exposedIn(told), [await realpath(volume)]);
});

test('a command makes the database behind a link for its owner alone', async () => {
  await using folder = await temporaryFolder();
  const { volume } = await linkToVolume(folder.path);

  const exit = await runCli(['migrate'], { cwd: folder.path, ...GENEROUS });

  assert.equal(exit.code, 0, exit.stderr);
  assert.deepEqual(await modesIn(volume), privateFiles(''));
});

test('a start takes the rights of others away from the files behind a link, and from the secret beside it', async () => {
  await using folder = await temporaryFolder();
  const { data, volume } = await linkToVolume(folder.path);
  const options = { cwd: folder.path, ...GENEROUS };
  // A service that is killed leaves its log behind.
  await using first = startCli(['serve'], options);
  await listening(first);
  first.signal('SIGKILL');
  await first.exit();
  for (const name of await readdir(volume)) await chmod(join(volume, name), 0o644);
  await chmod(join(data, 'tocsin.db.secret'), 0o644);

  await runService(options, async () => {
    assert.deepEqual(await modesIn(data), privateFiles('', '.secret'));
    assert.deepEqual(await modesIn(volume), privateFiles('', '-shm', '-wal', '.lock'));
  });
});
