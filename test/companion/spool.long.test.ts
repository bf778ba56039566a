import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { startRecordingServer } from '../../src/companion/recording-server.test-support.ts';
import { decodeEntry } from '../../src/companion/spool/entry.ts';
import { Home } from './command.ts';

const run = promisify(execFile);

suite('a spool on a disk that fails', () => {
  test('that hangs costs no ping and no job, and the program ends', async () => {
    await using server = await startRecordingServer();
    await using home = await Home.make(server.endpoint);
    await mkdir(home.spool, { mode: 0o700 });
    // Whoever opens it to read waits for somebody who writes.
    await run('mkfifo', [join(home.spool, 'servers.json')]);
    assert.deepEqual(await home.run(['ping', 'backup']), { code: 0, signal: null, out: '', err: '' });
    assert.equal((await home.run(['run', '--slug', 'backup', '--', 'sh', '-c', 'exit 3'])).code, 3);
    assert.equal(server.received.length, 3);
  });

  test('that is full costs the ping, with one line, and leaves no half file', async (t) => {
    await using home = await Home.make('http://127.0.0.1:1/ping');
    const disk = join(home.folder, 'disk');
    await mkdir(disk);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=700', 'tmpfs', disk]);
    } catch {
      t.skip('no file system can be mounted here');
      return;
    }
    try {
      await writeFile(join(disk, 'ballast'), new Uint8Array(32_768)).catch(() => undefined);
      const job = ['--', 'sh', '-c', 'echo out; exit 3'];
      const ran = await home.run([
        'run',
        '--slug',
        'backup',
        '--no-start',
        '--spool',
        disk,
        '--report-within',
        '1',
        ...job,
      ]);
      assert.deepEqual([ran.code, ran.out], [3, 'out\n']);
      assert.match(ran.err, /^tocsin: [^\n]+ lost[^\n]*\n$/);
      assert.deepEqual(await readdir(disk), ['ballast']);
    } finally {
      await run('umount', [disk]);
    }
  });

  test('holds a whole ping or none after its process was killed before any call of writing', async () => {
    await using home = await Home.make('http://127.0.0.1:1/ping');
    const script = join(home.folder, 'put.ts');
    await writeFile(script, PUT);
    let kept = 0;
    for (let call = 1; ; call += 1) {
      const spool = join(home.folder, `spool-${call}`);
      const child = spawn(process.execPath, [script, spool, String(call)], { stdio: 'inherit' });
      const [code, signal] = await once(child, 'exit');
      const names = (await readdir(spool).catch(() => [])).filter((name) => name.endsWith('.ping'));
      for (const name of names) assert.ok(decodeEntry(await readFile(join(spool, name))), `call ${call}`);
      kept += names.length;
      if (signal === null) {
        assert.equal(code, 0);
        assert.equal(names.length, 1);
        assert.ok(call > 8 && kept < call, `${kept} of ${call}`);
        return;
      }
      assert.equal(signal, 'SIGKILL');
    }
  });
});

const SOURCES = new URL('../../src/companion/', import.meta.url);

/** Puts one ping into a folder, and is killed before the given call. */
const PUT = `
import { diskFiles } from '${SOURCES}spool/files.ts';
import { SpoolFolder } from '${SOURCES}spool/spool.ts';

const [, , path, last] = process.argv;
let calls = 0;
function counted(object) {
  return new Proxy(object, {
    get: (target, name) => typeof target[name] !== 'function' ? undefined : async (...args) => {
      calls += 1;
      if (calls === Number(last)) {
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => undefined);
      }
      const result = await target[name](...args);
      return name === 'create' ? counted({ write: (b) => result.write(b), sync: () => result.sync(), close: () => result.close() }) : result;
    },
  });
}
const now = { wallMs: Date.now(), bootId: null, sinceBootMs: null };
const spool = new SpoolFolder({
  path,
  files: counted(diskFiles),
  machine: { moment: () => now, userId: process.getuid(), randomUuid: () => crypto.randomUUID() },
  processes: { identify: async () => null },
  ownId: process.pid,
  timing: { monotonicMs: () => performance.now(), after: () => () => undefined },
  limits: { files: 10, bytes: 1e6, ageMs: 1e9 },
  lateAsFreshMs: 0,
  attemptMs: 1000,
  onLoss: console.error,
  onDetail: console.error,
});
const target = { base: 'https://h.example/ping/key/backup', query: '', label: 'backup' };
await spool.put({ target, signal: 'success', rid: null, at: now, body: new TextEncoder().encode('x'.repeat(5000)) });
`;
