import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { makeClient } from '../scripts/package/client-folder.ts';
import { CLIENT_LIST, listOf, type PackedFile, pack, sum } from '../scripts/package/list.ts';
import { versionText } from '../src/cli/version.ts';
import { startTestApp } from './app.ts';
import { oldNode } from './companion/built.ts';
import { place } from './companion/wrapper.ts';
import { type Exit, startProcess, type TemporaryFolder, temporaryFolder } from './process.ts';

const MOST_BYTES = 1_500_000;

let folder: TemporaryFolder;
let files: PackedFile[] = [];
/** The packed file. */
let archive: string;
let installation: Exit;
/** Where the package is installed. */
let installed: string;

before(async () => {
  folder = await temporaryFolder();
  const made = join(folder.path, 'made');
  await mkdir(made);
  await makeClient(made);
  files = await pack(made, ['--pack-destination', folder.path]);
  const { version } = JSON.parse(await readFile(join(made, 'package.json'), 'utf8'));
  archive = join(folder.path, `tocsin-${version}.tgz`);
  installed = join(folder.path, 'place/node_modules/tocsin');
  await mkdir(join(folder.path, 'place'));
  installation = await npm(['install', archive], 'place');
});

after(() => folder[Symbol.asyncDispose]());

/** Runs npm in a folder, without a network and with settings and a cache that are nobody's. */
async function npm(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Exit> {
  const flags = ['--offline', '--no-update-notifier', '--cache', join(folder.path, 'cache')];
  const [verb = '', ...rest] = args;
  await using running = startProcess('npm', [verb, ...flags, ...rest], {
    cwd: join(folder.path, cwd),
    env: { HOME: folder.path, ...env },
  });
  return await running.exit();
}

test('npm installs the package without a network and without a warning, and nothing with it', async () => {
  assert.deepEqual([installation.stderr, installation.code], ['', 0], installation.stdout);
  assert.match(installation.stdout, /^added 1 package\b/m);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const parts = Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key));
  assert.deepEqual(parts, []);
});

test('the package is small, and is that of the list; `npm run package:list` writes it', async () => {
  assert.ok(sum(files) <= MOST_BYTES, `${sum(files)}`);
  assert.equal(listOf(files, 0), await readFile(CLIENT_LIST, 'utf8'));
});

const NODES = [
  { which: 'this Node', node: process.execPath },
  { which: 'an older Node', node: oldNode },
];
for (const { which, node } of NODES) {
  suite(`the client on ${which}`, { skip: node === null && 'there is no Node 20 to 25 on the PATH' }, () => {
    const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      startProcess(node ?? '', [join(installed, 'bin/tocsin.cjs'), ...args], { cwd: folder.path, env });

    test('npx runs a job offline', async () => {
      await using here = await place();
      const PATH = [dirname(node ?? ''), process.env.PATH].join(delimiter);

      const args = ['exec', '--yes', '--package', archive, '--', 'tocsin', 'run', '--', 'true'];
      const ended = await npm(args, '.', { ...here.environment, PATH });

      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      assert.deepEqual(here.pings(), ['/start', '']);
    });

    test('the version is told as its command would tell it, with the Node that is there', async () => {
      const number = execFileSync(node ?? '', ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
      // With one more word the command itself is loaded.
      for (const args of [['version'], ['--version'], ['version', 'x']]) {
        await using told = start(args);
        assert.equal((await told.exit()).stdout, versionText(number), args.join(' '));
      }
    });

    test('one ping is sent', async () => {
      await using here = await place();
      await using ping = start(['ping'], here.environment);

      assert.deepEqual((await ping.exit()).code, 0);
      assert.deepEqual(here.pings(), ['']);
    });

    test('a project is exported, and its file is applied to another project, also if it is long', async () => {
      await using app = await startTestApp('sqlite');
      const { project, key } = await app.givenProject();
      await app.givenCheck(project, {
        slug: 'nightly',
        kind: 'cron',
        schedule: '0 1 * * *',
        tz: 'Europe/Riga',
      });
      const pinged = await app.givenCheck(project, { slug: 'hourly', timeoutSeconds: 3600 });
      const url = `http://127.0.0.1:${await app.port()}`;
      await fetch(`${url}/ping/${pinged.uuid}`);
      const other = await app.givenProject();
      const path = join(folder.path, 'exported.yaml');
      const apply = async (...args: string[]) => {
        const flags = ['apply', '--url', url, '--checks-only', ...args, path];
        await using applying = start(flags, { TOCSIN_API_KEY: other.key });
        const { code, stdout, stderr } = await applying.exit();
        return { code, stdout, stderr };
      };

      await using exporting = start(
        ['export', '--url', url, '--owner', 'ops@example.org', '--output', path],
        { TOCSIN_API_KEY: key },
      );
      const exported = await exporting.exit();
      assert.equal(exported.code, 0, exported.stderr);
      const text = await readFile(path, 'utf8');
      assert.match(text, /last_ping: "\d{4}-/);
      // Checks of one server keep their addresses there.
      const moved = text.replace(/- uuid: .*\n {8}/g, '- ').replace(/ +last_ping: .*\n/g, '');
      const long = `${moved}${`# ${'x'.repeat(98)}\n`.repeat(600)}`;
      for (const content of [moved, long]) {
        await writeFile(path, content);
        const foreseen = await apply('--dry-run');
        const isFirst = content === moved;
        assert.deepEqual([foreseen.code, foreseen.stderr], [isFirst ? 2 : 0, ''], foreseen.stdout);
        const applied = await apply();
        assert.deepEqual([applied.code, applied.stderr], [0, '']);
        assert.equal(applied.stdout.includes('Nothing to change.'), !isFirst);
      }
      const names = await app.deps.store.checks.namesOfProject(other.project.id);
      assert.deepEqual(names.map(({ slug }) => slug).toSorted(), ['hourly', 'nightly']);
    });

    test('a faulty file is told in words', async () => {
      const path = join(folder.path, 'faulty.yaml');
      await writeFile(
        path,
        'projects:\n  - name: Alpha\n    checks:\n      - { slug: a, schedule: "99 * * * *" }\n',
      );
      await using applying = start(['apply', '--url', 'http://127.0.0.1:1', path], { TOCSIN_API_KEY: 'k' });

      const { code, stderr } = await applying.exit();
      assert.equal(code, 1, stderr);
      assert.match(stderr, /faulty\.yaml:4: .*schedule/);
    });

    test('commands of the service say what to install', async () => {
      for (const args of [['serve'], ['doctor'], ['apply', 'tocsin.yaml'], ['export']]) {
        await using refused = start(args);
        const { code, stdout, stderr } = await refused.exit();
        assert.deepEqual([code, stdout], [2, '']);
        assert.match(stderr, /^tocsin .* comes with the service: npm install --global tocsin-server\n$/);
      }
    });

    test('version and overview', async () => {
      await using version = start(['--version']);
      await using help = start(['--help']);

      assert.match((await version.exit()).stdout, /^tocsin \d+\.\d+\.\d+ \(node \d+\./);
      assert.match((await help.exit()).stdout, /^ {2}run -- COMMAND {2}.*$/m);
    });
  });
}
