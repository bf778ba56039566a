import { type ProcessOptions, type RunningProcess, startProcess } from '../process.ts';

/** What `ulimit -f` counts in. */
export const BLOCK_BYTES = 512;

/**
 * Starts Node with a limit on the size of each file that it writes: a write beyond it fails, as on a full disk. This
 * needs no rights, and binds root as well.
 */
export function startLimited(
  blocks: number,
  args: readonly string[],
  options: ProcessOptions,
): RunningProcess {
  const shell = 'ulimit -f "$0" && exec "$@"';
  return startProcess('sh', ['-c', shell, String(blocks), process.execPath, ...args], options);
}
