import { readFileSync } from 'node:fs';

/**
 * The soft limit of open files that a job would have without us, if it differs from ours: Node raises its own to the hard
 * one, and children inherit it. It is read before the job starts.
 */
export function limitToRestore(parent: number): string | null {
  try {
    const own = softLimit(readFileSync('/proc/self/limits', 'latin1'));
    const before = softLimit(readFileSync(`/proc/${parent}/limits`, 'latin1'));
    return before === own ? null : before;
  } catch {
    return null;
  }
}

function softLimit(text: string): string | null {
  return /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1] ?? null;
}

/** A shell sets these for its own use, and would hand them on. */
const SET_BY_SHELLS = ['PWD', 'OLDPWD', 'SHLVL', '_'];

/**
 * The words that start a command with this limit. Null where a shell cannot do it unnoticed: it drops variables whose names it
 * does not understand, and these matter more than the limit.
 */
export function withLimit(
  limit: string,
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] | null {
  if (Object.keys(environment).some((name) => !/^[A-Za-z_]\w*$/.test(name))) return null;
  const unset = SET_BY_SHELLS.filter((name) => environment[name] === undefined);
  const forget = unset.length === 0 ? '' : `unset ${unset.join(' ')}; `;
  return ['/bin/sh', '-c', `ulimit -Sn ${limit}; ${forget}exec "$@"`, 'tocsin', ...words];
}
