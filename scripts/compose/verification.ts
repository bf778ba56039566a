/**
 * Shows the files of `deploy/compose` to the programs that read them: `npm run verify:compose`. It needs `docker-compose` and `caddy`, as
 * Debian has them. What a machine lacks is skipped, with the reason.
 */
import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startProcess, temporaryFolder, unless } from '../../test/process.ts';
import { ROOT } from '../package/lock.ts';

const FOLDER = join(ROOT, 'deploy/compose');
const FILES = ['sqlite.yaml', 'postgres.yaml'];

const [compose, ...composeArgs] = unless(['docker', 'compose', 'version'], 'missing')
  ? ['docker-compose']
  : ['docker', 'compose'];
const withoutCompose = unless([compose ?? '', ...composeArgs, 'version'], 'docker-compose is not installed');
const withoutCaddy = unless(['caddy', 'version'], 'caddy is not installed');

async function configOf(cwd: string, file: string) {
  await using running = startProcess(compose ?? '', [...composeArgs, '-f', file, 'config'], { cwd });
  return await running.exit();
}

suite('compose', { skip: withoutCompose }, () => {
  for (const file of FILES)
    test(`accepts ${file} with the example of settings, and without the address of the site says what to do`, async () => {
      await using folder = await temporaryFolder();
      await cp(FOLDER, folder.path, { recursive: true });
      await writeFile(join(folder.path, 'postgres-password'), 'secret');
      await writeFile(join(folder.path, '.env'), '');
      const without = await configOf(folder.path, file);
      assert.notEqual(without.code, 0);
      assert.match(without.stderr, /set SITE_ROOT in \.env, for example https:\/\/tocsin\.example\.org/);

      await cp(join(folder.path, '.env.example'), join(folder.path, '.env'));
      const { code, stdout, stderr } = await configOf(folder.path, file);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /SITE_ROOT: https:\/\/tocsin\.example\.org/);
    });
});

test('caddy accepts its file', { skip: withoutCaddy }, async () => {
  await using folder = await temporaryFolder();
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(FOLDER, 'Caddyfile')];
  const env = { SITE_ROOT: 'https://tocsin.example.org', HOME: folder.path };
  await using running = startProcess('caddy', args, { cwd: folder.path, env });
  const { code, stderr } = await running.exit();
  assert.equal(code, 0, stderr);
});
