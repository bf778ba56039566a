import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundleClient, bundleCompanion } from '../../scripts/companion.ts';
import { buildCompanion, REPOSITORY } from './built.ts';
import { type Place, place } from './wrapper.ts';

test('the bundles are the same, byte for byte, wherever they are built', async () => {
  await using here = await place();
  const [one, other] = [join(here.folder, 'one'), join(here.folder, 'below/another')];
  for (const folder of [one, other]) {
    await bundleCompanion(join(folder, 'companion'));
    await bundleClient(join(folder, 'client'));
  }

  const names = (await readdir(one, { recursive: true })).filter((name) => name.endsWith('.js'));
  assert.ok(names.includes('companion/main.js') && names.includes('client/client.js'));
  assert.deepEqual(
    (await readdir(other, { recursive: true })).filter((name) => name.endsWith('.js')),
    names,
  );
  for (const name of names) {
    const bytes = await readFile(join(one, name), 'utf8');
    assert.equal(bytes, await readFile(join(other, name), 'utf8'), name);
    assert.ok(!bytes.includes(REPOSITORY), name);
  }
});

/** The modules that a run has loaded, in order: files of the package, and the names of Node's own. */
async function loadedBy(here: Place, args: readonly string[]): Promise<string[]> {
  const list = join(here.folder, 'loaded');
  const hook = `import { registerHooks } from 'node:module';
    import { appendFileSync } from 'node:fs';
    registerHooks({
      load(url, context, next) {
        appendFileSync(${JSON.stringify(list)}, url + '\\n');
        return next(url, context);
      },
    });`;
  const packed = join(here.folder, 'package');
  const program = await buildCompanion(packed);
  const node = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  const { code, stderr } = await here.run(args, { node: [...node, program] });
  assert.deepEqual([code, stderr], [0, '']);
  const urls = (await readFile(list, 'utf8')).trimEnd().split('\n');
  return urls.map((url) => url.replace(`file://${packed}/`, ''));
}

test('a run loads one file before its job, one beside it, and nothing of the service', async () => {
  await using here = await place();

  const loaded = await loadedBy(here, ['--', 'true']);

  assert.deepEqual(
    loaded.filter((name) => !name.startsWith('node:')),
    ['bin/tocsin.js', 'bin/companion.js', 'dist/companion/main.js', 'dist/companion/line.js'],
  );
  assert.ok(loaded.indexOf('node:http') > loaded.indexOf('dist/companion/line.js'), loaded.join());
  assert.deepEqual(here.pings(), ['/start', '']);
});
