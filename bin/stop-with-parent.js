// Whoever ends what started this process ends this process, also with a signal that nobody can pass on (decision 0047).
// Plain JavaScript without recent syntax, because an older Node has to read it.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LOOK_EVERY_MS = 500;
/** The process that runs this program once more with a newer Node; see `runtime.js`. */
export const LAUNCHER_VARIABLE = 'TOCSIN_LAUNCHER';

/**
 * Sends this process SIGTERM as soon as its parent has ended. An operating system gives such a process another parent;
 * Windows does not, and there nothing happens.
 * @param {number} parent
 */
export function stopWithParent(parent = process.ppid) {
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  look.unref();
}

/**
 * For a program that may be started in many ways. It follows its launcher, or npm where it is a script of this package.
 * Started by anything else (a service manager, a shell, npx) it goes on when its parent ends.
 */
export function stopWithStarter() {
  const launcher = process.env[LAUNCHER_VARIABLE];
  delete process.env[LAUNCHER_VARIABLE];
  if (launcher !== undefined) stopWithParent(Number(launcher));
  else if (isOwnScript(process.env.npm_package_json)) stopWithParent();
}

/** @param {string | undefined} manifest What npm runs a script of. */
function isOwnScript(manifest) {
  try {
    return (
      manifest !== undefined &&
      realpathSync(manifest) === fileURLToPath(new URL('../package.json', import.meta.url))
    );
  } catch (_error) {
    return false;
  }
}
