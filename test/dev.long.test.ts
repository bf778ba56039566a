import assert from 'node:assert/strict';
import { appendFile, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { launchBrowser } from './browser/chromium.ts';
import { REPOSITORY, startProcess, temporaryFolder } from './process.ts';

const COPIED = ['bin', 'docs', 'package.json', 'scripts', 'src', 'test', 'tsconfig.json', 'web'];

/** A checkout whose files a test may change. */
async function checkout() {
  const folder = await temporaryFolder();
  for (const name of COPIED)
    await cp(join(REPOSITORY, name), join(folder.path, name), {
      recursive: true,
      filter: (path) => !path.startsWith(join(REPOSITORY, 'web/dist')),
    });
  await symlink(join(REPOSITORY, 'node_modules'), join(folder.path, 'node_modules'));
  return folder;
}

test('in development an open page shows what was saved without a reload, and the service starts again', async (t) => {
  await using folder = await checkout();
  await using npm = startProcess('npm', ['run', 'dev'], {
    cwd: folder.path,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder.path, 'tocsin.db')}`,
      npm_config_update_notifier: 'false',
    },
  });
  const [, address = ''] = await npm.output(/^The pages are at (\S+)\/$/m);
  await npm.output(/^Listens /m);
  assert.equal((await fetch(`${address}/api/v3/status/`)).status, 200, 'the service answers there as well');

  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${address}/accounts/login/`);
  const heading = page.getByRole('heading', { level: 1 });
  await heading.waitFor();
  await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }));

  const file = join(folder.path, 'web/pages/entrance/sign-in.tsx');
  const source = await readFile(file, 'utf8');
  const savedAt = performance.now();
  await writeFile(file, source.replace('m.signIn.title', '"A title that was just saved"'));
  await page.getByRole('heading', { name: 'A title that was just saved' }).waitFor();
  t.diagnostic(`seen after ${Math.round(performance.now() - savedAt)} ms`);

  assert.equal(await page.evaluate(() => 'isSameDocument' in globalThis), true);
  assert.deepEqual(errors, [], 'the policy of pages allows what Vite needs');

  await appendFile(join(folder.path, 'src/cli/index.ts'), '\n');
  await npm.output(/^Listens [\s\S]*^Listens /m);
  npm.signal('SIGTERM');
  assert.equal((await npm.exit()).code, 0);
});
