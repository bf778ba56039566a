import assert from 'node:assert/strict';
import { chown, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DECLARATION, declaredChecks } from '../../test/cli.test-support.ts';
import { listening, REPOSITORY, runCli, startProcess, temporaryFolder, unless } from '../../test/process.ts';

const NOBODY = 65_534;
const AS_NOBODY = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];

test("root's commands leave no file of root's beside a database of somebody else, whether the service runs or not", async (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root');
  const reason = unless(['setpriv', ...AS_NOBODY, process.execPath, '--version'], 'nobody can run this Node');
  if (reason !== false) return t.skip(reason);
  await using folder = await temporaryFolder();
  await chown(folder.path, NOBODY, NOBODY);
  const declaration = join(folder.path, 'declaration.yaml');
  await writeFile(declaration, DECLARATION);
  await chown(declaration, NOBODY, NOBODY);
  const options = { cwd: folder.path, env: { DATABASE_URL: `sqlite:${folder.path}/tocsin.db` } };
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCli(args, options);
    assert.equal(code, 0, stderr);
  };

  await run('apply', declaration);
  await run('backup', join(folder.path, 'stopped.db'));
  await run('doctor', '--only', 'database,disk');
  assert.deepEqual(await ownersIn(folder.path), [NOBODY]);
  {
    const program = join(REPOSITORY, 'src/cli/index.ts');
    await using service = startProcess('setpriv', [...AS_NOBODY, process.execPath, program, 'serve'], {
      ...options,
      env: { ...options.env, HOST: '127.0.0.1', PORT: '0' },
    });
    const url = await listening(service);
    await run('backup', join(folder.path, 'running.db'));
    await run('apply', declaration);
    await run('doctor', '--only', 'database,disk');
    assert.equal((await declaredChecks(url)).length, 1);
  }
  assert.deepEqual(await ownersIn(folder.path), [NOBODY]);

  const refused = await runCli(['backup', '/root/backup.db'], options);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /This ran as user 65534, to whom the database belongs/);
});

async function ownersIn(folder: string): Promise<number[]> {
  const owners = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).uid);
  return [...new Set(await Promise.all(owners))];
}
