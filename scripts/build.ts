/**
 * Builds `dist`, which the published package runs: Node does not strip types below node_modules. The result
 * appears only as a whole, so that a build may run beside a program that uses the last one.
 */
import { execFile } from 'node:child_process';
import { cp, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE } from '../src/cli/commands.ts';
import { bundleCompanion, HELP_FILE } from './companion.ts';
import { buildPages, PAGES_FOLDER } from './pages.ts';

const root = dirname(import.meta.dirname);
const source = join(root, 'src');
const target = join(root, 'dist');

// Beside `dist`, because a rename does not cross file systems.
const workshop = await mkdtemp(join(root, 'dist-'));
try {
  const output = join(workshop, 'new');
  await compile(output);
  const companion = join(output, 'companion');
  await rm(companion, { recursive: true });
  await bundleCompanion(companion);
  await writeFile(join(output, HELP_FILE), await SERVICE.overview());
  await refuseSourcePaths(output);
  await copyAssets(output);
  await buildPages();
  await cp(PAGES_FOLDER, join(output, 'pages'), { recursive: true });
  await rename(target, join(workshop, 'old')).catch(unlessMissing);
  await rename(output, target);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(workshop, { recursive: true, force: true });
}

async function compile(output: string): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', output], {
      cwd: root,
    });
  } catch (error) {
    throw error instanceof Error && 'stdout' in error ? new Error(String(error.stdout)) : error;
  }
}

/** Imports are rewritten, paths in other places are not: `new URL('./worker.ts', import.meta.url)`. */
async function refuseSourcePaths(output: string): Promise<void> {
  for await (const file of glob('**/*.js', { cwd: output })) {
    const [path] = /(['"`])\.\.?\/[^'"`\n]*\.ts\1/.exec(await readFile(join(output, file), 'utf8')) ?? [];
    if (path !== undefined) throw new Error(`${file} names ${path}, which the package does not have`);
  }
}

/** Migrations and whatever else the program reads that is not code. */
async function copyAssets(output: string): Promise<void> {
  for await (const file of glob('**/*.{sql,json}', { cwd: source })) {
    await cp(join(source, file), join(output, file));
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
