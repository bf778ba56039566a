import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type TemporaryFolder, temporaryFolder, unless } from '../../test/process.ts';
import type { DebianPackage } from '../image/debian-lock.ts';
import { type Lock, productionOf, readLock } from '../package/lock.ts';
import { changelogFaults, checkoutFaults, packageFaults, SIGNERS } from './refusals.ts';
import { billOfMaterials } from './sbom.ts';

const lock = await readLock();
const DEBIAN: readonly DebianPackage[] = [
  { architecture: 'amd64', name: 'libstdc++6', version: '14.2.0-19', sha256: 'a'.repeat(64) },
];
const SOURCE = { lock, debian: DEBIAN, hash: 'f'.repeat(40), seconds: 1_700_000_000 };

test('the bill of materials names every package, the program, and nothing else', () => {
  const bill = Object(billOfMaterials(SOURCE));

  const names = bill.components.map((one: { name: string; version: string }) => `${one.name}@${one.version}`);
  const expected = productionOf(lock).map(({ name, version }) => `${name}@${version}`);
  assert.deepEqual(names.toSorted(), [...new Set(expected), 'libstdc++6@14.2.0-19'].toSorted());
  assert.deepEqual(bill.metadata.component.purl, `pkg:npm/tocsin-server@${lock.version}`);
});

test('the bill of materials tells licences, digests and who needs what', () => {
  const bill = Object(billOfMaterials(SOURCE));

  const locked = lock.packages['node_modules/pg'];
  const pg = bill.components.find((one: { name: string }) => one.name === 'pg');
  const digest = Buffer.from(pg.hashes[0].content, 'hex').toString('base64');
  assert.deepEqual([pg.hashes[0].alg, `sha512-${digest}`], ['SHA-512', locked?.integrity]);
  assert.deepEqual(pg.licenses, [{ expression: 'MIT' }]);
  const needs = new Map(bill.dependencies.map((one: { ref: string; dependsOn: string[] }) => [one.ref, one]));
  const references = new Set([...bill.components, bill.metadata.component].map((one) => one['bom-ref']));
  assert.ok(Object(needs.get(`tocsin-server@${lock.version}`)).dependsOn.includes(`pg@${locked?.version}`));
  for (const { dependsOn } of bill.dependencies)
    for (const reference of dependsOn) assert.ok(references.has(reference), reference);
});

test('a commit has one bill of materials, and another commit has another', () => {
  const bill = JSON.stringify(billOfMaterials(SOURCE));

  assert.equal(JSON.stringify(billOfMaterials(SOURCE)), bill);
  assert.notEqual(JSON.stringify(billOfMaterials({ ...SOURCE, hash: 'e'.repeat(40) })), bill);
});

test('all packages may be shipped; an unknown licence and a script at installation are refused', () => {
  const withPackage = (entry: object): Lock => ({
    ...lock,
    packages: { ...lock.packages, 'node_modules/planted': { version: '1.0.0', license: 'MIT', ...entry } },
  });

  assert.deepEqual(packageFaults(lock), []);
  assert.deepEqual(packageFaults(withPackage({ license: 'AGPL-3.0' })), [
    'planted has the licence AGPL-3.0, which is not accepted',
  ]);
  assert.deepEqual(packageFaults(withPackage({ license: undefined })), ['planted names no licence']);
  assert.deepEqual(packageFaults(withPackage({ hasInstallScript: true })), [
    'planted runs a script when it is installed',
  ]);
  assert.deepEqual(packageFaults(withPackage({ license: 'AGPL-3.0', dev: true })), []);
});

test('the changelog tells the three parts of a release', () => {
  const parts = ['What you get', 'What you must do', 'What changed its default'];
  const section = parts.map((part) => `### ${part}\n\n- Nothing.\n`).join('\n');

  assert.deepEqual(changelogFaults(`# Changes\n\n## 1.2.0, 2027-01-05\n\n${section}`, '1.2.0'), []);
  assert.deepEqual(changelogFaults('# Changes\n\n## 1.2.0, unreleased\n', '1.2.0'), [
    'CHANGELOG.md says that 1.2.0 is unreleased',
  ]);
  assert.deepEqual(changelogFaults(`# Changes\n\n## 1.20.0\n\n${section}`, '1.2.0'), [
    'CHANGELOG.md has no section 1.2.0',
  ]);
  assert.deepEqual(changelogFaults('# Changes\n\n## 1.2.0\n\n### What you get\n', '1.2.0'), [
    'CHANGELOG.md has no part "What you must do" in the section 1.2.0',
    'CHANGELOG.md has no part "What changed its default" in the section 1.2.0',
  ]);
});

test('a release is made of a clean checkout of a tag that somebody in the list has signed', {
  skip:
    unless(['git', '--version'], 'git is not installed') ||
    unless(['sh', '-c', 'command -v ssh-keygen'], 'ssh-keygen is not installed'),
}, async () => {
  await using folder = await temporaryFolder();
  const faults = () => checkoutFaults(folder.path, '1.2.0').join('\n');
  const git = gitIn(folder);
  const [listed, stranger] = [newKey(folder, 'listed'), newKey(folder, 'stranger')];
  await mkdir(join(folder.path, 'release'));
  await writeFile(join(folder.path, SIGNERS), '# Nobody yet.\n');
  git('init', '-q');
  await writeFile(join(folder.path, '.git/info/exclude'), 'listed*\nstranger*\n');
  git('add', '.');
  assert.match(faults(), /changes that are not committed:\nA +release\/signers/);
  git('commit', '-qm', 'first');
  assert.equal(faults(), 'the tag v1.2.0 is not at this commit');

  git('tag', 'v1.2.0');
  assert.equal(faults(), `${SIGNERS} lists nobody`);
  await writeFile(join(folder.path, SIGNERS), `ops@example.org namespaces="git" ${listed.publicKey}\n`);
  git('commit', '-qam', 'second');
  git('tag', '-f', 'v1.2.0');
  assert.match(faults(), /^the tag v1\.2\.0 is not signed by somebody in release\/signers: /);
  git('tag', '-f', '-s', '-u', stranger.path, '-m', '1.2.0', 'v1.2.0');
  assert.match(faults(), /^the tag v1\.2\.0 is not signed by somebody in release\/signers: /);
  git('tag', '-f', '-s', '-u', listed.path, '-m', '1.2.0', 'v1.2.0');
  assert.equal(faults(), '');
});

function gitIn({ path }: TemporaryFolder) {
  const settings = ['user.name=ops', 'user.email=ops@example.org', 'gpg.format=ssh'];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  return (...args: string[]) => execFileSync('git', [...flags, ...args], { cwd: path, stdio: 'pipe' });
}

function newKey({ path: folder }: TemporaryFolder, name: string): { path: string; publicKey: string } {
  const path = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
  const publicKey = execFileSync('ssh-keygen', ['-y', '-f', path], { encoding: 'utf8' }).trim();
  return { path, publicKey };
}
