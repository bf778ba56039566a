/**
 * Runs the tests: all of them, or those in the files named on the command line. Flags go to Node's runner and
 * are written in one word: `npm test -- src/domain/slug.test.ts --test-name-pattern=umlaut`.
 */
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isNewEnough, OLDEST_NODE } from '../bin/runtime.js';
import { buildPages } from './pages.ts';
import { runNode } from './run-node.ts';

if (!isNewEnough()) {
  console.error(
    `The tests need Node ${OLDEST_NODE}, this is ${process.version}: run them through \`npm test\`.`,
  );
  process.exit(1);
}

// Once, and not in each of the processes that serve pages.
await buildPages();

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('-'));
const paths = args.filter((arg) => !arg.startsWith('-'));

// Each file of tests is a process of its own. What one of them has compiled, the others need not compile again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url));

const { code, signal } = await runNode([
  '--test',
  '--test-global-setup=test/global-setup.ts',
  '--test-concurrency=2',
  '--test-timeout=60000',
  ...flags,
  ...(paths.length > 0 ? paths : ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']),
]);
// The runner's own code is 0 when it is interrupted before the first test.
process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
