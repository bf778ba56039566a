import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleCompanion } from '../../scripts/companion.ts';

export const REPOSITORY = dirname(dirname(import.meta.dirname));

/** Builds the companion as packages have it. Returns its program. */
export async function buildCompanion(folder: string): Promise<string> {
  await bundleCompanion(join(folder, 'dist/companion'));
  for (const name of ['bin', 'package.json'])
    await cp(join(REPOSITORY, name), join(folder, name), { recursive: true });
  return join(folder, 'bin/tocsin.js');
}
