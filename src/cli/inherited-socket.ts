import { fstatSync } from 'node:fs';
import { ConfigError } from '../config/env-file.ts';

/** The first descriptor that a service manager passes on: https://www.freedesktop.org/software/systemd/man/sd_listen_fds.html */
const FIRST_DESCRIPTOR = 3;

/**
 * The descriptor of the socket on which a service manager has listened before this process was started. Null if it has passed on
 * none, or if it has passed one on to another process, which then left its variables to this one.
 */
export function inheritedSocket(
  { LISTEN_FDS = '', LISTEN_PID = '' }: Readonly<Record<string, string | undefined>>,
  pid = process.pid,
  isSocket = isSocketHere,
): number | null {
  if (LISTEN_FDS === '' || LISTEN_FDS === '0' || LISTEN_PID !== String(pid)) return null;
  if (LISTEN_FDS !== '1')
    throw new ConfigError([
      `LISTEN_FDS=${LISTEN_FDS}: Tocsin takes one socket, name one in the socket unit.`,
    ]);
  if (!isSocket(FIRST_DESCRIPTOR))
    throw new ConfigError([
      `LISTEN_FDS=${LISTEN_FDS}: descriptor ${FIRST_DESCRIPTOR} is no socket. The command tocsin cannot pass one on: start Node itself, as the unit that "tocsin unit" prints.`,
    ]);
  return FIRST_DESCRIPTOR;
}

function isSocketHere(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isSocket();
  } catch {
    return false;
  }
}
