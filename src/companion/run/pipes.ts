import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/** Both ends of a pipe. */
export interface Pipe {
  readonly readable: number;
  readonly writable: number;
}

type Spawn = typeof import('node:child_process').spawn;

/**
 * A shell makes a pipe between two commands. The second one keeps the readable end as descriptor 4, tells its process id on
 * descriptor 3, and waits until that is closed.
 */
const HOLD_PIPE =
  '{ read x <&3; } | { exec 4<&0; read id rest </proc/self/stat; echo "$id" >&3; read x <&3; }';
const WAIT_MS = 500;

/**
 * Makes two pipes. Node itself connects a job by sockets, and on Linux `echo … > /dev/stderr` fails on a socket. Null where
 * pipes cannot be made this way: on other systems, whose `/dev/stderr` accepts a socket, and where there is no shell.
 */
export async function makePipes(spawn: Spawn): Promise<readonly [Pipe, Pipe] | null> {
  if (process.platform !== 'linux') return null;
  const holder = spawn('/bin/sh', ['-c', `${HOLD_PIPE} & ${HOLD_PIPE}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: {},
  });
  const ids = await readIds(holder);
  try {
    const [first, second] = ids;
    if (first === undefined || second === undefined) return null;
    const pipe = openPipe(first);
    try {
      return [pipe, openPipe(second)];
    } catch (error) {
      closePipe(pipe);
      throw error;
    }
  } catch {
    return null;
  } finally {
    holder.stdio[3]?.destroy();
  }
}

function openPipe(holder: number): Pipe {
  const path = `/proc/${holder}/fd/4`;
  const readable = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readable, writable: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readable);
    throw error;
  }
}

export function closePipe({ readable, writable }: Pipe): void {
  closeSync(readable);
  closeSync(writable);
}

function readIds(holder: ChildProcess): Promise<readonly number[]> {
  return new Promise((resolve) => {
    let text = '';
    const give = () => {
      clearTimeout(timer);
      resolve(text.split('\n').slice(0, -1).map(Number));
    };
    const timer = setTimeout(give, WAIT_MS);
    holder.on('error', give);
    holder.stdio[3]?.on('error', give);
    holder.stdio[3]?.on('close', give);
    holder.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.split('\n').length > 2) give();
    });
  });
}
