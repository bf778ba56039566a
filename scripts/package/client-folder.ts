import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLIENT } from '../../src/cli/client-commands.ts';
import { versionText } from '../../src/cli/version.ts';
import { bundleClient, bundleCompanion, HELP_FILE, VERSION_FILE } from '../companion.ts';
import { packagesOf, ROOT, readLock } from './lock.ts';
import { clientThirdPartyText } from './third-party.ts';

/** What the manifest says of the package without the service. Name, programs and the oldest Node are its own. */
const SHARED = ['version', 'keywords', 'license', 'type', 'bin'] as const;
const FILES = ['bin/tocsin.cjs', 'bin/companion.cjs', 'LICENSE'];

/** Writes all files of the package `tocsin` into an empty folder: commands that need no service, without dependencies. */
export async function makeClient(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const name of FILES) await cp(join(ROOT, name), join(folder, name));
  await chmod(join(folder, 'bin/tocsin.cjs'), 0o755);
  await bundleCompanion(join(folder, 'dist/companion'));
  const names = await bundleClient(join(folder, 'dist/client'));
  await writeFile(join(folder, 'dist', HELP_FILE), await CLIENT.overview());
  await writeFile(join(folder, 'dist', VERSION_FILE.name), versionText(VERSION_FILE.node));
  const packages = packagesOf(await readLock());
  const inBundle = names.flatMap(
    (name) => packages.find(({ path }) => path === `node_modules/${name}`) ?? [],
  );
  await writeFile(join(folder, 'THIRD-PARTY.txt'), await clientThirdPartyText(inBundle));
  await cp(join(import.meta.dirname, 'client-readme.md'), join(folder, 'README.md'));
  const own = {
    name: 'tocsin',
    description: 'Runs jobs, and tells Tocsin or Healthchecks how they ended.',
    ...Object.fromEntries(SHARED.map((key) => [key, manifest[key]])),
    engines: { node: '>=20' },
    imports: { '#program': './dist/client/client.js' },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}
