import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { OLD_NODE } from './old-node.ts';
import {
  listening,
  REPOSITORY,
  type RunningProcess,
  startProcess,
  type TemporaryFolder,
  temporaryFolder,
} from './process.ts';

const NOT_COPIED = /^(node_modules|\.git|data|coverage|dist.*)$/;

const run = promisify(execFile);

let folder: TemporaryFolder;
/** Paths of the package's files, from its root. */
let files: string[] = [];
let program: string;

before(async () => {
  folder = await temporaryFolder();
  await pack(join(folder.path, 'checkout'));
  program = await install(join(folder.path, 'checkout'), join(folder.path, 'node_modules'));
});

after(() => folder[Symbol.asyncDispose]());

/** Builds and packs a copy, because the checkout may be in use. */
async function pack(checkout: string): Promise<void> {
  await cp(REPOSITORY, checkout, {
    recursive: true,
    filter: (path) => !NOT_COPIED.test(relative(REPOSITORY, path)),
  });
  await symlink(join(REPOSITORY, 'node_modules'), join(checkout, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--json', '--offline', '--no-update-notifier'], {
    cwd: checkout,
  });
  const packed: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  files = fileListOf(packed);
}

/** npm has answered with a list of packages, and with packages by name. */
function fileListOf(packed: unknown): string[] {
  const [first] = Object.values(packed as Record<string, { files: { path: string }[] }>);
  return (first?.files ?? []).map(({ path }) => path).sort();
}

/** Unpacks beside links to the dependencies, as an installation would lay them out. */
async function install(checkout: string, modules: string): Promise<string> {
  const target = join(modules, 'tocsin');
  await mkdir(target, { recursive: true });
  const archive = (await readdir(checkout)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(checkout, archive), '-C', target, '--strip-components=1']);
  for (const name of await readdir(join(REPOSITORY, 'node_modules'))) {
    if (name === 'tocsin' || name.startsWith('.')) continue;
    await symlink(join(REPOSITORY, 'node_modules', name), join(modules, name));
  }
  return join(target, 'bin/tocsin.js');
}

function start(args: readonly string[], options: { cwd: string; onOldNode?: boolean }): RunningProcess {
  return startProcess(process.execPath, [program, ...args], {
    cwd: options.cwd,
    env: { HOST: '127.0.0.1', PORT: '0', ...(options.onOldNode ? OLD_NODE : {}) },
  });
}

test('the package holds what runs and what is to be read, and nothing else', () => {
  const odd = files.filter(
    (path) =>
      !/^dist\/.*\.(js|sql|json)$/.test(path) &&
      !/^dist\/pages\/(index\.html|sources\.sha256|bell(-late)?\.svg|app-[a-z0-9-]+\.png|tocsin\.webmanifest|down-\d(plus)?\.svg|assets\/.*\.(css|woff2|br|gz)|licences\/[\w-]+\.(txt|md))$/.test(
        path,
      ) &&
      !/^(bin\/(tocsin|runtime|stop-with-parent)\.js|package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/(guide\/)?[\w-]+\.md)$/.test(
        path,
      ),
  );

  assert.deepEqual(odd, []);
  assert.deepEqual(
    files.filter((path) => /\.test\b|(^|\/)tests?\//.test(path)),
    [],
  );
  for (const path of [
    'bin/tocsin.js',
    'bin/runtime.js',
    'dist/cli/index.js',
    'dist/pages/index.html',
    'dist/pages/licences/packages.md',
    'docs/guide/start.md',
    'docs/operating.md',
    'package.json',
  ])
    assert.ok(files.includes(path));
});

test('the package holds the licence, the read-me and the changelog of the checkout', async () => {
  for (const name of await readdir(REPOSITORY)) {
    if (/^(README|LICENSE|CHANGELOG)/.test(name)) assert.ok(files.includes(name), name);
  }
});

test('the package holds every migration', async () => {
  const migrations = await readdir(join(REPOSITORY, 'src/storage/migrations'));
  assert.ok(migrations.length > 0);
  for (const name of migrations) assert.ok(files.includes(`dist/storage/migrations/${name}`), name);
});

for (const onOldNode of [false, true]) {
  const where = onOldNode ? 'on an older Node, by way of its own' : 'by itself';

  test(`the installed program runs ${where}`, async () => {
    await using cwd = await temporaryFolder();
    const options = { cwd: cwd.path, onOldNode };

    await using version = start(['version'], options);
    await using help = start(['--help'], options);
    await using unknown = start(['no-such-command'], options);

    const told = await version.exit();
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, /^tocsin \d+\.\d+\.\d+ \(node (2[6-9]|[3-9]\d)\./);
    assert.match((await help.exit()).stdout, /^Usage: tocsin COMMAND/m);
    assert.equal((await unknown.exit()).code, 2);
  });

  test(`the installed service runs ${where}, until it is asked to stop`, async () => {
    await using cwd = await temporaryFolder();
    await using service = start(['serve'], { cwd: cwd.path, onOldNode });

    const url = await listening(service);
    const status = await fetch(`${url}/api/v3/status/`);
    const documentation = await fetch(`${url}/docs/self-hosting/`);
    service.signal('SIGTERM');
    const exit = await service.exit();

    assert.equal(await status.text(), 'OK');
    assert.match(await documentation.text(), /<h1>Operating Tocsin<\/h1>/);
    assert.equal(exit.code, 0, exit.stderr);
    assert.equal(exit.signal, null);
  });
}

test('the installed service ends with the process that an older Node started, even when that is killed', async () => {
  await using cwd = await temporaryFolder();
  await using service = start(['serve'], { cwd: cwd.path, onOldNode: true });
  const url = await listening(service);

  service.signal('SIGKILL');
  await service.output(/^Stopping/m);
  // Resolves when nobody is left who could write to the streams.
  const exit = await service.exit();

  assert.equal(exit.signal, 'SIGKILL');
  await assert.rejects(fetch(`${url}/api/v3/status/`));
});

test('without the package that brings a newer Node, an older one tells what is missing', async () => {
  await using alone = await temporaryFolder();
  await cp(join(program, '../..'), alone.path, { recursive: true });

  await using refused = startProcess(process.execPath, [join(alone.path, 'bin/tocsin.js'), 'version'], {
    cwd: alone.path,
    env: OLD_NODE,
  });

  const exit = await refused.exit();
  assert.equal(exit.code, 1);
  assert.equal(exit.stdout, '');
  assert.match(exit.stderr, /^Tocsin needs Node 26, .* is not installed\. .*optional dependencies\.\n$/);
});

test('in a checkout that is not built the program tells how to run it', async () => {
  await using checkout = await temporaryFolder();
  await cp(join(REPOSITORY, 'bin'), join(checkout.path, 'bin'), { recursive: true });
  await cp(join(REPOSITORY, 'package.json'), join(checkout.path, 'package.json'));

  await using unbuilt = startProcess(process.execPath, ['bin/tocsin.js', 'serve'], { cwd: checkout.path });

  const exit = await unbuilt.exit();
  assert.equal(exit.code, 1);
  assert.match(exit.stderr, /^This is a checkout that is not built: .*npm run build.*\n$/);
});
