import { isAbsolute, join } from 'node:path';
import type { Machine } from '../machine.ts';
import type { Files } from './files.ts';

/** Where pings wait; null where the environment names no place. */
export function spoolFolder(
  option: string | null,
  { environment, userId }: Pick<Machine, 'environment' | 'userId'>,
): string | null {
  if (option !== null) return option;
  // systemd separates several folders by colons.
  const [state] = (environment.STATE_DIRECTORY ?? '').split(':');
  if (state !== undefined && state !== '') return join(state, 'spool');
  if (userId === 0) return '/var/spool/tocsin';
  const home = environment.HOME || null;
  const places = [
    environment.XDG_STATE_HOME,
    home === null ? undefined : join(home, '.local', 'state'),
    environment.LOCALAPPDATA,
  ];
  const place = places.find((one) => one !== undefined && isAbsolute(one));
  return place === undefined ? null : join(place, 'tocsin', 'spool');
}

/** Makes the folder. Null if it can be used, or why not: somebody else could read addresses there, or put pings in. */
export async function whyNotUsable(
  files: Files,
  folder: string,
  userId: number | null,
): Promise<string | null> {
  try {
    await files.makeFolder(folder);
    const own = await files.facts(folder, 'the link itself');
    const led = own?.isLink === true ? await files.facts(folder, 'what it leads to') : own;
    if (own === null || led === null || !led.isFolder) return 'it is not a folder';
    // Systems without users by number tell nothing by modes either.
    if (userId === null) return null;
    if (own.ownerId !== userId || led.ownerId !== userId) return 'it belongs to somebody else';
    return (led.mode & 0o022) === 0 ? null : 'others may write to it';
  } catch (error) {
    return codeOf(error);
  }
}

/** What went wrong with a file. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code;
}
