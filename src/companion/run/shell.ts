/** A shell between us and the job, which does what Node cannot and then becomes the job. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** A shell sets these for its own use, and would hand them on. */
const SET_BY_SHELLS = ['PWD', 'OLDPWD', 'SHLVL', '_'];
/** Shells understand descriptors of one digit. */
const DESCRIPTORS = [3, 4, 5, 6, 7, 8, 9];
/** After this time the job is started in another way. */
const WAIT_MS = 2_000;

/** False where a shell would be noticed: it drops variables whose names it does not understand. */
export function isKeptByShells(environment: Environment): boolean {
  return Object.keys(environment).every((name) => /^[A-Za-z_]\w*$/.test(name));
}

/** A descriptor over which the shell and we tell each other how far we are; null if the job wants all of them. */
export function controlDescriptor(passed: readonly number[]): number | null {
  return DESCRIPTORS.find((descriptor) => !passed.includes(descriptor)) ?? null;
}

/** The words that start a command by a shell: with this limit of open files, and with pipes if there is a `control` to tell of them. */
export function byShell(
  words: readonly string[],
  environment: Environment,
  { limit, control }: { readonly limit: string | null; readonly control: number | null },
): readonly string[] {
  const unset = SET_BY_SHELLS.filter((name) => environment[name] === undefined);
  const steps = [
    ...(control === null ? [] : [makePipes(control)]),
    ...(limit === null ? [] : [`ulimit -Sn ${limit}`]),
    ...(unset.length === 0 ? [] : [`unset ${unset.join(' ')}`]),
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', steps.join('\n'), 'tocsin', ...words];
}

/**
 * Node connects a job by sockets, and on Linux `echo … > /dev/stderr` fails on a socket. Shells hand over an inline text by a pipe,
 * which this one opens once more for writing. It waits until we have opened the pipe for reading, and taken the text out of it.
 */
const makePipes = (control: number): string => `exec 1<<'END' 2<<'END'

END

END
exec 1>/proc/self/fd/1 2>/proc/self/fd/2
echo >&${control}
read tocsin_go <&${control} || exit 1
unset tocsin_go
exec ${control}>&-`;
const TEXT_BYTES = 1;

/** Opens the pipes, and lets the shell go on. Null where it has made none: then it does not become the job. */
export async function takePipes(
  shell: ChildProcess,
  control: number,
): Promise<readonly [number, number] | null> {
  const connection = shell.stdio[control];
  if (connection == null || !('write' in connection)) return null;
  const isReady = await new Promise<boolean>((resolve) => {
    const settle = (ready: boolean) => {
      clearTimeout(timer);
      resolve(ready);
    };
    const timer = setTimeout(settle, WAIT_MS, false);
    connection.once('data', () => settle(true));
    connection.once('close', () => settle(false));
    connection.on('error', () => settle(false));
  });
  const pipes = isReady ? openPipes(shell.pid) : null;
  if (pipes === null) connection.destroy();
  else connection.end('\n');
  return pipes;
}

function openPipes(processId: number | undefined): readonly [number, number] | null {
  const opened: number[] = [];
  const open = (stream: 1 | 2) => {
    const path = `/proc/${processId}/fd/${stream}`;
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    opened.push(descriptor);
    // Some shells hand over texts by files.
    if (!fstatSync(descriptor).isFIFO()) throw new Error('no pipe');
    readSync(descriptor, Buffer.alloc(TEXT_BYTES));
    return descriptor;
  };
  try {
    return [open(1), open(2)];
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
    return null;
  }
}
