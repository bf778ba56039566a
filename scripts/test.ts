/**
 * Runs the tests: all of them, or those in the files named on the command line. Flags go to Node's runner and
 * are written in one word: `npm test -- src/domain/slug.test.ts --test-name-pattern=umlaut`.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname } from 'node:path';

const OLDEST_NODE = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `The tests need Node ${OLDEST_NODE}, this is ${process.version}: run them through \`npm test\`.`,
  );
  process.exit(1);
}

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('-'));
const paths = args.filter((arg) => !arg.startsWith('-'));

const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-global-setup=test/global-setup.ts',
    '--test-concurrency=2',
    '--test-timeout=60000',
    ...flags,
    ...(paths.length > 0 ? paths : ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']),
  ],
  { cwd: dirname(import.meta.dirname), stdio: 'inherit' },
);

let interruption: NodeJS.Signals | undefined;

function interrupt(signal: NodeJS.Signals): void {
  interruption = signal;
  // At a hangup the runner would leave the test processes behind; for these two it winds up.
  runner.kill(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

// A SIGTERM to npm alone ends npm and its shell without reaching this process.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid !== parent) interrupt('SIGTERM');
}, 500);

runner.on('exit', (code, signal) => {
  clearInterval(watch);
  // The runner's own code is 0 when it is interrupted before the first test.
  const cause = signal ?? interruption;
  process.exitCode = cause ? 128 + constants.signals[cause] : (code ?? 1);
});
