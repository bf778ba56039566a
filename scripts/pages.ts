/**
 * Builds the pages of the dashboard into `web/dist`, unless they were built of the same sources before. Run by itself it
 * says what it does: `node scripts/pages.ts`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const ROOT = dirname(import.meta.dirname);
const WEB = join(ROOT, 'web');
export const PAGES_FOLDER = join(WEB, 'dist');
/** Code that the pages share with the service, beside types: functions and numbers that need only each other. */
export const SHARED_SOURCES: readonly string[] = [
  'src/domain/alert/button.ts',
  'src/domain/alert/together.ts',
  'src/domain/check/tags.ts',
  'src/domain/history/standing.ts',
  'src/domain/people/link-fragment.ts',
  'src/domain/policy/policy-limits.ts',
  'src/domain/policy/presets.ts',
  'src/domain/policy/ways.ts',
  'src/domain/schedule/crontab-command.ts',
  'src/domain/schedule/crontab-limits.ts',
  'src/domain/slug.ts',
  'src/domain/text-limits.ts',
  'src/lib/instant.ts',
  'src/lib/one-slip.ts',
  'src/lib/private-address.ts',
  'src/lib/text/ages.ts',
  'src/lib/text/ordinals.ts',
  'src/lib/text/durations.ts',
  'src/wire/dashboard/limits.ts',
  'src/wire/demonstration.ts',
];
/** The service does not start before its pages are built. A build that hangs must not keep it from starting. */
const MAX_BUILD_MS = 600_000;
/** The beginning of the names of folders in which pages are built. */
const WORKSHOP = 'dist-';
/** Holds the digest of the sources of the built pages. */
const MARK = 'sources.sha256';

/** Returns false if nothing had to be done. */
export async function buildPages(): Promise<boolean> {
  const sources = await digestOfSources();
  if ((await readFile(join(PAGES_FOLDER, MARK), 'utf8').catch(() => '')) === sources) return false;
  await removeLeftovers(WEB, Date.now());
  // The result appears as a whole, so that several builds may run at once, and beside a program that reads the last one.
  const workshop = await mkdtemp(join(WEB, WORKSHOP));
  try {
    const output = join(workshop, 'new');
    await runVite(output);
    await writeFile(join(output, MARK), sources);
    await rename(PAGES_FOLDER, join(workshop, 'old')).catch(unlessMissing);
    // Another build may have been faster. Its pages are the same.
    await rename(output, PAGES_FOLDER).catch(unlessThere);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return true;
}

/** Removes what builds have left that were killed. One that is so old does not run any more. */
export async function removeLeftovers(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(WORKSHOP)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
    if (nowMs - mtimeMs > 2 * MAX_BUILD_MS) await rm(path, { recursive: true, force: true });
  }
}

async function runVite(output: string): Promise<void> {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const args = [
    vite,
    'build',
    '--config',
    join(WEB, 'vite.config.ts'),
    '--outDir',
    output,
    '--logLevel',
    'warn',
  ];
  try {
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: MAX_BUILD_MS });
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw said === '' ? error : new Error(said);
  }
}

/** The digest of everything the pages are made of: our sources, and the versions of the packages. */
async function digestOfSources(): Promise<string> {
  const entries = await readdir(WEB, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(WEB, path).startsWith('dist') && !/\.test(-support)?\.tsx?$/.test(path));
  const hash = createHash('sha256');
  for (const path of [
    ...files.toSorted(),
    ...SHARED_SOURCES.map((path) => join(ROOT, path)),
    join(ROOT, 'package-lock.json'),
  ]) {
    hash.update(`${relative(ROOT, path)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

if (import.meta.main) {
  console.log((await buildPages()) ? 'Built the pages.' : 'The pages are up to date.');
}
