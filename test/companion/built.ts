import { execFileSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleCompanion } from '../../scripts/companion.ts';

export const REPOSITORY = dirname(dirname(import.meta.dirname));

/** Builds the companion as packages have it. Returns its program. */
export async function buildCompanion(folder: string): Promise<string> {
  await bundleCompanion(join(folder, 'dist/companion'));
  for (const name of ['bin', 'package.json'])
    await cp(join(REPOSITORY, name), join(folder, name), { recursive: true });
  return join(folder, 'bin/tocsin.cjs');
}

/** A Node from 20 to 25; null where there is none. */
export const oldNode = findOldNode();

function findOldNode(): string | null {
  const candidates = [
    '/usr/bin/node',
    '/usr/local/bin/node',
    ...(process.env.PATH ?? '').split(':').map((path) => join(path, 'node')),
  ];
  return (
    candidates.find((path) => {
      try {
        const version = Number(/^v(\d+)/.exec(execFileSync(path, ['--version']).toString())?.[1]);
        return version >= 20 && version < 26;
      } catch {
        return false;
      }
    }) ?? null
  );
}
