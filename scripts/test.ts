/**
 * Runs the tests: all of them, or those in the files and folders named on the command line. With `--long` it runs the long
 * forms of tests, which are left out otherwise. All other flags go to Node's runner and are written in one word:
 * `npm test -- src/domain/slug.test.ts --test-name-pattern=umlaut`.
 */
import { globSync, statfsSync, statSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewEnough, OLDEST_NODE } from '../bin/runtime.js';
import { TEST_HANG_MS } from '../test/waiting.ts';
import { buildPages } from './pages.ts';
import { runNode } from './run-node.ts';
import { needsOf } from './test-needs.ts';
import { formOf, prepareProcesses } from './test-processes.ts';

if (!isNewEnough()) {
  console.error(
    `The tests need Node ${OLDEST_NODE}, this is ${process.version}: run them through \`npm test\`.`,
  );
  process.exit(1);
}

const ROOT = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const form = args.includes('--long') ? 'long' : 'short';
const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--long');
const paths = args.filter((arg) => !arg.startsWith('-')).flatMap(filesAt);
const needs = paths.length > 0 ? needsOf(ROOT, paths) : { databases: true, pages: true };

// Once, and not in each of the processes that serve pages.
if (needs.pages) await buildPages();

// Processes share their compiled code.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url));

/** Memory as a file system, on Linux. Containers often have little of it. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 31;
// SQLite waits for the disk at each commit, which is most of the time of many tests.
if (process.platform === 'linux' && freeBytes(IN_MEMORY) >= ENOUGH_BYTES) process.env.TMPDIR ??= IN_MEMORY;

await using folder = await mkdtempDisposable(join(tmpdir(), 'tocsin-tests-'));
const { code, signal } = await runNode([
  '--test',
  ...(needs.databases ? ['--test-global-setup=test/global-setup.ts'] : []),
  // Two more than can compute at once, because half of them mostly wait for a browser or another process.
  `--test-concurrency=${availableParallelism() + 2}`,
  `--test-timeout=${TEST_HANG_MS}`,
  `--import=${import.meta.resolve('../test/untracked-promises.ts')}`,
  `--import=${import.meta.resolve('../test/jsx.ts')}`,
  // Components need no process each: a page and React take longer to load than their tests to run.
  ...(paths.length > 1 && paths.every((path) => path.endsWith('.tsx')) ? ['--test-isolation=none'] : []),
  ...flags,
  ...(paths.length > 0 ? paths : prepareProcesses(ROOT, folder.path, form)),
]);
// The runner's own code is 0 when it is interrupted before the first test.
process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];

/** Paths from the root: of the tests of this form in a folder, or of the files of a pattern. The runner reports what is not there. */
function filesAt(path: string): string[] {
  const place = relative(ROOT, resolve(path));
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const files = globSync(isFolder ? `${place}/**/*.test.{ts,tsx}` : place, { cwd: ROOT }).toSorted();
  const wanted = isFolder ? files.filter((file) => formOf(file) === form) : files;
  return wanted.length > 0 ? wanted : [path];
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
