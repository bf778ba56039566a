/**
 * Makes a release twice in different places: `npm run verify:release`. It needs all that `npm run image` needs and some minutes, so
 * `npm test` leaves it out. What a machine lacks is skipped, with the reason.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyCheckout } from '../../test/checkout.ts';
import { REPOSITORY, startProcess, temporaryFolder, unless } from '../../test/process.ts';
import { ENVIRONMENT, withoutTools } from '../image/trial.ts';
import { readLock } from '../package/lock.ts';
import { SIGNERS } from './refusals.ts';

const skip = withoutTools || unless(['sh', '-c', 'command -v ssh-keygen'], 'ssh-keygen is not installed');

test('a signed tag gives the same files in another folder, umask, locale and time zone', {
  skip,
}, async () => {
  await using folder = await temporaryFolder();
  const { version } = await readLock();
  const origin = join(folder.path, 'origin');
  await copyCheckout(origin);
  await signRelease(folder.path, origin, version);
  await refused(origin, version);

  const sums: string[] = [];
  for (const [name, umask, env] of [
    ['one', '022', {}],
    ['another', '077', { LC_ALL: 'C.UTF-8', TZ: 'Asia/Kathmandu' }],
  ] as const) {
    const checkout = join(folder.path, name, 'checkout');
    const target = join(folder.path, name, 'release');
    await mkdir(join(folder.path, name));
    execFileSync('git', ['clone', '-q', origin, checkout]);
    await linkModules(checkout);
    // It takes longer than tests wait for a process.
    execFileSync('sh', ['-c', `umask ${umask} && exec npm run -s release -- --to "$0"`, target], {
      cwd: checkout,
      env: { ...ENVIRONMENT, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: target });
    sums.push(await readFile(join(target, 'SHA256SUMS'), 'utf8'));
    assert.deepEqual((await readdir(target)).toSorted(), [
      ...['SHA256SUMS', 'THIRD-PARTY.txt', 'deploy.tar.gz', 'sbom.cdx.json'],
      ...['-amd64.tar', '-arm64.tar', '.tar', '.tgz'].map((ending) => `tocsin-${version}${ending}`),
      `tocsin-chart-${version}.tgz`,
      `tocsin-server-${version}.tgz`,
    ]);
    assert.deepEqual(await listed(target), installed(join(target, `tocsin-server-${version}.tgz`)));
  }
  assert.equal(sums[0], sums[1]);
});

async function signRelease(folder: string, checkout: string, version: string): Promise<void> {
  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key]);
  const publicKey = (await readFile(`${key}.pub`, 'utf8')).trim();
  await writeFile(join(checkout, SIGNERS), `ops@example.org namespaces="git" ${publicKey}\n`);
  const parts = ['What you get', 'What you must do', 'What changed its default'];
  const section = parts.map((part) => `### ${part}\n\n- Nothing.\n`).join('\n');
  await writeFile(join(checkout, 'CHANGELOG.md'), `# Changes\n\n## ${version}\n\n${section}`);
  const settings = ['user.name=ops', 'user.email=ops@example.org', 'gpg.format=ssh'];
  const git = (...args: string[]) =>
    execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: checkout });
  git('init', '-q');
  await writeFile(join(checkout, '.git/info/exclude'), 'node_modules\n.installed-lock\n');
  git('add', '.');
  git('commit', '-qm', version);
  git('tag', '-s', '-u', key, '-m', version, `v${version}`);
}

/** The command itself refuses a commit that the tag does not name, and writes nothing. */
async function refused(origin: string, version: string): Promise<void> {
  const checkout = `${origin}-untagged`;
  const target = `${origin}-refused`;
  execFileSync('git', ['clone', '-q', origin, checkout]);
  execFileSync('git', ['tag', '-d', `v${version}`], { cwd: checkout });
  await linkModules(checkout);
  const args = ['run', '-s', 'release', '--', '--to', target];
  await using release = startProcess('npm', args, { cwd: checkout, env: ENVIRONMENT });
  const { code, stderr } = await release.exit();
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^No release: the tag v${version} is not at this commit$`, 'm'));
  await assert.rejects(readdir(target), { code: 'ENOENT' });
}

/** The packages of npm in the bill of materials. */
async function listed(target: string): Promise<string[]> {
  const { components } = JSON.parse(await readFile(join(target, 'sbom.cdx.json'), 'utf8')) as {
    components: { purl: string }[];
  };
  return components
    .flatMap(({ purl }) => (purl.startsWith('pkg:npm/') ? [decodeURIComponent(purl.slice(8))] : []))
    .toSorted();
}

/** The packages that npm installs with the packed one. */
function installed(archive: string): string[] {
  const text = execFileSync('tar', ['-xzOf', archive, 'package/npm-shrinkwrap.json'], { encoding: 'utf8' });
  const { packages } = JSON.parse(text) as { packages: Record<string, { version: string }> };
  const names = Object.entries(packages).flatMap(([path, { version }]) =>
    path === '' ? [] : [`${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`],
  );
  return [...new Set(names)].toSorted();
}

async function linkModules(checkout: string): Promise<void> {
  await symlink(join(REPOSITORY, 'node_modules'), join(checkout, 'node_modules'));
  await writeFile(join(checkout, '.git/info/exclude'), 'node_modules\n');
}
