import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/read-config.ts';
import { installedAs } from './version.ts';

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
const MOUNTS = '/proc/self/mountinfo';

/** In a container of the image, data that is on no volume goes with the container. */
export function volumeWarning(
  { database }: Config,
  program = import.meta.filename,
  readMounts = () => readFileSync(MOUNTS, 'utf8'),
): string | null {
  if (installedAs(program) !== 'image' || database.engine !== 'sqlite') return null;
  const folder = dirname(database.path);
  const places = readMounts()
    .split('\n')
    .map((line) => line.split(' ')[4]);
  if (places.some((place) => place !== undefined && place !== '/' && `${folder}/`.startsWith(`${place}/`)))
    return null;
  return `The folder ${folder} is on no volume: what is in it goes with this container. Start it with a volume there, as in -v tocsin:${folder}`;
}
