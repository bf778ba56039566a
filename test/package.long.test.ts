import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { RUNTIMES } from '../bin/runtime.js';
import { makeClient } from '../scripts/package/client-folder.ts';
import { LIST, listOf, type PackedFile, pack, sum } from '../scripts/package/list.ts';
import { packagesOf, productionOf, readLock } from '../scripts/package/lock.ts';
import { copyCheckout } from './checkout.ts';
import { OLD_NODE, REPLACEABLE_NODE, THIS_NODE } from './old-node.ts';
import { startRegistry } from './package-registry.ts';
import {
  type Exit,
  listening,
  REPOSITORY,
  type RunningProcess,
  startProcess,
  type TemporaryFolder,
  temporaryFolder,
} from './process.ts';

/** npm's own program; another version of it can be named. */
const NPM = process.env.TEST_NPM ?? 'npm';
const MEGABYTE = 1_000_000;
const MOST_OWN_BYTES = 8 * MEGABYTE;
/** All but the runtime. */
const MOST_DEPENDENCY_BYTES = 50 * MEGABYTE;

const PING_KEY = 'abcdefghijklmnopqrstuv';
const DECLARATION = `accounts:
  - email: ops@example.org
projects:
  - name: Alpha
    owner: ops@example.org
    keys: { ping: ${PING_KEY} }
    checks:
      - { slug: heartbeat, timeout: 3600 }
`;

const lock = await readLock();
let folder: TemporaryFolder;
let files: PackedFile[] = [];
let installation: Exit;
/** Where the package is installed. */
let installed: string;
let program: string;

before(async () => {
  folder = await temporaryFolder();
  const checkout = join(folder.path, 'checkout');
  await copyCheckout(checkout);
  files = await pack(checkout);
  const place = join(folder.path, 'place');
  await mkdir(place);
  installation = await install(checkout, place);
  installed = join(place, 'node_modules/tocsin-server');
  program = join(installed, 'bin/tocsin.cjs');
});

after(() => folder[Symbol.asyncDispose]());

/** Lets npm install the packed file from a registry, with settings and a cache that are nobody's. */
async function install(checkout: string, place: string): Promise<Exit> {
  await using config = startProcess('npm', ['config', 'get', 'cache'], { cwd: REPOSITORY });
  const npmCache = (await config.exit()).stdout.trim();
  const manifest = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const file = join(checkout, `tocsin-server-${manifest.version}.tgz`);
  await using registry = await startRegistry({ file, manifest }, packagesOf(lock), npmCache);
  const args = ['install', '--no-update-notifier', '--registry', registry.url, '--cache', `${place}.cache`];
  await using npm = startProcess(NPM, [...args, 'tocsin-server'], { cwd: place, env: { HOME: folder.path } });
  return await npm.exit();
}

function start(
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): RunningProcess {
  return startProcess(process.execPath, [program, ...args], {
    cwd: options.cwd,
    env: { HOST: '127.0.0.1', PORT: '0', ...options.env },
  });
}

/** What a service has written beside its log, and what the log warns of. */
function complaintsOf({ stderr }: Exit): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{"level":"info"'));
}

function copyWithoutDependencies(target: string): Promise<void> {
  return cp(installed, target, {
    recursive: true,
    filter: (path) => path !== join(installed, 'node_modules'),
  });
}

test('npm installs the package without a warning', () => {
  assert.equal(installation.stderr, '');
  assert.equal(installation.code, 0, installation.stdout);
});

test('the installation has the locked versions, although the registry offers newer ones', async () => {
  for (const { path, version, optional } of productionOf(lock)) {
    const manifest = join(installed, path, 'package.json');
    // Those of other platforms are left out.
    if (optional === true && (await stat(manifest).catch(() => null)) === null) continue;
    assert.equal(JSON.parse(await readFile(manifest, 'utf8')).version, version, path);
  }
});

test('files of the package and the number of packages are those of the list; `npm run package:list` writes it', async () => {
  assert.equal(listOf(files, productionOf(lock).length), await readFile(LIST, 'utf8'));
});

test('the package and its dependencies are small', async () => {
  const paths = await readdir(join(installed, 'node_modules'), { recursive: true, withFileTypes: true });
  const found = paths
    .filter((entry) => entry.isFile() && !/\bnode_modules\/node-(bin-)?\w+-\w+/.test(entry.parentPath))
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  const bytes = (await Promise.all(found)).reduce((total, size) => total + size, 0);

  assert.ok(sum(files) <= MOST_OWN_BYTES, `${sum(files)}`);
  assert.ok(bytes > MEGABYTE && bytes <= MOST_DEPENDENCY_BYTES, `${bytes}`);
});

