import { readFileSync } from 'node:fs';

/**
 * The soft limit of open files that a job would have without us, if it differs from ours: Node raises its own to the hard
 * one, and children inherit it. It is read before the job starts; the system makes these files when they are read.
 */
export function limitToRestore(
  parent: number,
  read: (path: string) => string = (path) => readFileSync(path, 'latin1'),
): string | null {
  try {
    const own = softLimit(read('/proc/self/limits'));
    const before = softLimit(read(`/proc/${parent}/limits`));
    return before === own ? null : before;
  } catch {
    return null;
  }
}

function softLimit(text: string): string | null {
  return /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1] ?? null;
}
