import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, Program, type Words } from './wrapper.ts';

/** An address with a name, for programs below `whereNamesHang`. */
export const NAMED = 'http://nobody.example.org/ping';

export function cannotMount(): string | false {
  try {
    execFileSync('unshare', ['-m', 'test', '-c', '/dev/fuse'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'it needs root and a file system of its own';
  }
}

/** Runs a program whose name server takes questions and never answers. */
export async function whereNamesHang(
  words: Words,
  {
    folder,
    environment,
  }: { readonly folder: string; readonly environment: Readonly<Record<string, string>> },
): Promise<Ended> {
  const server = createSocket('udp4');
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.77`;
  await new Promise<void>((resolve) => server.bind(53, address, resolve));
  const file = join(folder, 'resolv.conf');
  await writeFile(file, `nameserver ${address}\noptions timeout:30 attempts:5\n`);
  const line = `mount --bind "$0" /etc/resolv.conf && exec "$@"`;
  const child = spawn('unshare', ['-m', 'sh', '-c', line, file, ...words], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    return await new Program(child).ended;
  } finally {
    server.close();
  }
}