test('the package holds no test', () => {
  assert.deepEqual(
    files.filter(({ path }) => /\.test\b|(^|\/)tests?\//.test(path)),
    [],
  );
});

function has(path: string): boolean {
  return files.some((file) => file.path === path);
}

test('the companion is the one of the package without the service, byte for byte', async () => {
  await using alone = await temporaryFolder();
  await makeClient(alone.path);

  const companion = await readdir(join(alone.path, 'dist/companion'));
  assert.deepEqual(await readdir(join(installed, 'dist/companion')), companion);
  for (const name of [
    'bin/tocsin.cjs',
    'bin/companion.cjs',
    ...companion.map((one) => `dist/companion/${one}`),
  ]) {
    const text = await readFile(join(alone.path, name), 'utf8');
    assert.equal(await readFile(join(installed, name), 'utf8'), text, name);
  }
});

test('the package holds the licence, the read-me and the changelog of the checkout', async () => {
  for (const name of await readdir(REPOSITORY)) {
    if (/^(README|LICENSE|CHANGELOG)/.test(name)) assert.ok(has(name), name);
  }
});

test('the package holds every migration', async () => {
  const migrations = await readdir(join(REPOSITORY, 'src/storage/migrations'));
  assert.ok(migrations.length > 0);
  for (const name of migrations) assert.ok(has(`dist/storage/migrations/${name}`), name);
});

const NODES = [
  { where: 'by itself', env: THIS_NODE, isLauncher: false },
  { where: 'on an older Node, by way of its own', env: OLD_NODE, isLauncher: true },
  { where: 'on an older Node, in whose place it puts its own', env: REPLACEABLE_NODE, isLauncher: false },
];

for (const { where, env, isLauncher } of NODES) {
  test(`the installed program runs ${where}`, async () => {
    await using cwd = await temporaryFolder();
    const options = { cwd: cwd.path, env };

    await using version = start(['version'], options);
    await using help = start(['--help'], options);
    await using unknown = start(['no-such-command'], options);

    const told = await version.exit();
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, /^tocsin \d+\.\d+\.\d+ \(node (2[6-9]|[3-9]\d)\./);
    assert.match((await help.exit()).stdout, /^Usage: tocsin COMMAND/m);
    assert.equal((await unknown.exit()).code, 2);
  });

  test(`the installed service runs ${where}, with the flags of Node, until it is asked to stop`, async () => {
    await using cwd = await temporaryFolder();
    await writeFile(join(cwd.path, 'declaration.yaml'), DECLARATION);
    await using service = start(['serve'], {
      cwd: cwd.path,
      env: { ...env, PROVISION_FILE: 'declaration.yaml' },
    });

    const url = await listening(service);
    const [, pid] = await service.output(/"pid":(\d+),"event":"server.listening"/);
    const page = await fetch(`${url}/`);
    const ping = await fetch(`${url}/ping/${PING_KEY}/heartbeat`);
    const documentation = await fetch(`${url}/docs/self-hosting/`);
    service.signal('SIGTERM');
    const exit = await service.exit();

    assert.match(await page.text(), /<div id="root">/);
    assert.equal(await ping.text(), 'OK');
    assert.match(await documentation.text(), /<h1>Operating Tocsin<\/h1>/);
    assert.equal(Number(pid) !== service.pid, isLauncher);
    assert.deepEqual(complaintsOf(exit), ['Launched with --max-semi-space-size=8']);
    assert.equal(exit.code, 0);
    assert.equal(exit.signal, null);
  });
}

test('who chooses a flag of the service otherwise keeps that', async () => {
  await using cwd = await temporaryFolder();
  const env = { NODE_OPTIONS: `${THIS_NODE.NODE_OPTIONS} --max_semi_space_size=16` };
  await using service = start(['serve'], { cwd: cwd.path, env });

  await listening(service);
  service.signal('SIGTERM');
  const exit = await service.exit();

  assert.deepEqual(complaintsOf(exit), []);
  assert.equal(exit.code, 0);
});

test('a runtime that cannot be started is named', async () => {
  await using alone = await temporaryFolder();
  await copyWithoutDependencies(alone.path);
  const file = RUNTIMES[`${process.platform}-${process.arch}`] ?? '';
  const runtime = join(alone.path, 'node_modules', file);
  await mkdir(dirname(runtime), { recursive: true });
  await writeFile(runtime, '#!/no/such/interpreter\n', { mode: 0o755 });

  for (const env of [OLD_NODE, REPLACEABLE_NODE]) {
    await using refused = startProcess(process.execPath, [join(alone.path, 'bin/tocsin.cjs'), 'version'], {
      cwd: alone.path,
      env,
    });

    const exit = await refused.exit();
    assert.equal(exit.code, 1);
    assert.match(exit.stderr, /^\S+node cannot be started: .+\n$/);
  }
});

test('the installed service ends with the process that an older Node started, even when that is killed', async () => {
  await using cwd = await temporaryFolder();
  await using service = start(['serve'], { cwd: cwd.path, env: OLD_NODE });
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
  await copyWithoutDependencies(alone.path);

  await using refused = startProcess(process.execPath, [join(alone.path, 'bin/tocsin.cjs'), 'version'], {
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

  await using unbuilt = startProcess(process.execPath, ['bin/tocsin.cjs', 'serve'], { cwd: checkout.path });

  const exit = await unbuilt.exit();
  assert.equal(exit.code, 1);
  assert.match(exit.stderr, /^This is a checkout that is not built: .*npm run build.*\n$/);
});
