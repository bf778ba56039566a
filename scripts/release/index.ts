/**
 * Makes all files of a release: `npm run release [-- --to FOLDER] [--snapshot]`. It needs a clean checkout of a signed tag, and what
 * `npm run image` needs. The same tag gives the same bytes. `--snapshot` takes Debian's packages from its snapshots.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parseLock } from '../image/debian-lock.ts';
import { entriesIn } from '../image/root.ts';
import { tar } from '../image/tar.ts';
import { makeClient } from '../package/client-folder.ts';
import { pack } from '../package/list.ts';
import { productionOf, ROOT, readLock } from '../package/lock.ts';
import { thirdPartyText } from '../package/third-party.ts';
import { changelogFaults, checkoutFaults, packageFaults } from './refusals.ts';
import { billOfMaterials } from './sbom.ts';

const CHART = 'deploy/helm/tocsin';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { to: { type: 'string' }, snapshot: { type: 'boolean' } } });
  const lock = await readLock();
  refuse([
    ...checkoutFaults(ROOT, lock.version),
    ...changelogFaults(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), lock.version),
    ...packageFaults(lock),
  ]);
  const git = (format: string) =>
    execFileSync('git', ['log', '-1', `--format=${format}`], { cwd: ROOT, encoding: 'utf8' }).trim();
  const [hash, seconds] = [git('%H'), Number(git('%ct'))];
  const target = resolve(values.to ?? join(ROOT, 'dist-release'));
  await mkdir(target, { recursive: true });
  if ((await readdir(target)).length > 0) refuse([`${target} is not empty`]);

  await using workshop = await mkdtempDisposable(join(tmpdir(), 'tocsin-release-'));
  const packed = `${lock.name}-${lock.version}.tgz`;
  await pack(ROOT, ['--pack-destination', workshop.path]);
  execFileSync('tar', ['-xzf', packed], { cwd: workshop.path });
  const client = join(workshop.path, 'client');
  await makeClient(client);
  const image = ['scripts/image/index.ts', '--to', target, ...(values.snapshot ? ['--snapshot'] : [])];
  execFileSync(process.execPath, image, { cwd: ROOT, stdio: 'inherit' });
  const archive = async (folder: string, name: string) =>
    gzipSync(tar(await entriesIn(resolve(ROOT, folder), name, () => true), seconds), { level: 9 });
  const { packages: debian } = parseLock(await readFile(join(ROOT, 'image/packages.lock'), 'utf8'));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    // npm keeps the rights of the checkout's files, which depend on its umask.
    [packed]: await archive(join(workshop.path, 'package'), 'package'),
    [`tocsin-${lock.version}.tgz`]: await archive(client, 'package'),
    [`tocsin-chart-${lock.version}.tgz`]: await archive(CHART, 'tocsin'),
    'deploy.tar.gz': await archive('deploy', 'deploy'),
    'sbom.cdx.json': `${JSON.stringify(billOfMaterials({ lock, debian, hash, seconds }), null, 2)}\n`,
    'THIRD-PARTY.txt': await thirdPartyText(productionOf(lock)),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(target, name), content);
  await writeFile(join(target, 'SHA256SUMS'), await sumsOf(target));
  console.log(`${target}: ${(await readdir(target)).length} files of ${lock.version}`);
}

/** As `sha256sum --check` reads them. */
async function sumsOf(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const digest = createHash('sha256').update(await readFile(join(folder, name)));
    lines.push(`${digest.digest('hex')}  ${name}\n`);
  }
  return lines.join('');
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`No release: ${faults.join('\nNo release: ')}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
